"""Different numbers: no repeats, all that there are where there are few, uniform."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.negatives.made_splits import chi_square
from edgeorbit._randomness import Random
from edgeorbit.data.negatives import non_edges
from edgeorbit.data.negatives.non_edges import draw_distinct


@given(st.lists(st.integers(0, 60), max_size=20), st.integers(0, 12), st.integers(0, 100))
def test_a_row_has_as_many_different_numbers_as_there_are(bounds, count, seed):
    drawn = draw_distinct(Random(seed, "test"), np.array(bounds, np.int64), count)
    assert drawn.shape == (len(bounds), count)
    for bound, row in zip(bounds, drawn.tolist(), strict=True):
        numbers = [number for number in row if number >= 0]
        assert len(numbers) == len(set(numbers)) == min(bound, count)
        assert all(number < bound for number in numbers)
        assert row == numbers + [-1] * (count - len(numbers))


@pytest.mark.parametrize("bound", [4, 9])  # by shuffling, and by drawing anew
def test_every_sequence_is_equally_likely(bound):
    count, rows = 2, 40_000
    assert (bound <= non_edges.CROWDED * count) == (bound == 4)
    drawn = draw_distinct(Random(1, "test"), np.full(rows, bound), count)
    sequences = list(permutations(range(bound), count))
    found = np.unique(drawn, axis=0, return_counts=True)
    assert found[0].tolist() == [list(sequence) for sequence in sequences]
    assert abs(chi_square(found[1], np.full(len(sequences), rows / math.perm(bound, count)))) < 4


def test_a_million_different_numbers():
    drawn = draw_distinct(Random(0, "test"), np.array([10**14, 1_100_000]), 10**6)
    assert all(len(np.unique(row)) == 10**6 for row in drawn)
    assert drawn[0].max() > 0.99 * 10**14


def test_chunks_do_not_change_what_is_returned_for_other_rows(monkeypatch):
    monkeypatch.setattr(non_edges, "CELLS", 64)
    drawn = draw_distinct(Random(0, "test"), np.tile([3, 1000, 0], 50), 10)
    assert ((drawn >= 0).sum(axis=1) == np.tile([3, 10, 0], 50)).all()
    assert len(np.unique(drawn[1::3], axis=0)) == 50
