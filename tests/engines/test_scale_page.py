"""The measurements of scale: the same graphs every time, and a page whose arithmetic is that of its figures."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.scale import CHUNK, GRAPHS, chunks, shuffled_bytes, write_edges
from benchmarks.scale_page import to_markdown

MACHINE = {"processor": "P", "cores": 2, "system": "Linux", "python": "3", "versions": {"duckdb": "1"}}


def measured(engine, edges, seconds_by_round, **more):
    facts = {"graph": "random", "engine": engine, "edges": edges, "memory_limit": None, "load": 0.1, "status": "ok"}
    facts |= {"on_tables": engine != "memory", "seconds": 9.0, "rounds": 4, "memory": 10**9, "disk": 50 * edges}
    return facts | {"seconds_by_round": seconds_by_round, "shuffle_bytes": None} | more


@pytest.mark.parametrize("graph", GRAPHS)
def test_graphs_are_the_same_every_time_and_as_large_as_asked(graph, tmp_path) -> None:
    first, second = (list(chunks(graph, CHUNK + 10)) for _ in range(2))
    assert [part.shape[1] for part in first] == [CHUNK, 10]
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    write_edges(graph, 1000, tmp_path / "edges.parquet")
    assert pq.read_metadata(tmp_path / "edges.parquet").num_rows == 1000


def test_growth_is_the_ratio_of_rounds() -> None:
    found = [measured("duckdb", 1000, [1.0, 1.0]), measured("duckdb", 2000, [2.0, 3.0])]
    page = to_markdown({"machine": MACHINE, "measurements": found})
    assert "| random | duckdb | 1,000 to 2,000 | 2.50 x | < 2.4 x | not met |" in page
    assert "nothing is estimated" in page


def test_the_estimate_follows_from_the_largest_measurement_of_spark() -> None:
    """4 rounds of 2.5 s on 2 cores for 10^6 edges: 5 core microseconds per edge and round, with two rounds more."""
    small = measured("spark", 10**5, [9.0], shuffle_bytes=1)
    found = [small, measured("spark", 10**6, [2.5] * 4, shuffle_bytes=6 * 100 * 10**6)]
    page = to_markdown({"machine": MACHINE, "measurements": found})
    assert "5.00 core microseconds per edge" in page and "100 bytes per edge and round" in page
    assert "| 1,000,000,000 | 4 | 8.3 core hours | 2 | 100.0 GB | 40.0 s | 50.0 GB |" in page
    assert "| 10,000,000,000 | 4 | 83.3 core hours | 11 | 1.0 TB | 72.7 s | 500.0 GB |" in page


def test_a_memory_limit_stands_beside_the_size_of_the_graph() -> None:
    found = [measured("duckdb", 10**8, [1.0], memory_limit="160MB")]
    assert "| random | 100,000,000 | 1.6 GB | 160MB | 10.0 x | 1.0 GB |" in to_markdown(
        {"machine": MACHINE, "measurements": found}
    )


def test_what_tasks_shuffle_is_added_up(tmp_path) -> None:
    event = (
        '{"Event": "SparkListenerTaskEnd", "Task Metrics": {"Shuffle Write Metrics": {"Shuffle Bytes Written": %d}}}'
    )
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "events_1").write_text("\n".join([event % 5, '{"Event": "Other"}', event % 7]))
    assert shuffled_bytes(tmp_path) == 12
