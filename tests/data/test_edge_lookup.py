"""Looking up pairs agrees with looking at the neighbours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges

NODES = st.integers(0, 11)


@given(st.lists(st.tuples(NODES, NODES)), st.lists(st.tuples(NODES, NODES), min_size=1))
def test_a_pair_is_an_edge_if_its_nodes_are_neighbours(edges, pairs):
    graph = Graph.from_edges(np.array(edges, int).reshape(-1, 2), 12)
    expected = [v in graph.neighbours(u) for u, v in pairs]
    found = are_edges(graph, np.array(pairs))
    assert found.tolist() == expected
    assert are_edges(graph, np.array([pairs, pairs])).tolist() == [expected, expected]


def test_every_pair_of_a_large_graph_with_hubs():
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(np.stack([rng.integers(0, 5, 40_000), rng.integers(0, 3000, 40_000)], axis=1), 3000)
    pairs = rng.integers(0, 3000, (200_000, 2))
    pairs[:100_000, 0] %= 5
    matrix = np.zeros((3000, 3000), bool)
    matrix[tuple(graph.edge_index)] = True
    assert np.array_equal(are_edges(graph, pairs), matrix[tuple(pairs.T)])
