"""Recolouring after removing edges equals refining the graph that is left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.orbits.recolour import Recolourer
from edgeorbit.orbits.refine import refine
from oracles import graphs


@given(graph=graphs(), rounds=st.none() | st.integers(0, 3), data=st.data())
def test_recolouring_equals_refining_what_is_left(graph: Graph, rounds: int | None, data: st.DataObject) -> None:
    initial = data.draw(st.sampled_from([None, "degree"]))
    recolourer = Recolourer(graph, rounds, initial)
    for _ in range(3):  # the arrays of one call must not show in the next
        kept = np.array(data.draw(st.lists(st.booleans(), min_size=graph.num_edges, max_size=graph.num_edges)), bool)
        removed = graph.edges[~kept]
        flipped = removed[:, ::-1]
        found = recolourer.recolour(np.concatenate([removed, flipped]))
        left = Graph.from_edges(graph.edges[kept].reshape(-1, 2), graph.num_nodes)
        expected = refine(left, rounds, initial)
        assert np.array_equal(recolourer.graph.indptr, left.indptr)
        assert np.array_equal(recolourer.graph.indices, left.indices)
        assert np.array_equal(found.labels, expected.labels)


def test_recolouring_a_large_graph() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 30_000, (100_000, 2)))
    recolourer = Recolourer(graph, rounds=2)
    for _ in range(3):
        removed = rng.choice(graph.num_edges, 500, replace=False)
        found = recolourer.recolour(graph.edges[removed])
        left = Graph.from_edges(np.delete(graph.edges, removed, axis=0), graph.num_nodes)
        assert np.array_equal(found.labels, refine(left, 2).labels)


def test_the_whole_graph_is_left_alone() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    before = graph.indices.copy()
    Recolourer(graph, rounds=1).recolour([(0, 1)])
    assert np.array_equal(graph.indices, before)


@pytest.mark.parametrize(
    ("removed", "sentence"),
    [
        ([(0, 2)], "graph has no edge between 0 and 2 to remove"),
        ([(0, 9)], "removed edges name a node outside 0 to 2 of graph"),
    ],
)
def test_removing_what_is_not_there_gets_a_sentence(removed: list, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        Recolourer(Graph.from_edges([(0, 1), (1, 2)]), rounds=1).recolour(removed)
