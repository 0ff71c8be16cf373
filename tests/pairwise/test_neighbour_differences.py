"""Differences of neighbourhoods are those of Python's sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.pairwise.common_neighbours import common_neighbours, neighbour_differences
from oracles import graphs


@given(graph=graphs(), data=st.data())
def test_differences_are_those_of_sets(graph: Graph, data: st.DataObject) -> None:
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    neighbours = [set(graph.neighbours(u).tolist()) for u in range(graph.num_nodes)]
    indptr, indices = neighbour_differences(graph, pairs)
    assert len(indptr) == len(pairs) + 1
    for (u, v), low, high in zip(pairs.tolist(), indptr[:-1], indptr[1:], strict=True):
        assert indices[low:high].tolist() == sorted(neighbours[u] - neighbours[v] - {v})


def test_on_a_large_graph_differences_and_common_neighbours_make_up_all_neighbours() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 20_000, (300_000, 2)), 20_000)
    pairs = np.concatenate([graph.edges[:30_000], rng.integers(0, 20_000, (30_000, 2))])
    sizes = np.diff(neighbour_differences(graph, pairs)[0]) + np.diff(common_neighbours(graph, pairs)[0])
    linked = np.array([v in graph.neighbours(u) for u, v in pairs.tolist()])
    same = pairs[:, 0] == pairs[:, 1]
    assert np.array_equal((sizes + linked)[~same], graph.degree[pairs[~same, 0]])
    one, two = (neighbour_differences(graph, pairs, threads=threads) for threads in (1, 2))
    assert np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="node 9"):
        neighbour_differences(Graph.empty(3), [[0, 9]])
