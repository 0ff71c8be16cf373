"""Refinements of many rounds: only what changes is looked at, and a run that was stopped goes on."""

import json
import subprocess
import sys

import numpy as np
import pytest

from edgeorbit.engines import measure
from edgeorbit.engines._duckdb import DuckDB
from edgeorbit.engines._work import STATE, WorkDirectory
from edgeorbit.errors import InvalidParameterError
from engines.partitions import assert_same_partition, counts, read_colours
from oracles import grid_edges

ON_TABLES = {"engine": "duckdb", "tail_memory": 0}


class StoppedError(Exception):
    """Stands for a process that ends."""


def path_pairs(num_nodes):
    return np.stack([np.arange(num_nodes - 1), np.arange(1, num_nodes)], axis=1)


def test_a_run_may_be_stopped_at_any_write_and_goes_on(edges_file, tmp_path, monkeypatch) -> None:
    source = edges_file(path_pairs(24))
    expected = measure(source, "memory", colours=tmp_path / "expected")
    write, left = DuckDB.write, [0]

    def write_a_few(self, table, query):
        if left[0] == 0:
            table.write_bytes(b"half a table")
            raise StoppedError
        left[0] -= 1
        write(self, table, query)

    monkeypatch.setattr(DuckDB, "write", write_a_few)
    rounds_at_start, stops = [], 0
    while stops < 50:
        left[0] = 8  # as many as the longest round needs, so that each start gets somewhere
        seen = []
        try:
            found = measure(
                source, work=tmp_path / "work", progress=lambda made, _, seen=seen: seen.append(made),
                colours=tmp_path / "colours", **ON_TABLES,
            )  # fmt: skip
            break
        except StoppedError:
            stops += 1
            rounds_at_start += seen[:1]
    assert stops > 4 and rounds_at_start == sorted(rounds_at_start) and rounds_at_start[-1] > 2
    assert counts(found) == counts(expected)
    assert_same_partition(read_colours(tmp_path / "colours"), read_colours(tmp_path / "expected"))
    assert list((tmp_path / "work").iterdir()) == []


KILLED = """
import os, signal, sys
from edgeorbit.engines import measure
from edgeorbit.engines._duckdb import DuckDB
write = DuckDB.write
def write_until_the_end(self, table, query):
    write(self, table, query)
    if table.name.startswith("moved-") and int(table.name[6:12]) > 12:
        os.kill(os.getpid(), signal.SIGKILL)
DuckDB.write = write_until_the_end
measure(sys.argv[1], "duckdb", tail_memory=0, work=sys.argv[2])
"""


def test_a_killed_process_is_resumed_from_its_last_complete_round(edges_file, tmp_path) -> None:
    source = edges_file(path_pairs(30))
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(source), str(tmp_path / "work")], capture_output=True, check=False
    )
    assert ended.returncode == -9, ended.stderr
    stored = json.loads((tmp_path / "work" / STATE).read_text())
    made = len(stored["colours_by_round"]) - 1
    assert made > 0
    seen = []
    found = measure(source, work=tmp_path / "work", progress=lambda made, _: seen.append(made), **ON_TABLES)
    assert seen == list(range(made, 15))
    assert counts(found) == counts(measure(source, "memory"))


def test_spark_goes_on_too(spark, edges_file, tmp_path) -> None:
    source = edges_file(path_pairs(7))
    settings = {"engine": "spark", "session": spark, "work": tmp_path / "work", "tail_memory": 0}

    def stop_after_one(made, _):
        if made == 1:
            raise StoppedError

    with pytest.raises(StoppedError):
        measure(source, progress=stop_after_one, **settings)
    seen = []
    found = measure(source, progress=lambda made, _: seen.append(made), **settings)
    assert seen == [1, 2, 3]
    assert counts(found) == counts(measure(source, "memory"))


def test_a_work_directory_of_another_run_is_refused(edges_file, tmp_path) -> None:
    def stop(made, _):
        raise StoppedError

    with pytest.raises(StoppedError):
        measure(edges_file(path_pairs(5)), work=tmp_path / "work", progress=stop, **ON_TABLES)
    other = edges_file(path_pairs(6), "other.parquet")
    with pytest.raises(InvalidParameterError, match="a begun run of another graph or with other settings"):
        measure(other, work=tmp_path / "work", **ON_TABLES)


def test_a_directory_with_other_files_is_left_alone(edges_file, tmp_path) -> None:
    source = edges_file(path_pairs(5))
    with pytest.raises(InvalidParameterError, match="is not empty and holds no begun run"):
        measure(source, work=tmp_path, **ON_TABLES)
    assert source.exists()


def test_two_runs_do_not_share_a_directory(tmp_path, edges_file) -> None:
    first = WorkDirectory(tmp_path / "work")
    with pytest.raises(InvalidParameterError, match="another run is at work"):
        measure(edges_file(path_pairs(5)), work=tmp_path / "work", **ON_TABLES)
    first.close(finished=True)
    assert measure(edges_file(path_pairs(5)), work=tmp_path / "work", **ON_TABLES).rounds == 2


def test_late_rounds_write_what_changes_and_no_more(edges_file, monkeypatch) -> None:
    """On a path four nodes at most are affected by the two that moved, in round 2 as in round 40."""
    rows = {"affected": [], "moved": []}
    write = DuckDB.write

    def counted(self, table, query):
        write(self, table, query)
        name = table.name.split("-")[0]
        if name in rows:
            rows[name].append(self.fetch(f"SELECT count(*) FROM read_parquet('{table}')")[0])

    monkeypatch.setattr(DuckDB, "write", counted)
    found = measure(edges_file(path_pairs(82)), **ON_TABLES)
    assert found.rounds == 40
    assert max(rows["affected"][1:]) <= 4 and set(rows["moved"]) == {2}


def test_nodes_that_cannot_change_any_more_leave_the_tables(edges_file, tmp_path) -> None:
    """A long path hangs on a random part in which every node is soon alone in its colour."""
    rng = np.random.default_rng(6)
    source = edges_file(np.concatenate([rng.integers(0, 400, (1600, 2)), path_pairs(30) + 500]))
    sizes = []

    def look(made, _):
        stored = json.loads((tmp_path / "work" / STATE).read_text())
        sizes.append((stored["table_nodes"], stored["table_edges"]))

    found = measure(source, work=tmp_path / "work", progress=look, **ON_TABLES)
    assert counts(found) == counts(measure(source, "memory"))
    assert sizes[0][0] > 400 and sizes[-1][0] < 60 and sizes[-1][1] < 60


@pytest.mark.parametrize("rounds", [None, 7])
def test_the_end_of_a_long_refinement_is_made_in_memory(edges_file, tmp_path, rounds) -> None:
    source = edges_file(grid_edges(40, 50))
    found = measure(source, "duckdb", rounds, colours=tmp_path / "colours")
    expected = measure(source, "memory", rounds, colours=tmp_path / "expected")
    assert counts(found) == counts(expected)
    assert_same_partition(read_colours(tmp_path / "colours"), read_colours(tmp_path / "expected"))


def test_the_end_in_memory_may_begin_when_nodes_have_left(edges_file, tmp_path, monkeypatch) -> None:
    """With room for the rest of the graph and not for all of it, the first rounds are on tables."""
    from edgeorbit.engines import _refinement as refinement

    rng = np.random.default_rng(6)
    pairs = np.concatenate([rng.integers(0, 400, (1600, 2)), path_pairs(60) + 500])
    monkeypatch.setattr(refinement, "memory_of_refinement", lambda nodes, edges: edges)
    found = measure(edges_file(pairs), "duckdb", tail_memory=200, colours=tmp_path / "colours")
    expected = measure(edges_file(pairs), "memory", colours=tmp_path / "expected")
    assert 0 < len(found.seconds_by_round) < found.rounds
    assert counts(found) == counts(expected)
    assert_same_partition(read_colours(tmp_path / "colours"), read_colours(tmp_path / "expected"))
