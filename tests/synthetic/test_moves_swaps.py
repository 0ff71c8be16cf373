"""Swaps: every degree stays, no edge is doubled, and exactly two edges are new with every swap."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Origin
from edgeorbit.synthetic import make
from edgeorbit.synthetic.moves import Swaps
from oracles import graphs, grid_edges, naive_rounds

Pairs = set[tuple[int, int]]


def swaps_of(graph: Graph, seed: int = 0) -> Swaps:
    return Swaps(graph, graph.origin or Origin.plain(graph.num_nodes, graph.num_edges), seed)


def as_set(edges: np.ndarray) -> Pairs:
    return {(min(pair), max(pair)) for pair in edges.tolist()}


def is_a_swap_possible(edges: Pairs) -> bool:
    """By trying all of them."""
    for (a, b), (c, d) in combinations(edges, 2):
        for p, q in ((c, d), (d, c)):
            new = {(min(a, q), max(a, q)), (min(p, b), max(p, b))}
            if len(new) == 2 and a != q and p != b and not new & edges:
                return True
    return False


@given(graph=graphs(max_nodes=14), seed=st.integers(0, 99))
def test_swaps_keep_every_degree_and_make_two_new_edges_each(graph: Graph, seed: int) -> None:
    swaps = swaps_of(graph, seed)
    before = as_set(graph.edges)
    room = swaps.room(10**9)
    assert (room > 0) == is_a_swap_possible(before)
    assert room <= graph.num_edges // 2
    last = before
    for count in range(room + 1):
        edges, new = swaps.first(count)
        after = as_set(edges)
        assert len(after) == len(edges) == graph.num_edges
        assert all(u != v for u, v in after)
        assert np.array_equal(np.bincount(edges.ravel(), minlength=graph.num_nodes), graph.degree)
        assert len(after - before) == 2 * count == new.sum()
        assert as_set(edges[new]) == after - before
        assert np.array_equal(edges[~new], graph.edges[~new])
        if count:
            assert (len(last - after), len(after - last)) == (2, 2)
            ends = [sorted(node for pair in pairs for node in pair) for pairs in (last - after, after - last)]
            assert ends[0] == ends[1]
            assert after - before >= last - before
        last = after


@given(graph=graphs(max_nodes=12), seed=st.integers(0, 9), asked=st.lists(st.integers(0, 12), max_size=4))
def test_the_swaps_do_not_depend_on_what_was_asked_before(graph: Graph, seed: int, asked: list[int]) -> None:
    whole, swaps = swaps_of(graph, seed), swaps_of(graph, seed)
    room = whole.room(100)
    for count in asked:
        assert swaps.room(count) == min(count, room)
        if count <= room:
            assert np.array_equal(swaps.first(count)[0], whole.first(count)[0])


def test_all_edges_of_a_large_graph_can_be_swapped() -> None:
    graph = Graph.from_edges(grid_edges(100, 100))
    swaps = swaps_of(graph)
    edges, new = swaps.first(graph.num_edges // 2)
    assert new.all() and not as_set(edges) & as_set(graph.edges)
    assert np.array_equal(np.bincount(edges.ravel()), graph.degree)


def test_another_seed_swaps_other_edges() -> None:
    graph = Graph.from_edges(grid_edges(10, 10))
    assert len({frozenset(as_set(swaps_of(graph, seed).first(1)[0])) for seed in range(30)}) == 30


def star(leaves: int, pairs: int) -> Graph:
    """A star, some of whose leaves are joined in pairs: only such edges can be swapped, with each other."""
    hub = [(0, leaf) for leaf in range(1, leaves + 1)]
    return Graph.from_edges([*hub, *((2 * i + 1, 2 * i + 2) for i in range(pairs))], name="star")


def test_a_rare_partner_is_found() -> None:
    for seed in range(8):
        assert swaps_of(star(150, 2), seed).room(10) == 1


def test_a_search_that_was_given_up_stays_given_up() -> None:
    for seed in range(2):
        swaps = swaps_of(star(3000, 10), seed)
        assert len({swaps.room(1000) for _ in range(10)}) == 1


def test_more_swaps_than_the_graph_allows_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"^star: 0 swaps .* were found, not 1; ask for fewer$"):
        swaps_of(star(30, 0)).first(1)
    with pytest.raises(InvalidParameterError, match=r"^star: 1 swaps .* were found, not 2,000; ask for fewer$"):
        swaps_of(star(30, 2)).first(2000)
    assert swaps_of(Graph.from_edges([[0, 1]])).room(5) == 0


@pytest.mark.parametrize("part", ["node", "pendant"])
@pytest.mark.parametrize("seed", range(3))
def test_twins_of_the_source_stay_twins(part: str, seed: int) -> None:
    source = make("lobster", length=15, twins=8, part=part, seed=seed)
    swapped = make("twins", of=source, swaps=9, seed=seed)
    colours = naive_rounds(swapped)[-1]
    twins = np.flatnonzero(swapped.origin.twin_of >= 0)
    assert len(twins) >= 8
    assert all(colours[twin] == colours[swapped.origin.twin_of[twin]] for twin in twins)
