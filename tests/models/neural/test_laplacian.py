"""Laplacian encodings are eigenvectors: the right ones, with a fixed sign, also of graphs in many pieces."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import LimitExceededError
from oracles import graphs, grid_edges, tree_edges

pytest.importorskip("torch_geometric")
from edgeorbit.models.neural import laplacian
from edgeorbit.models.neural.laplacian import laplacian_eigenvectors


def dense_laplacian(graph: Graph) -> np.ndarray:
    made = nx.Graph()
    made.add_nodes_from(range(graph.num_nodes))
    made.add_edges_from(graph.edges.tolist())
    return nx.normalized_laplacian_matrix(made).toarray() if made.number_of_edges() else np.zeros((len(made),) * 2)


def check(graph: Graph, channels: int, tolerance: float) -> None:
    matrix = dense_laplacian(graph)
    values = np.linalg.eigvalsh(matrix)
    positive = values[values > 1e-9][:channels]
    found = laplacian_eigenvectors(graph, channels).astype(np.float64)
    assert found.shape == (graph.num_nodes, channels)
    used = found[:, : len(positive)]
    assert not found[:, len(positive) :].any()
    assert np.allclose(used.T @ used / graph.num_nodes, np.eye(len(positive)), atol=tolerance)
    assert np.allclose(matrix @ used, used * positive, atol=tolerance * np.sqrt(graph.num_nodes))


@given(graphs(), st.integers(1, 25))
@settings(max_examples=80)
def test_columns_are_the_eigenvectors_of_the_smallest_positive_eigenvalues(graph: Graph, channels: int) -> None:
    check(graph, channels, 1e-5)


def test_so_they_are_in_a_large_graph_of_many_components() -> None:
    grid = grid_edges(30, 41)  # no square: its eigenvalues would be multiple
    tree = tree_edges(400, seed=0) + grid.max() + 1
    pairs = np.arange(60).reshape(-1, 2) + tree.max() + 1
    graph = Graph.from_edges(np.concatenate([grid, tree, pairs]), int(pairs.max()) + 50)
    assert np.count_nonzero(graph.degree) > laplacian.DENSE
    check(graph, 12, 1e-2)


def test_components_are_left_out_of_a_large_graph_without_slow_waves() -> None:
    # An expander: all its other eigenvalues are far from 0, so components must be moved away as far as they can be.
    edges = np.random.default_rng(0).integers(0, 600, (12_000, 2))
    graph = Graph.from_edges(np.concatenate([edges[:6000], edges[6000:] + 600]))
    assert np.count_nonzero(graph.degree) > laplacian.DENSE
    check(graph, 12, 1e-2)


def test_the_sparse_and_the_dense_way_agree(monkeypatch) -> None:
    graph = Graph.from_edges(tree_edges(300, seed=1), 310)
    dense = laplacian_eigenvectors(graph, 8)
    monkeypatch.setattr(laplacian, "DENSE", 10)
    monkeypatch.setattr(laplacian, "TOLERANCE", 0)
    assert np.allclose(laplacian_eigenvectors(graph, 8), dense, atol=1e-4)


def test_the_sign_is_fixed_however_the_solver_chose_it(monkeypatch) -> None:
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 60, (150, 2)))
    expected, leading = laplacian_eigenvectors(graph, 10), laplacian._leading
    signs = np.where(np.arange(10) % 2, 1, -1)
    monkeypatch.setattr(laplacian, "_leading", lambda *given: leading(*given) * signs)
    assert np.array_equal(laplacian_eigenvectors(graph, 10), expected)
    first = (np.abs(expected) >= (1 - 1e-3) * np.abs(expected).max(axis=0)).argmax(axis=0)
    assert (expected[first, np.arange(10)] > 0).all()


def test_a_large_graph_gets_the_same_encoding_again() -> None:
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 5000, (12_000, 2)))
    assert np.array_equal(laplacian_eigenvectors(graph, 16), laplacian_eigenvectors(graph, 16))


def test_eigenvectors_that_do_not_converge_get_one_sentence(monkeypatch) -> None:
    import scipy.sparse.linalg

    def fail(*_: object, **__: object) -> None:
        raise scipy.sparse.linalg.ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", fail)
    with pytest.raises(LimitExceededError, match=r"4 eigenvectors .* of 1200 nodes .* take fewer encoding_channels"):
        laplacian_eigenvectors(Graph.from_edges(tree_edges(1200, seed=0)), 4)
