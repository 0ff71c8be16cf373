"""Connected components by union-find, which orbits under generators are too."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel


@inlined
def find_root(parent, item):
    """Return the root of an item; every item passed on the way is hung one step higher."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@inlined
def join(parent, left, right):
    """Put two items into one set, whose root stays its smallest item."""
    left, right = find_root(parent, left), find_root(parent, right)
    if left < right:
        parent[right] = left
    elif right < left:
        parent[left] = right


@kernel
def _join_pairs(parent, left, right):
    for i in range(len(left)):
        join(parent, np.int64(left[i]), np.int64(right[i]))


@kernel
def flatten(parent):
    """Let every item point at its root; a parent is never larger than its child, so one pass is enough."""
    for item in range(len(parent)):
        parent[item] = parent[parent[item]]


def smallest_members(
    num_items: int, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return for every item the smallest item that the pairs connect it to.

    >>> smallest_members(5, np.array([4, 2], np.int32), np.array([2, 1], np.int32)).tolist()
    [0, 1, 1, 3, 1]
    """
    parent = np.arange(num_items, dtype=np.int32)
    _join_pairs(parent, left, right)
    flatten(parent)
    return parent
