"""Walk counts against powers of the adjacency matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.negatives.made_splits import as_sets
from edgeorbit import Graph
from edgeorbit.data.negatives.walks import SOURCES_PER_THREAD, walk_counts
from edgeorbit.errors import LimitExceededError
from edgeorbit.graph.convert import to_scipy
from oracles import graphs


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
    edges = set(as_sets(graph.edges))
    assert counts[:, 0].tolist() == [pair in edges for pair in as_sets(pairs)]
    assert counts[:, 3].max() > 0
    assert len(np.unique(pairs[:, 0])) > SOURCES_PER_THREAD * 3


def test_numbers_that_might_not_fit_are_refused():
    star = Graph.from_edges(np.stack([np.zeros(99, np.int64), np.arange(1, 100)], axis=1))
    assert walk_counts(star, np.array([[1, 2]]), 8)[0].tolist() == [0, 1, 0, 99, 0, 99**2, 0, 99**3]
    with pytest.raises(LimitExceededError, match="more than 2\\^63 walks of length 12"):
        walk_counts(star, np.array([[1, 2]]), 12)
