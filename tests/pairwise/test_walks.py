"""Walks are those that powers of the adjacency matrix count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, to_scipy
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.pairwise.walks import SOURCES_PER_THREAD, walk_counts, weigh_walks
from oracles import graphs


def dense_katz(graph: Graph, beta: float, max_length: int) -> np.ndarray:
    adjacency = to_scipy(graph).toarray().astype(np.float64)
    powers = [np.linalg.matrix_power(adjacency, length) for length in range(1, max_length + 1)]
    return sum(beta**length * power for length, power in enumerate(powers, 1))


@given(graph=graphs(), beta=st.sampled_from([0.5, 0.005, 1.0, 0.3]), max_length=st.integers(1, 6), data=st.data())
def test_walks_are_those_of_matrix_powers(graph: Graph, beta: float, max_length: int, data: st.DataObject) -> None:
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    found = weigh_walks(graph, pairs, beta=beta, max_length=max_length)
    assert np.allclose(found, dense_katz(graph, beta, max_length)[pairs[:, 0], pairs[:, 1]], rtol=1e-12, atol=0)
    back = weigh_walks(graph, pairs[:, ::-1], beta=beta, max_length=max_length)
    assert np.array_equal(found, back)


@pytest.mark.parametrize("side", [0, 1])
def test_a_large_graph_from_a_few_sources_on_either_side(side: int) -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 20_000, (200_000, 2)))
    sources = rng.integers(0, 20_000, 5)
    pairs = np.stack([np.repeat(sources, 2000), rng.integers(0, 20_000, 10_000)], axis=1)
    adjacency = to_scipy(graph).astype(np.float64)
    expected, walks = np.zeros(10_000), np.zeros((20_000, 5))
    walks[sources, np.arange(5)] = 1
    for length in (1, 2, 3):
        walks = adjacency @ walks
        expected += 0.005**length * walks[pairs[:, 1], np.repeat(np.arange(5), 2000)]
    if side:
        pairs = pairs[:, ::-1]
    for threads in (1, 2, 3):
        found = weigh_walks(graph, pairs, beta=0.005, max_length=3, threads=threads)
        assert np.allclose(found, expected, rtol=1e-12, atol=0)
    assert (found > 0).mean() > 0.1


def test_no_pairs_and_strangers() -> None:
    assert weigh_walks(Graph.empty(2), [], beta=0.5, max_length=3).shape == (0,)
    with pytest.raises(InvalidParameterError, match="pairs name node 9"):
        weigh_walks(Graph.empty(2), [[0, 9]], beta=0.5, max_length=3)


@given(graphs(), st.integers(1, 6), st.data())
def test_counts_are_entries_of_powers_of_the_adjacency_matrix(graph, length, data):
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    adjacency = to_scipy(graph).toarray().astype(object)
    power, expected = adjacency, np.empty((len(pairs), length), object)
    for step in range(length):
        expected[:, step] = power[pairs[:, 0], pairs[:, 1]]
        power = power @ adjacency
    assert walk_counts(graph, pairs, length).tolist() == expected.tolist()


def test_threads_share_the_sources_of_a_large_graph():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 20_000, (60_000, 2)), 20_000)
    pairs = rng.integers(0, 20_000, (5000, 2))
    counts = walk_counts(graph, pairs, 4, threads=3)
    adjacency = to_scipy(graph).astype(np.int64)
    square = adjacency @ adjacency
    for pair, count in list(zip(pairs, counts, strict=True))[:50]:
        rows = square[[pair[0]]], square[[pair[1]]]
        assert count[1] == rows[0][0, pair[1]]
        assert count[3] == rows[0].multiply(rows[1]).sum()
    assert counts[:, 0].tolist() == adjacency[pairs[:, 0], pairs[:, 1]].tolist()
    assert counts[:, 3].max() > 0
    assert len(np.unique(pairs[:, 0])) > SOURCES_PER_THREAD * 3


def test_numbers_that_might_not_fit_are_refused():
    star = Graph.from_edges(np.stack([np.zeros(99, np.int64), np.arange(1, 100)], axis=1))
    assert walk_counts(star, np.array([[1, 2]]), 8)[0].tolist() == [0, 1, 0, 99, 0, 99**2, 0, 99**3]
    with pytest.raises(LimitExceededError, match="more than 2\\^63 walks of length 12"):
        walk_counts(star, np.array([[1, 2]]), 12)
