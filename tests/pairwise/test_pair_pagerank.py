"""PageRank that is pushed from both nodes of a pair, against the solution of the linear system."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pagerank import personalised_pagerank, push_pagerank
from edgeorbit.pairwise.pair_pagerank import pair_pagerank
from tests.oracles import graphs, grid_edges, relabelled


def solved(graph: Graph, alpha: float) -> np.ndarray:
    """PageRank from every node to every other by a linear system."""
    step = np.zeros((graph.num_nodes,) * 2)
    for u, v in graph.edges.tolist():
        step[u, v], step[v, u] = 1 / graph.degree[u], 1 / graph.degree[v]
    step[graph.degree == 0, graph.degree == 0] = 1.0
    return alpha * np.linalg.inv(np.eye(len(step)) - (1 - alpha) * step)


@given(graph=graphs(), alpha=st.sampled_from([0.05, 0.15, 0.5]), tolerance=st.sampled_from([1e-2, 1e-4]))
def test_values_are_below_the_exact_ones_by_at_most_the_tolerance_times_the_degree(
    graph: Graph, alpha: float, tolerance: float
) -> None:
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    values, exact = pair_pagerank(graph, pairs, alpha=alpha, tolerance=tolerance), solved(graph, alpha)
    for value, (first, second) in ((values[:, 0], pairs.T), (values[:, 1], pairs.T[::-1])):
        missing = exact[first, second] - value
        assert (missing > -1e-9).all() and (missing < tolerance * np.maximum(graph.degree[second], 1) + 1e-9).all()


def test_a_small_tolerance_gives_the_exact_values_of_a_large_graph() -> None:
    graph = Graph.from_edges(np.concatenate([grid_edges(150, 200), [[0, 15_000], [7, 29_999]]]))
    pairs = np.array([[0, 15_000], [3, 3], [14_000, 14_007], [29_990, 7]])
    exact = personalised_pagerank(graph, pairs, alpha=0.15, tolerance=1e-6)
    assert np.allclose(pair_pagerank(graph, pairs, alpha=0.15, tolerance=1e-7)[:, 0], exact, rtol=1e-3)


def test_both_nodes_reach_further_than_one() -> None:
    path = Graph.from_edges([[i, i + 1] for i in range(100)])
    alone = push_pagerank(path, np.array([40]), alpha=0.15, tolerance=1e-3)
    further = int(alone.indices.max()) + 5
    value = pair_pagerank(path, [[40, further]], alpha=0.15, tolerance=1e-3)[0, 0]
    assert 0 < value <= solved(path, 0.15)[40, further] + 1e-12


@given(graph=graphs(max_pairs=60), seed=st.integers(0, 99), tolerance=st.sampled_from([2e-3, 1e-2, 2e-2]))
def test_values_are_the_same_to_the_bit_however_nodes_are_numbered(graph: Graph, seed: int, tolerance: float) -> None:
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    number = np.random.default_rng(seed).permutation(graph.num_nodes)
    values = pair_pagerank(graph, pairs, alpha=0.15, tolerance=tolerance)
    again = pair_pagerank(relabelled(graph, number), number[pairs], alpha=0.15, tolerance=tolerance)
    assert np.array_equal(values, again)


def test_values_are_the_same_however_nodes_are_numbered_and_shared_among_threads() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges((900 * rng.random((4000, 2)) ** 2).astype(np.int64), 1000)
    pairs, number = rng.integers(0, 1000, (500, 2)), rng.permutation(1000)
    options = {"alpha": 0.15, "tolerance": 1e-3}
    values = pair_pagerank(graph, pairs, **options, threads=1)
    assert np.array_equal(values, pair_pagerank(graph, pairs, **options, threads=3))
    assert np.array_equal(values, pair_pagerank(relabelled(graph, number), number[pairs], **options))
    turned = pair_pagerank(graph, pairs[:, ::-1], **options)[:, ::-1]
    assert np.allclose(values, turned, rtol=1e-9, atol=1e-14)


def test_pairs_of_unknown_nodes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="pairs name node 9"):
        pair_pagerank(Graph.empty(3), [[0, 9]], alpha=0.15, tolerance=1e-3)
