"""Added edges: new, spread over the copies as asked, nested, and away from twins."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Origin
from edgeorbit.graph.node_pairs import are_among, pair_keys
from edgeorbit.synthetic import make
from edgeorbit.synthetic.generators import disjoint_copies
from edgeorbit.synthetic.moves import AddedEdges
from oracles import graphs


def free_pairs(graph: Graph) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """All pairs that could be added, by trying every one: within copies, and between them."""
    edges, twin_of = set(map(tuple, graph.edges.tolist())), graph.origin.twin_of.tolist()
    fixed = {node for node, other in enumerate(twin_of) if other >= 0} | set(twin_of)
    pairs = {pair for pair in combinations(range(graph.num_nodes), 2) if pair not in edges and fixed.isdisjoint(pair)}
    between = {(u, v) for u, v in pairs if graph.origin.copy[u] != graph.origin.copy[v]}
    return pairs - between, between


def largest_count(within: int, between: int, inter: Fraction) -> int:
    """How many edges can be added: counted up one by one."""
    count = 0
    while True:
        wanted = math.floor((count + 1) * inter)
        if wanted > between or count + 1 - wanted > within:
            return count
        count += 1


@st.composite
def copied(draw: st.DrawFn) -> Graph:
    """Copies of a small graph, with or without twins."""
    graph = draw(graphs(max_nodes=7, max_pairs=14))
    graph = disjoint_copies(graph, draw(st.integers(1, 3)))
    twins = draw(st.integers(0, 3))
    return make("twins", of=graph, twins=min(twins, int((graph.degree > 0).sum()))) if graph.num_edges else graph


shares = st.integers(0, 100).map(lambda percent: percent / 100)


@given(graph=copied(), inter=shares, seed=st.integers(0, 99))
def test_edges_are_new_and_every_beginning_has_exactly_the_wanted_share_between_copies(graph, inter, seed) -> None:
    inter = inter if graph.origin.num_copies > 1 else 0.0
    within, between = free_pairs(graph)
    sequence = AddedEdges(graph, graph.origin, inter, seed)
    assert sequence.room == largest_count(len(within), len(between), Fraction(round(100 * inter), 100))
    edges = [tuple(edge) for edge in sequence.first(sequence.room).tolist()]
    assert len(set(edges)) == len(edges) == sequence.room
    assert set(edges) <= within | between
    for count in range(len(edges) + 1):
        assert sum(edge in between for edge in edges[:count]) == math.floor(Fraction(round(100 * inter), 100) * count)
    if inter == 0:
        assert set(edges) == within
    if inter == 1:
        assert set(edges) == between
    with pytest.raises(InvalidParameterError, match=f"has room for {sequence.room:,} added edges, not"):
        sequence.first(sequence.room + 1)


@given(graph=copied(), inter=shares, seed=st.integers(0, 9), data=st.data())
def test_fewer_edges_are_the_first_of_more_whatever_was_asked_before(graph, inter, seed, data) -> None:
    inter = inter if graph.origin.num_copies > 1 else 0.0
    whole = AddedEdges(graph, graph.origin, inter, seed)
    everything = whole.first(whole.room).tolist()
    sequence = AddedEdges(graph, graph.origin, inter, seed)
    for count in data.draw(st.lists(st.integers(0, whole.room), max_size=4)):
        assert sequence.first(count).tolist() == everything[:count]
    total = data.draw(st.integers(0, whole.room))
    skipped = data.draw(st.sets(st.integers(0, total - 1))) if total else set()
    left = [edge for place, edge in enumerate(everything[:total]) if place not in skipped]
    assert sequence.first(len(left), skipped).tolist() == left


def test_shares_that_floating_point_cannot_hold_are_kept_too() -> None:
    graph = disjoint_copies(Graph.empty(400))
    for inter in (0.29, 0.57, 0.58, 0.07, 0.1, 1 / 3, 0.999):
        edges = AddedEdges(graph, graph.origin, inter, 0).first(10_000)
        between = np.cumsum((edges // 400)[:, 0] != (edges // 400)[:, 1])
        exact = Fraction(inter).limit_denominator(1000)
        assert between.tolist() == [math.floor(exact * count) for count in range(1, 10_001)]


def test_a_share_that_is_next_to_nothing_is_no_error() -> None:
    graph = disjoint_copies(Graph.empty(4))
    for inter in (5e-324, 1e-300, 1e-12, 1 - 2**-53):
        assert AddedEdges(graph, graph.origin, inter, 0).room in (12, 16)


@pytest.mark.parametrize("filled", [0.0, 0.3, 0.7])
def test_every_free_pair_is_equally_likely(filled: float) -> None:
    chosen = np.random.default_rng(0).permutation(np.array(list(combinations(range(9), 2))))
    one = Graph.from_edges(chosen[: round(filled * len(chosen))], 9)
    graph = disjoint_copies(one)
    for pairs, inter in zip(free_pairs(graph), (0.0, 1.0), strict=True):
        counts: Counter[tuple[int, int]] = Counter()
        trials = 200
        for seed in range(trials):
            counts.update(map(tuple, AddedEdges(graph, graph.origin, inter, seed).first(3).tolist()))
        assert set(counts) <= pairs
        expected = 3 * trials / len(pairs)
        assert sum((counts[pair] - expected) ** 2 / expected for pair in pairs) < len(pairs) + 6 * len(pairs) ** 0.5


def test_between_copies_is_full_only_when_every_pair_is_taken() -> None:
    graph = disjoint_copies(Graph.empty(3), 3)
    sequence = AddedEdges(graph, graph.origin, 1.0, 4)
    found = Graph.from_edges(sequence.first(27), 9)
    assert nx.is_isomorphic(nx.Graph(found.edges.tolist()), nx.complete_multipartite_graph(3, 3, 3))


@pytest.mark.parametrize("missing", [1, 30])
def test_the_last_gaps_of_a_dense_graph_are_found(missing: int) -> None:
    pairs = np.stack(np.triu_indices(600, 1), axis=1)
    gaps = np.random.default_rng(0).permutation(len(pairs))[:missing]
    graph = Graph.from_edges(np.delete(pairs, gaps, axis=0), 600)
    found = AddedEdges(graph, Origin.plain(graph.num_nodes, graph.num_edges), 0.0, 0).first(missing)
    assert set(map(tuple, found.tolist())) == set(map(tuple, pairs[gaps].tolist()))


def test_many_small_copies_are_filled_to_the_last_pair() -> None:
    graph = disjoint_copies(Graph.from_edges([[0, 1], [1, 2]]), 20_000)
    found = AddedEdges(graph, graph.origin, 0.0, 0).first(20_000)
    assert np.array_equal(np.sort(found[:, 0]), 3 * np.arange(20_000))
    assert np.array_equal(found[:, 1] - found[:, 0], np.full(20_000, 2))


def test_another_seed_adds_other_edges() -> None:
    graph = disjoint_copies(Graph.empty(100))
    firsts = {tuple(AddedEdges(graph, graph.origin, 0.5, seed).first(2).ravel().tolist()) for seed in range(30)}
    assert len(firsts) == 30


def test_a_graph_without_room_says_so() -> None:
    complete = Graph.from_edges(list(combinations(range(5), 2)), name="complete")
    sequence = AddedEdges(complete, Origin.plain(5, 10), 0.0, 0)
    assert sequence.room == 0 and sequence.first(0).shape == (0, 2)
    with pytest.raises(InvalidParameterError, match=r"^complete has room for 0 added edges, not 1; ask for fewer$"):
        sequence.first(1)
    with pytest.raises(InvalidParameterError, match="not 100,000,000,000,000,000,000; ask for fewer"):
        sequence.first(10**20)


@given(keys=st.lists(st.integers(0, 30)), others=st.sets(st.integers(0, 30)))
def test_membership_is_that_of_sets(keys: list[int], others: set[int]) -> None:
    found = are_among(np.array(keys, np.int64), np.array(sorted(others), np.int64))
    assert found.tolist() == [key in others for key in keys]


@given(num_nodes=st.integers(1, 2**31 - 1), data=st.data())
def test_keys_tell_all_pairs_apart_and_not_their_direction(num_nodes: int, data: st.DataObject) -> None:
    ends = st.integers(0, num_nodes - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends), min_size=1, max_size=6))
    keys = pair_keys(*np.array(pairs, np.int32).T, num_nodes).tolist()
    assert keys == [min(pair) * num_nodes + max(pair) for pair in pairs]
