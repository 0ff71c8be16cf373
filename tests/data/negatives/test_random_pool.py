"""Random negatives: non-edges, different, uniform, as many as asked for."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.negatives.made_splits import as_sets, chi_square, non_edges, splits
from edgeorbit import Graph
from edgeorbit.data.negatives import random_negatives
from edgeorbit.data.splits import LinkSplit
from edgeorbit.errors import InvalidParameterError


@given(splits(), st.floats(0.3, 3), st.integers(0, 9))
def test_a_pool_is_different_non_edges_of_what_may_be_known(split, ratio, seed):
    seen = Graph.from_edges(np.concatenate([split.graph.edges, split.valid]), split.graph.num_nodes)
    available = {"valid": non_edges(seen), "test": non_edges(split.whole)}
    sizes = {part: len(split.positives(part)) for part in ("valid", "test")}
    wanted = {part: max(1, round(ratio * size)) if size else 0 for part, size in sizes.items()}
    short = next((part for part, count in wanted.items() if count > len(available[part])), None)
    if short is not None:
        with pytest.raises(InvalidParameterError, match=f"has {len(available[short])} non-edges, too few"):
            random_negatives(split, seed, ratio)
        return
    negatives = random_negatives(split, seed, ratio)
    for part, count in wanted.items():
        pairs = negatives.of(part)
        assert pairs.shape == (count, 2)
        assert pairs.dtype == np.int64
        assert len(set(as_sets(pairs))) == count
        assert set(as_sets(pairs)) <= available[part]
        assert (pairs[:, 0] < pairs[:, 1]).all()


@given(splits())
def test_every_non_edge_of_a_dense_graph_is_found(split):
    available = non_edges(split.whole)
    assume(len(split.test) and available)
    split = LinkSplit(split.graph, split.valid[:0], np.concatenate([split.valid, split.test]))
    negatives = random_negatives(split, 0, len(available) / len(split.test))
    assert set(as_sets(negatives.test)) == available


def test_non_edges_are_equally_likely():
    # Six nodes, three of them with edges: 12 non-edges, 4 drawn each time.
    graph = Graph.from_edges([[0, 1]], 6)
    split = LinkSplit(graph, np.array([[1, 2]]), np.array([[0, 2], [2, 3], [3, 4], [4, 5]])[:1])
    available = sorted(map(sorted, non_edges(split.whole)))
    counts = np.zeros(len(available))
    for seed in range(1000):
        for pair in random_negatives(split, seed, 4.0).test.tolist():
            counts[available.index(pair)] += 1
    assert counts.sum() == 4_000
    # Drawn without replacement, counts vary less than independent ones, so only an excess would be wrong.
    assert chi_square(counts, np.full(len(available), 4_000 / len(available))) < 3


def test_parts_and_seeds_differ_and_a_seed_repeats():
    split = LinkSplit(Graph.empty(100), np.array([[0, 1]] * 50), np.array([[0, 1]] * 50))
    first, again, other = (random_negatives(split, seed) for seed in (0, 0, 1))
    assert (first.valid == again.valid).all()
    assert (first.test == again.test).all()
    assert (first.valid != first.test).any()
    assert (first.test != other.test).any()


def test_a_million_negatives_of_a_large_graph():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 100_000, (500_000, 2)), 100_000)
    edges = graph.edges.astype(np.int64)
    split = LinkSplit(graph, edges[:0], edges)
    pairs = random_negatives(split, 0, 10**6 / len(edges)).test
    keys = pairs @ np.array([100_000, 1])
    assert len(np.unique(keys)) == len(keys) == 10**6
    assert not np.isin(keys, edges @ np.array([100_000, 1])).any()


@pytest.mark.parametrize("ratio", [0, -1, np.nan, np.inf])
def test_a_ratio_that_asks_for_nothing_is_refused(ratio):
    with pytest.raises(InvalidParameterError, match="ratio is a number of negatives"):
        random_negatives(LinkSplit(Graph.empty(3), np.zeros((0, 2), int), np.zeros((0, 2), int)), 0, ratio)
