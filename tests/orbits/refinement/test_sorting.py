"""Nodes sorted by value, against numpy."""

import numpy as np
import pytest

from edgeorbit.orbits._refinement.hashing import sort_by_value


@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 100, 5000])
@pytest.mark.parametrize("distinct", [1, 3, 10**9])
@pytest.mark.parametrize(
    "arrange", [lambda v: v, np.sort, lambda v: np.sort(v)[::-1].copy()], ids=["any", "up", "down"]
)
def test_a_stretch_is_sorted_and_the_rest_left_alone(size: int, distinct: int, arrange) -> None:
    rng = np.random.default_rng(size)
    value = arrange(rng.integers(0, distinct, size + 10, dtype=np.uint64))
    nodes = np.arange(size + 10, dtype=np.int32)
    sort_by_value(nodes, 5, 5 + size, value)
    assert np.array_equal(value[nodes[5 : 5 + size]], np.sort(value[5 : 5 + size]))
    assert sorted(nodes.tolist()) == list(range(size + 10))
    assert nodes[:5].tolist() == list(range(5)) and nodes[5 + size :].tolist() == list(range(5 + size, size + 10))
