"""Pairs are grouped by their source, and every target keeps its place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.pairwise.pairs import group_by_source, order_by

NODES = st.lists(st.integers(0, 2**31 - 2), max_size=40)


@given(NODES | st.lists(st.integers(0, 5), max_size=40))
def test_the_order_is_that_of_a_stable_sort(nodes: list[int]) -> None:
    array = np.array(nodes, np.int32)
    assert np.array_equal(order_by(array), np.argsort(array, kind="stable"))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40))
def test_groups_hold_every_pair_once(pairs: list[tuple[int, int]]) -> None:
    sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
    queries = group_by_source(sources, targets)
    assert queries.sources.tolist() == sorted(set(sources.tolist()))
    assert sorted(queries.order.tolist()) == list(range(len(pairs)))
    for source, low, high in zip(queries.sources, queries.offsets[:-1], queries.offsets[1:], strict=True):
        assert low < high
        for place in range(low, high):
            assert pairs[queries.order[place]] == (source, queries.targets[place])
