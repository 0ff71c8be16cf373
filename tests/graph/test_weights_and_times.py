"""Weights and times of links: read, summed, kept through files, and refused."""

from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import from_frame
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph import Graph
from edgeorbit.graph.directory import read_directory, write_directory
from edgeorbit.graph.reading import read_graph
from edgeorbit.graph.writing import write_graph

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 50), st.integers(0, 20)), min_size=1, max_size=40
)


def brute_force(rows):
    """Return the summed weight and the first time of every edge."""
    weights, first = {}, {}
    for u, v, weight, time in rows:
        if u != v:
            edge = (min(u, v), max(u, v))
            weights[edge] = weights.get(edge, 0) + weight
            first[edge] = min(first.get(edge, time), time)
    return weights, first


@given(ROWS)
@settings(max_examples=80, deadline=None)
def test_weights_are_summed_and_first_times_kept(rows):
    columns = np.array(rows)
    graph = Graph.from_edges(columns[:, :2], 7, edge_weight=columns[:, 2], edge_time=columns[:, 3])
    weights, first = brute_force(rows)
    edges = list(map(tuple, graph.edges.tolist()))
    if not edges:
        return
    assert dict(zip(edges, graph.edge_weight.tolist(), strict=True)) == weights
    assert dict(zip(edges, graph.history.first_times(graph.num_edges).tolist(), strict=True)) == first
    assert graph.history.weights(graph.num_edges).tolist() == graph.edge_weight.tolist()
    kept = np.arange(graph.num_edges) % 2 == 0
    before = graph.history.before(10, kept)
    early, _ = brute_force([row for row in rows if row[3] < 10])
    expected = [early.get(edge, 0) for edge, chosen in zip(edges, kept, strict=True) if chosen]
    assert before.weights(int(kept.sum())).tolist() == expected


def test_many_rows_are_what_a_dictionary_says(tmp_path):
    rng = np.random.default_rng(101)
    rows = np.column_stack([rng.integers(0, 3000, (60_000, 2)), rng.integers(0, 100, (60_000, 2))]).tolist()
    path = tmp_path / "e.csv"
    path.write_text("time,src,weight,dst\n" + "".join(f"{t},n{u},{w},n{v}\n" for u, v, w, t in rows))
    graph = read_graph(path, weight="weight", time="time")
    weights, first = brute_force([(f"n{u}", f"n{v}", w, t) for u, v, w, t in rows])
    edges = [tuple(pair) for pair in graph.names(graph.edges).tolist()]
    assert dict(zip(edges, graph.edge_weight.tolist(), strict=True)) == weights
    assert dict(zip(edges, graph.history.first_times(len(edges)).tolist(), strict=True)) == first


@pytest.mark.parametrize("name", ["g.npz", "g.csv", "g.parquet", "directory"])
def test_weights_survive_files(tmp_path, name):
    graph = Graph.from_edges([[0, 1], [1, 0], [2, 1]], 4, edge_weight=[1, 2.5, 0], edge_time=[5, 1, 3])
    path = tmp_path / name
    if name == "directory":
        path.mkdir()
        write_directory(graph, path, {})
        found = read_directory(path)
    else:
        write_graph(graph, path)
        found = read_graph(path, **({} if name == "g.npz" else {"weight": "weight"}))
    assert found.edges.tolist() == graph.edges.tolist() and found.num_nodes == 4
    assert found.edge_weight.tolist() == [3.5, 0.0]
    assert found.with_attributes(name="other").edge_weight.tolist() == [3.5, 0.0]
    if name == "g.npz":
        assert found.history.first_times(2).tolist() == [1, 3] and found.reciprocal_edges == 1


@pytest.mark.parametrize(
    "altered",
    [
        {"edge_weight": np.array([1.0])},
        {"edge_weight": np.array([1.0, -1.0])},
        {"edge_weight": np.array([1, 2])},
        {"history_edge": np.array([0, 0, 7])},
        {"history_edge": np.array([0, 0, 0])},
        {"history_time": np.array([3, 2, 1])},
        {"history_weight": np.array([1.0, np.nan, 1.0])},
    ],
)
def test_altered_weights_and_times_of_our_own_file_are_refused(tmp_path, altered):
    path = tmp_path / "g.npz"
    write_graph(Graph.from_edges([[0, 1], [1, 0], [2, 1]], edge_weight=[1, 2, 3], edge_time=[5, 1, 3]), path)
    with np.load(path) as archive:
        arrays = dict(archive) | altered
    np.savez(path, **arrays)
    with pytest.raises(GraphFormatError, match="write the file again"):
        read_graph(path)


def test_other_edges_come_without_the_weights_of_these():
    graph = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[1, 2])
    other = Graph.from_edges([[0, 2]], 3)
    assert graph.with_attributes(indptr=other.indptr, indices=other.indices).edge_weight is None
    with pytest.raises(GraphFormatError, match="give one weight per edge"):
        graph.with_attributes(edge_weight=np.ones(3))
    for weights, message in (([1, -2], "no finite number"), ([1], "give one for each"), (["a", "b"], "of type")):
        with pytest.raises(GraphFormatError, match=message):
            Graph.from_edges([[0, 1], [1, 2]], edge_weight=weights)


NEW_YEAR = datetime(2024, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-01-02T03:04:05Z", "2024-01-02 03:04:06"], [NEW_YEAR, NEW_YEAR.replace(second=6)]),
        (["2024-01-02 05:04:05.250+02:00", "2024-01-02T03:04:06"], [NEW_YEAR.replace(microsecond=250_000), None]),
        (["2.1.2024 3:04:05", "02.01.2024"], [NEW_YEAR, datetime(2024, 1, 2)]),
        (["02/13/2024", "01/02/2024"], [datetime(2024, 2, 13), datetime(2024, 1, 2)]),
        (["13/02/2024", "02/01/2024"], [datetime(2024, 2, 13), datetime(2024, 1, 2)]),
        (["2024/1/2", "2024-12-31"], [datetime(2024, 1, 2), datetime(2024, 12, 31)]),
        (["1704164645", "5"], [1704164645.0, 5.0]),
        (["1.5", "-2"], [1.5, -2.0]),
    ],
)
def test_times_in_all_the_ways_people_write_them(tmp_path, cells, expected):
    path = tmp_path / "e.csv"
    path.write_text(f"von;nach;am\na;b;{cells[0]}\nb;c;{cells[1]}\n")
    found = read_graph(path, time="am").history
    times = dict(zip(found.edge.tolist(), found.time.tolist(), strict=True))
    assert times[0] == expected[0] and (expected[1] is None or times[1] == expected[1])


@pytest.mark.parametrize(
    ("cell", "options", "message"),
    [
        ("1/2/2024", {"time": "w"}, "may be day first or month first; write dates as 2024-12-31"),
        ("yesterday", {"time": "w"}, "line 2: time 'yesterday' is no time"),
        ("2024-02-30", {"time": "w"}, "line 2: time '2024-02-30' is no time"),
        ("-1", {"weight": "w"}, "line 2: weight '-1' is no weight; weights are finite numbers from 0"),
        ("inf", {"weight": "w"}, "line 2: weight 'inf' is no weight"),
        ("EUR 5", {"weight": "w"}, "line 2: weight 'EUR 5' is no weight"),
        ("", {"weight": "w"}, "line 2: weight '' is no weight"),
    ],
)
def test_bad_weights_and_times_are_named_with_their_line(tmp_path, cell, options, message):
    path = tmp_path / "e.csv"
    path.write_text(f"source,target,w\na,b,{cell}\n")
    with pytest.raises(EdgeorbitError) as caught:
        read_graph(path, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("1.234,50", ";", 1234.5),
        ("1234,5", "\t", 1234.5),
        ("0,5", ";", 0.5),
        ('"1,234.50"', ",", 1234.5),
        ('"0,5"', ",", 0.5),
        ("+1.5e2", ",", 150.0),
        (" 7 ", ";", 7.0),
    ],
)
def test_weights_with_points_and_commas(tmp_path, text, separator, expected):
    path = tmp_path / "e.csv"
    path.write_text(separator.join(["source", "target", "w"]) + "\n" + separator.join(["a", "b", text]) + "\n")
    assert read_graph(path, weight="w").edge_weight.tolist() == [expected]


def test_frames_have_weights_and_times():
    frame = pa.table({"u": ["a", "b"], "v": ["b", "a"], "w": [1, 2], "t": pa.array([9, 3], pa.timestamp("s"))})
    graph = from_frame(frame, weight="w", time="t")
    assert graph.edge_weight.tolist() == [3.0]
    assert graph.history.first_times(1)[0] == np.datetime64("1970-01-01T00:00:03")
    assert graph.read_report.format == "frame"
    with pytest.raises(EdgeorbitError, match="row 2: weight 'None' is no weight"):
        from_frame(frame.set_column(2, "w", pa.array([1, None])), weight="w")
