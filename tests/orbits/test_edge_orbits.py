"""Edge orbits and their counts, against counting pairs of colours one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.orbits.edge_orbits import count_alone_when_stable, count_edge_orbits, edge_orbits
from edgeorbit.orbits.refine import refine
from oracles import graphs, naive_orbit_sizes, naive_rounds


@given(graph=graphs(), rounds=st.none() | st.integers(0, 4))
def test_orbit_sizes_are_counts_of_colour_pairs(graph: Graph, rounds: int | None) -> None:
    colouring = refine(graph, rounds)
    orbits = edge_orbits(graph, colouring)
    expected = naive_orbit_sizes(graph, naive_rounds(graph, rounds)[-1])
    assert orbits.sizes.tolist() == expected
    assert orbits.indistinguishable.tolist() == [size > 1 for size in expected]
    assert orbits.num_orbits == len(set(orbits.labels.tolist()))
    assert np.array_equal(orbits.colours[orbits.labels], orbits.colours_of(graph.edges))
    assert np.array_equal(orbits.labels_of(graph.edges), orbits.labels)
    assert orbits.colours.tolist() == sorted(orbits.colours.tolist())


@given(graph=graphs(), rounds=st.none() | st.integers(0, 4))
def test_counting_agrees_with_numbering(graph: Graph, rounds: int | None) -> None:
    colouring = refine(graph, rounds)
    orbits = edge_orbits(graph, colouring)
    alone = ~orbits.indistinguishable
    ends = colouring.labels[graph.edges].reshape(-1, 2)
    within = alone & (ends[:, 0] == ends[:, 1])
    assert count_edge_orbits(graph, colouring) == (orbits.num_orbits, int(alone.sum()), int(within.sum()))


@given(graph=graphs())
def test_the_closed_form_equals_counting_for_stable_colours(graph: Graph) -> None:
    colouring = refine(graph)
    assert count_alone_when_stable(graph, colouring) == count_edge_orbits(graph, colouring)[1:]


@pytest.mark.parametrize("num_edges", [30_000, 60_000, 300_000])
def test_the_closed_form_equals_counting_on_large_graphs(num_edges: int) -> None:
    graph = Graph.from_edges(np.random.default_rng(num_edges).integers(0, 50_000, (num_edges, 2)))
    colouring = refine(graph)
    counts = count_edge_orbits(graph, colouring)
    assert count_alone_when_stable(graph, colouring) == counts[1:]
    assert counts.num_orbits == edge_orbits(graph, colouring).num_orbits
    for rounds in (1, 2):
        colouring = refine(graph, rounds)
        sizes = edge_orbits(graph, colouring).sizes
        assert count_edge_orbits(graph, colouring).alone == np.count_nonzero(sizes == 1)


def test_any_node_pair_has_an_orbit() -> None:
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    orbits = edge_orbits(path, refine(path))
    assert orbits.colours_of([[0, 4]]).tolist() == orbits.colours_of([[4, 0]]).tolist()
    assert orbits.labels_of([[0, 4], [0, 2]]).tolist() == [-1, -1]
    assert orbits.labels_of([[4, 3], [1, 0]]).tolist() == [orbits.labels[0]] * 2
    assert edge_orbits(Graph.empty(3), refine(Graph.empty(3))).labels_of([[0, 1]]).tolist() == [-1]


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([[0, 7]], "node pairs name node 7; the graph has nodes 0 to 2"),
        ([[-1, 0]], "node pairs name node -1; the graph has nodes 0 to 2"),
        ([0, 1], r"node pairs have shape \(2,\); give whole numbers of shape \(k, 2\)"),
        ([[0.5, 1.0]], "give whole numbers"),
    ],
)
def test_bad_pairs_get_a_sentence(pairs: list, sentence: str) -> None:
    path = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(InvalidParameterError, match=sentence):
        edge_orbits(path, refine(path)).colours_of(pairs)


def test_the_colouring_of_another_graph_is_refused() -> None:
    with pytest.raises(
        InvalidParameterError, match="the colouring has 2 nodes and graph has 3; refine this very graph"
    ):
        edge_orbits(Graph.empty(3), refine(Graph.empty(2)))
