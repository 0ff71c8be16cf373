"""Training negatives: from the training graph alone, anew in every epoch, of the kind that was asked for."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.negatives.made_splits import as_sets, chi_square, non_edges
from edgeorbit import Graph
from edgeorbit.data.negatives import NegativeSampler
from edgeorbit.data.splits import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import to_scipy
from edgeorbit.graph.toys import karate
from oracles import graphs, naive_rounds

KINDS = ("random", "orbit", "heart")


@given(graphs(max_nodes=12), st.sampled_from(KINDS), st.booleans(), st.integers(0, 9))
def test_negatives_are_non_edges_of_the_training_graph(graph, kind, exclude_isolated, seed):
    available = non_edges(graph)
    if exclude_isolated:
        available = {pair for pair in available if all(graph.degree[node] for node in pair)}
    if not available:
        with pytest.raises(InvalidParameterError, match="no non-edges"):
            NegativeSampler(graph, kind, seed, exclude_isolated=exclude_isolated)
        return
    rounds = seed % 3 if kind == "orbit" else None
    sampler = NegativeSampler(graph, kind, seed, exclude_isolated=exclude_isolated, rounds=rounds)
    pairs = sampler.sample(60, epoch=3)
    assert pairs.shape == (60, 2)
    assert set(as_sets(pairs)) <= available
    assert (pairs[:, 0] < pairs[:, 1]).all()


@given(graphs(max_nodes=12), st.sampled_from([None, 0, 1]))
def test_an_orbit_negative_has_the_colours_of_its_positive_where_there_is_one(graph, rounds):
    available = non_edges(graph)
    assume(available and graph.num_edges)
    colours = np.array(naive_rounds(graph, rounds)[-1])
    positives = np.repeat(graph.edges, 3, axis=0)
    sampler = NegativeSampler(graph, "orbit", rounds=rounds)
    pairs = sampler.sample(len(positives), 0, positives=positives)
    of_orbit = {tuple(sorted(colours[list(pair)])) for pair in available}
    has_any = [tuple(sorted(colours[edge])) in of_orbit for edge in positives]
    assert sampler.covered == pytest.approx(np.mean(has_any))
    for edge, pair, right in zip(positives, pairs, has_any, strict=True):
        assert not right or sorted(colours[pair]) == sorted(colours[edge])


def test_a_hard_negative_is_drawn_in_proportion_to_resource_allocation():
    graph = karate()
    edge = np.array([[0, 31]])
    adjacency = to_scipy(graph).toarray().astype(float)
    allocation = adjacency @ np.diag(1 / graph.degree) @ adjacency
    allocation[(adjacency > 0) | np.eye(34, dtype=bool)] = 0
    pairs = NegativeSampler(graph, "heart").sample(40_000, 0, positives=np.tile(edge, (40_000, 1)))
    for kept in edge[0]:
        mine = pairs[(pairs == kept).any(axis=1) & ~(pairs == edge.sum() - kept).any(axis=1)]
        other = mine.sum(axis=1) - kept
        expected = allocation[kept] / allocation[kept].sum() * len(mine)
        counts = np.bincount(other, minlength=34)
        assert len(mine) > 19_000
        assert counts[expected == 0].sum() < 100  # random ones, after 32 walks in vain
        likely = expected > 50
        total = counts[likely].sum()
        assert abs(chi_square(counts[likely], expected[likely] / expected[likely].sum() * total)) < 4


def test_random_negatives_are_equally_likely():
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [0, 4]], 6)
    pairs = NegativeSampler(graph).sample(50_000, 0)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    assert set(as_sets(found)) == non_edges(graph)
    assert abs(chi_square(counts, np.full(11, 50_000 / 11))) < 4


@pytest.mark.parametrize("kind", KINDS)
def test_epochs_batches_and_seeds_differ_and_the_same_ones_repeat(kind):
    graph = karate()
    sampler = NegativeSampler(graph, kind)
    first = sampler.sample(200, 0)
    assert (first == NegativeSampler(graph, kind).sample(200, 0)).all()
    assert (first == sampler.sample(200, 0)).all()
    for other in (
        sampler.sample(200, 1),
        sampler.sample(200, 0, batch=1),
        NegativeSampler(graph, kind, seed=1).sample(200, 0),
    ):
        assert (first != other).any()


@pytest.mark.parametrize("kind", KINDS)
def test_held_out_edges_change_nothing_and_may_be_drawn(kind):
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0], [4, 5]])
    one = LinkSplit(graph, np.array([[0, 2]]), np.array([[1, 3]]))
    other = LinkSplit(graph, np.array([[0, 4]]), np.array([[2, 5]]))
    drawn = [NegativeSampler(split.graph, kind).sample(300, 0) for split in (one, other)]
    assert (drawn[0] == drawn[1]).all()
    assert frozenset([0, 2]) in as_sets(drawn[0])


def test_a_million_pairs_of_a_large_graph():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 50_000, (200_000, 2)), 50_000)
    edges = graph.edges @ np.array([50_000, 1])
    for kind in KINDS:
        sampler = NegativeSampler(graph, kind, rounds=1 if kind == "orbit" else None)
        pairs = sampler.sample(10**6, 0)
        assert not np.isin(pairs @ np.array([50_000, 1]), edges).any()
        assert (pairs[:, 0] < pairs[:, 1]).all()


def test_what_cannot_be_is_refused():
    graph = karate()
    with pytest.raises(InvalidParameterError, match="'hard' are unknown; choose from random, orbit, heart"):
        NegativeSampler(graph, "hard")
    with pytest.raises(InvalidParameterError, match="rounds are for orbit negatives"):
        NegativeSampler(graph, "random", rounds=2)
    with pytest.raises(InvalidParameterError, match=r"shape \(3, 2\); give one edge for each of 4"):
        NegativeSampler(graph, "heart").sample(4, 0, positives=graph.edges[:3])
    with pytest.raises(InvalidParameterError, match="from 0, not -1"):
        NegativeSampler(graph).sample(-1, 0)
    with pytest.raises(InvalidParameterError, match="no non-edges among its 3 nodes"):
        NegativeSampler(Graph.from_edges([[0, 1], [1, 2], [2, 0]]))
