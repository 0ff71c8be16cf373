"""Personalised PageRank solves its equation, within the tolerance, and as networkx does."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, to_networkx, to_scipy
from edgeorbit.errors import InvalidParameterError
from edgeorbit.pairwise import pagerank as module
from edgeorbit.pairwise.pagerank import personalised_pagerank, push_pagerank
from oracles import graphs, grid_edges, relabelled


def all_pairs(graph: Graph) -> np.ndarray:
    return np.stack(np.divmod(np.arange(graph.num_nodes**2), graph.num_nodes), axis=1)


def dense_pagerank(graph: Graph, alpha: float) -> np.ndarray:
    """From every node (row) to every node, by solving linear equations; an isolated node keeps its walk."""
    degree = graph.degree
    steps = to_scipy(graph).toarray() / np.maximum(degree, 1)[:, None]
    steps[degree == 0, degree == 0] = 1
    return alpha * np.linalg.inv(np.eye(graph.num_nodes) - (1 - alpha) * steps)


@given(graph=graphs(), alpha=st.floats(0.02, 0.98), tolerance=st.sampled_from([1.0, 1e-2, 1e-6]))
def test_values_are_within_the_tolerance_of_the_solution(graph: Graph, alpha: float, tolerance: float) -> None:
    pairs = all_pairs(graph)
    found = personalised_pagerank(graph, pairs, alpha=alpha, tolerance=tolerance)
    expected = dense_pagerank(graph, alpha)[pairs[:, 0], pairs[:, 1]]
    allowed = tolerance * graph.degree[pairs[:, 1]] / max(1, len(graph.indices))
    assert (np.abs(found - expected) <= allowed + 1e-12).all()


@settings(max_examples=30)
@given(graph=graphs(max_nodes=12))
def test_values_are_those_of_networkx(graph: Graph) -> None:
    other = to_networkx(graph)
    for source in range(0, graph.num_nodes, 5):
        expected = nx.pagerank(other, alpha=0.85, personalization={source: 1}, tol=1e-12, max_iter=1000)
        pairs = [[source, target] for target in range(graph.num_nodes)]
        found = personalised_pagerank(graph, pairs, alpha=0.15, tolerance=1e-9)
        assert np.allclose(found, [expected[target] for target in range(graph.num_nodes)], atol=1e-9)


@given(graph=graphs(max_nodes=25, max_pairs=80), data=st.data())
def test_renumbering_the_nodes_renumbers_the_values(graph: Graph, data: st.DataObject) -> None:
    permutation = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    pairs = all_pairs(graph)
    found = personalised_pagerank(graph, pairs, alpha=0.15, tolerance=1e-3)
    again = personalised_pagerank(relabelled(graph, permutation), permutation[pairs], alpha=0.15, tolerance=1e-3)
    assert np.array_equal(found, again)


def test_nodes_that_look_alike_from_the_source_have_equal_values() -> None:
    side = 101
    graph = Graph.from_edges(grid_edges(side, side))
    middle = graph.num_nodes // 2
    values = personalised_pagerank(
        graph, [[middle, target] for target in range(graph.num_nodes)], alpha=0.15, tolerance=1e-3
    )
    square = values.reshape(side, side)
    for turned in (square.T, square[::-1], square[:, ::-1]):
        assert np.array_equal(square, turned)


def test_a_large_graph_agrees_with_the_power_iteration() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.zipf(1.6, (60_000, 2)) % 10_000, 10_000)
    sources = rng.choice(10_000, 40, replace=False)
    pairs = np.stack([np.repeat(sources, 50), rng.integers(0, 10_000, 2000)], axis=1)
    degree = graph.degree
    start = np.zeros((10_000, 40))
    start[sources, np.arange(40)] = 1
    walk, adjacency = start.copy(), to_scipy(graph).astype(np.float64)
    for _ in range(120):
        walk = 0.15 * start + 0.85 * (adjacency @ (walk / np.maximum(degree, 1)[:, None]))
    walk[:, degree[sources] == 0] = start[:, degree[sources] == 0]
    expected = walk[pairs[:, 1], np.repeat(np.arange(40), 50)]
    for threads in (1, 2):
        found = personalised_pagerank(graph, pairs, alpha=0.15, tolerance=1e-3, threads=threads)
        assert (np.abs(found - expected) <= 1e-3 * degree[pairs[:, 1]] / len(graph.indices) + 1e-9).all()


def test_neither_threads_nor_other_pairs_nor_memory_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 300, (500, 2)), 320)
    pairs = rng.integers(0, 320, (400, 2))
    options = {"alpha": 0.15, "tolerance": 1e-3}
    whole = personalised_pagerank(graph, pairs, **options, threads=1)
    for threads in (2, 5):
        assert np.array_equal(personalised_pagerank(graph, pairs, **options, threads=threads), whole)
    parts = [personalised_pagerank(graph, pairs[low : low + 37], **options) for low in range(0, 400, 37)]
    assert np.array_equal(np.concatenate(parts), whole)
    for size in (1, 3):
        monkeypatch.setattr(module, "BYTES_PER_THREAD", size * 16 * 320)
        assert np.array_equal(personalised_pagerank(graph, pairs, **options), whole)


def test_no_pairs_isolated_nodes_and_strangers() -> None:
    options = {"alpha": 0.15, "tolerance": 1e-3}
    assert personalised_pagerank(Graph.empty(2), [], **options).shape == (0,)
    assert personalised_pagerank(Graph.empty(2), [[0, 0], [0, 1]], **options).tolist() == [1.0, 0.0]
    graph = Graph.from_edges([[0, 1]], num_nodes=3)
    assert personalised_pagerank(graph, [[2, 2], [2, 0], [0, 2]], **options).tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(InvalidParameterError, match="pairs name node 2"):
        personalised_pagerank(Graph.empty(2), [[0, 2]], **options)


@given(graphs(max_nodes=12), st.sampled_from([5e-5, 1e-2, 0.2]))
def test_pushed_pagerank_is_below_the_exact_one_by_no_more_than_it_may(graph, tolerance):
    nodes = np.arange(graph.num_nodes)
    rows, exact = push_pagerank(graph, nodes, alpha=0.15, tolerance=tolerance), dense_pagerank(graph, 0.15)
    for node in nodes:
        here = slice(rows.indptr[node], rows.indptr[node + 1])
        found = np.zeros(graph.num_nodes)
        found[rows.indices[here]] = rows.values[here]
        missing = exact[node] - found
        if graph.degree[node] == 0:
            assert found[node] == 0.15  # the walk has nowhere to go
            continue
        assert (missing >= -1e-12).all()
        assert (missing <= tolerance * graph.degree + 1e-12).all()


def test_threads_do_not_change_pushed_pagerank():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 5000, (20_000, 2)), 5000)
    one, three = (
        push_pagerank(graph, np.arange(0, 5000, 7), alpha=0.15, tolerance=5e-5, threads=threads) for threads in (1, 3)
    )
    assert all((a == b).all() for a, b in zip(one, three, strict=True))
