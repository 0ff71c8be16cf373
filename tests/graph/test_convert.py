"""Round trips through the other libraries."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

from edgeorbit import Graph
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph import convert
from oracles import graphs


def same(first: Graph, second: Graph) -> bool:
    return np.array_equal(first.indptr, second.indptr) and np.array_equal(first.indices, second.indices)


@given(graph=graphs())
def test_every_library_gives_the_graph_back(graph: Graph) -> None:
    assert same(convert.from_networkx(convert.to_networkx(graph)), graph)
    assert same(convert.from_scipy(convert.to_scipy(graph)), graph)
    assert same(convert.from_edge_index(graph.edge_index, graph.num_nodes), graph)


@given(graph=graphs())
def test_pyg_gives_the_graph_back(graph: Graph) -> None:
    pytest.importorskip("torch_geometric")
    data = convert.to_pyg(graph)
    assert data.num_nodes == graph.num_nodes
    assert data.is_undirected()
    assert same(convert.from_pyg(data), graph)


def test_pyg_keeps_features_and_labels() -> None:
    pytest.importorskip("torch_geometric")
    graph = Graph.from_edges([[0, 1]], x=scipy.sparse.csr_array(np.eye(2, dtype=np.float32)), y=np.array([3, 4]))
    data = convert.to_pyg(graph)
    assert data.x.tolist() == [[1, 0], [0, 1]]
    again = convert.from_pyg(data, name="again")
    assert (again.name, again.x.tolist(), again.y.tolist()) == ("again", [[1, 0], [0, 1]], [3, 4])


def test_networkx_names_and_kinds_survive() -> None:
    directed = nx.MultiDiGraph([("b", "a"), ("a", "b"), ("b", "b"), ("b", ("c", 1))])
    graph = convert.from_networkx(directed)
    assert graph.node_names.tolist() == ["b", "a", ("c", 1)]
    assert (graph.num_edges, graph.merged_edges, graph.self_loops) == (2, 1, 1)
    assert set(convert.to_networkx(graph).nodes) == {"b", "a", ("c", 1)}


def test_explicit_zeros_are_no_edges() -> None:
    matrix = scipy.sparse.csr_array((np.array([0.0, 1.0]), ([0, 1], [1, 2])), shape=(3, 3))
    assert convert.from_scipy(matrix).edges.tolist() == [[1, 2]]


def test_shapes_that_are_no_graphs_get_a_sentence() -> None:
    with pytest.raises(GraphFormatError, match="an adjacency matrix is square; this one is 2 x 3"):
        convert.from_scipy(scipy.sparse.csr_array((2, 3)))
    with pytest.raises(GraphFormatError, match=r"edge_index has shape \(3, 2\); give \(2, number of edges\)"):
        convert.from_edge_index(np.zeros((3, 2), int))
