"""Non-edges by number: each once, all of them, in the right orbit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.negatives.made_splits import as_sets, non_edges
from edgeorbit import Graph
from edgeorbit.data.negatives.non_edges import NonEdges
from edgeorbit.errors import LimitExceededError
from oracles import graphs


@given(graphs(), st.data())
def test_numbers_run_through_exactly_the_non_edges_of_every_orbit(graph, data):
    colours = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=graph.num_nodes, max_size=graph.num_nodes)))
    node = st.integers(0, graph.num_nodes - 1)
    wanted = np.array(data.draw(st.lists(st.tuples(node, node), max_size=8)), np.int64).reshape(-1, 2)
    numbered = NonEdges(graph, colours, wanted)

    orbits = {tuple(sorted(pair)) for pair in colours[wanted].tolist() if min(pair) >= 0}
    of_orbit = {orbit: set() for orbit in sorted(orbits)}
    for pair in non_edges(graph):
        key = tuple(sorted(colours[list(pair)].tolist()))
        if key in of_orbit:
            of_orbit[key].add(pair)
    assert numbered.counts.tolist() == [len(pairs) for pairs in of_orbit.values()]
    for orbit, (key, expected) in enumerate(of_orbit.items()):
        number = np.arange(len(expected))
        found = numbered.at(np.full(len(number), orbit), number)
        assert len(found) == len(expected)
        assert set(as_sets(found)) == expected
        assert (colours[found[:, 0]] == key[0]).all()
        assert (numbered.orbit_of(found) == orbit).all()
    assert ((numbered.orbit_of(wanted) >= 0) == (colours[wanted].min(axis=1, initial=9) >= 0)).all()


@pytest.mark.parametrize("size", [2, 3, 7, 8])
def test_circles_of_odd_and_even_size_have_every_pair_once(size):
    numbered = NonEdges(Graph.empty(size), np.zeros(size, int), np.array([[0, 1]]))
    assert numbered.counts.tolist() == [size * (size - 1) // 2]
    found = numbered.at(np.zeros(numbered.counts[0], int), np.arange(numbered.counts[0]))
    assert set(as_sets(found)) == non_edges(Graph.empty(size))


def test_half_a_million_million_non_edges_are_numbered():
    star = Graph.from_edges(np.stack([np.zeros(5, np.int64), np.arange(1, 6)], axis=1), 10**6)
    numbered = NonEdges(star, np.zeros(10**6, np.int8), np.array([[0, 1]]))
    last = 10**6 * (10**6 - 1) // 2 - 5
    assert numbered.counts.tolist() == [last]
    found = numbered.at(np.zeros(3, int), np.array([0, last // 2, last - 1]))
    assert not set(as_sets(found)) & set(as_sets(star.edges))
    assert (found[:, 0] != found[:, 1]).all()


def test_more_nodes_than_a_float_can_number_pairs_of_are_refused():
    indptr = np.broadcast_to(np.zeros(1, np.int64), 2**27 + 2)  # takes no memory
    with pytest.raises(LimitExceededError, match="134,217,729 nodes"):
        NonEdges(Graph(indptr, np.zeros(0, np.int32)), np.zeros(1), np.zeros((0, 2), int))
