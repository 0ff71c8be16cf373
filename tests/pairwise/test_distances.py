"""Shortest distances up to a bound, against networkx and scipy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import edgeorbit as eo
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.distances import distances
from tests.oracles import graphs, grid_edges


@given(graph=graphs(), bound=st.integers(1, 8))
def test_all_pairs_have_the_distances_of_networkx_up_to_the_bound(graph: Graph, bound: int) -> None:
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    found = dict(nx.all_pairs_shortest_path_length(eo.to_networkx(graph)))
    expected = [min(found[u].get(v, bound + 1), bound + 1) for u, v in pairs.tolist()]
    assert distances(graph, pairs, bound=bound).tolist() == expected


def test_pairs_of_a_large_graph_have_the_distances_of_scipy() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(np.concatenate([grid_edges(200, 300), rng.integers(0, 60_000, (300, 2))]), 60_010)
    pairs = rng.integers(0, graph.num_nodes, (400, 2))
    pairs[::2, 1] = np.minimum(pairs[::2, 0] + rng.integers(0, 40, 200), graph.num_nodes - 1)
    found = scipy.sparse.csgraph.dijkstra(eo.to_scipy(graph), unweighted=True, indices=pairs[:40, 0])
    expected = np.minimum(found[np.arange(40), pairs[:40, 1]], 101)
    values = distances(graph, pairs, bound=100, threads=1)
    assert np.array_equal(values[:40], expected)
    assert np.array_equal(values, distances(graph, pairs, bound=100, threads=3))


def test_a_bound_below_one_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="bound must be >= 1, got 0"):
        distances(Graph.empty(2), [[0, 1]], bound=0)
