"""The graph type and its construction, against sets of pairs and scipy."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph import csr
from edgeorbit.graph.graph import disjoint_union


@st.composite
def pair_arrays(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Pairs of nodes in any of the layouts and integer types that callers have."""
    num_nodes = draw(st.integers(1, 50))
    node = st.integers(0, num_nodes - 1)
    pairs = np.array(draw(st.lists(st.tuples(node, node), min_size=1, max_size=60)), np.int64)
    pairs = pairs.astype(draw(st.sampled_from([np.int64, np.int32, np.uint8, np.uint64])))
    layout = draw(st.sampled_from(["rows", "columns", "strided"]))
    if layout == "columns":
        pairs = np.asfortranarray(pairs)
    if layout == "strided":
        pairs = np.repeat(pairs, 3, axis=0)[::3]
    return pairs, num_nodes


@pytest.fixture(params=["small", "kernels"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to build CSR arrays: small inputs would never meet the kernels."""
    if request.param == "kernels":
        monkeypatch.setattr(csr, "SMALL_INPUT", 0)
    return str(request.param)


@given(case=pair_arrays())
def test_edges_are_the_set_of_unordered_pairs(way: str, case: tuple[np.ndarray, int]) -> None:
    pairs, num_nodes = case
    graph = Graph.from_edges(pairs, num_nodes)
    expected = {(min(u, v), max(u, v)) for u, v in pairs.tolist() if u != v}
    assert graph.edges.tolist() == sorted(map(list, expected))
    assert graph.self_loops == sum(u == v for u, v in pairs.tolist())
    assert graph.merged_edges == len(pairs) - graph.self_loops - len(expected)
    for v in range(num_nodes):
        assert graph.neighbours(v).tolist() == sorted({a + b - v for a, b in expected if v in (a, b)})


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("num_nodes", [300, 3_000, 70_000, 3_000_000])
def test_large_csr_equals_that_of_scipy(num_nodes: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "EDGES_PER_THREAD", 100)
    pairs = np.random.default_rng(num_nodes).integers(0, num_nodes, (200_000, 2)) ** 2 // num_nodes  # some hubs
    graph = Graph.from_edges(pairs, num_nodes, threads=threads)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    expected = scipy.sparse.csr_array((np.ones(len(both), bool), both.T), shape=(num_nodes, num_nodes))
    expected.setdiag(False)
    expected.eliminate_zeros()
    expected.sort_indices()
    assert np.array_equal(graph.indptr, expected.indptr)
    assert np.array_equal(graph.indices, expected.indices)


@given(case=pair_arrays())
def test_sorted_symmetric_input_gives_the_same_graph(way: str, case: tuple[np.ndarray, int]) -> None:
    graph = Graph.from_edges(*case)
    again = Graph.from_edges(graph.edge_index, graph.num_nodes) if graph.num_edges != 1 else graph
    assert np.array_equal(again.indices, graph.indices)
    assert np.array_equal(again.indptr, graph.indptr)
    if graph.num_edges > 1:
        assert again.merged_edges == graph.num_edges


@pytest.mark.parametrize(
    "pairs",
    [
        [[0, 1], [1, 0], [1, 2]],  # one direction missing at the end
        [[0, 1], [0, 2], [1, 0]],  # and in the middle
        [[0, 1], [1, 0], [1, 1]],  # a self-loop
        [[0, 1], [1, 2], [2, 0]],
    ],
)
def test_sorted_input_that_is_not_symmetric_is_not_taken_for_csr(way: str, pairs: list) -> None:
    graph = Graph.from_edges(pairs)
    assert graph.edges.tolist() == sorted(map(list, {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}))


def test_a_two_by_two_array_is_read_as_two_pairs() -> None:
    assert Graph.from_edges([[0, 1], [2, 3]]).edges.tolist() == [[0, 1], [2, 3]]


def test_the_number_of_nodes_may_be_a_numpy_integer() -> None:
    assert Graph.from_edges([[0, 1]], np.int32(5)).num_nodes == 5


def test_a_graph_cannot_be_changed() -> None:
    graph = Graph.from_edges([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 5
    with pytest.raises(AttributeError):
        graph.name = "other"


def test_the_callers_arrays_stay_writable() -> None:
    pairs = np.array([[0, 1], [1, 0]])
    Graph.from_edges(pairs)
    pairs[0, 0] = 1
    y = np.array([1, 2])
    Graph.from_edges([[0, 1]], y=y)
    y[0] = 5


@pytest.mark.parametrize(
    ("edges", "num_nodes", "sentence"),
    [
        ([[0, -1]], None, "graph: node number -1 is negative; number nodes from 0"),
        ([[0, 5]], 3, "graph: node number 5 is outside a graph of 3 nodes"),
        ([[0.0, 1.0]], None, "graph: edges are of type float64; give whole numbers"),
        ([0, 1, 2], None, r"graph: edges have shape \(3,\); give pairs"),
        ([[0, 1, 2]], None, r"graph: edges have shape \(1, 3\); give pairs"),
        ([[0, 2**40]], None, f"graph: node number {2**40} is too large; number nodes from 0 without gaps"),
        (np.array([[0, 2**64 - 1]], np.uint64), None, "does not fit int64"),
        ([["a", "b"]], None, "give whole numbers"),
    ],
)
def test_bad_edges_get_a_sentence(edges: list, num_nodes: int | None, sentence: str) -> None:
    with pytest.raises(GraphFormatError, match=sentence):
        Graph.from_edges(edges, num_nodes)


def test_attributes_need_a_row_per_node() -> None:
    with pytest.raises(GraphFormatError, match="graph: x has 3 rows and the graph 2 nodes; give one row per node"):
        Graph.from_edges([[0, 1]], x=np.zeros((3, 1)))
    with pytest.raises(InvalidParameterError, match="num_nodes must not be negative"):
        Graph.empty(-1)


def test_a_union_keeps_features_and_labels() -> None:
    dense = Graph.from_edges([[0, 1]], x=np.eye(2), y=np.array([0, 1]))
    sparse = Graph.from_edges([[0, 1]], x=scipy.sparse.csr_array(np.eye(2)), y=np.array([2, 3]))
    assert disjoint_union([dense, dense]).x.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert disjoint_union([dense, sparse]).x.toarray().tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert disjoint_union([dense, sparse]).y.tolist() == [0, 1, 2, 3]
    assert disjoint_union([dense, Graph.empty(1)]).x is None
    assert disjoint_union([]).num_nodes == 0
