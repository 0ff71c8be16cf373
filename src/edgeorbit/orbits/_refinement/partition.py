"""The ordered partition of the nodes that refinement works on.

Nodes of one class lie side by side in `order`, and the colour of a node is the place where its class starts. So a
colour counts the nodes in classes before it, which makes it canonical: when a class splits, its parts are put in the
order of hash values that relabelling the nodes does not change.

It lives in the arrays of a `Workspace`, which many refinements can share.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import run_all, split_range


class Workspace:
    """Work arrays for graphs of up to `num_nodes` nodes, made when first needed.

    All together take 35 bytes a node. A refinement on its own has its own workspace; `Recolourer` keeps one.
    """

    def __init__(self, num_nodes: int) -> None:
        self.num_nodes = num_nodes

    @cached_property
    def order(self) -> npt.NDArray[np.int32]:
        """Nodes, class after class."""
        return np.empty(self.num_nodes, np.int32)

    @cached_property
    def colour(self) -> npt.NDArray[np.int32]:
        """For every node, where its class starts."""
        return np.empty(self.num_nodes, np.int32)

    @cached_property
    def is_start(self) -> npt.NDArray[np.uint8]:
        """For every place, whether a class starts there."""
        return np.empty(self.num_nodes + 1, np.uint8)

    @cached_property
    def sums(self) -> npt.NDArray[np.uint64]:
        """For every node, the sum of its neighbours' hash values."""
        return np.empty(self.num_nodes, np.uint64)

    @cached_property
    def moved(self) -> npt.NDArray[np.int32]:
        """Nodes that the last round moved out of the largest part of their class."""
        return np.empty(self.num_nodes, np.int32)

    @cached_property
    def seen(self) -> npt.NDArray[np.int32]:
        """Colours of the round before."""
        return np.empty(self.num_nodes, np.int32)

    def ranks(self, num_classes: int) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint16]:
        """For every node, the number of its class, in as few bytes as it takes."""
        return self._rank_bytes[: self.num_nodes] if num_classes <= 1 << 8 else self._rank_bytes.view(np.uint16)

    @cached_property
    def _rank_bytes(self) -> npt.NDArray[np.uint8]:
        return np.empty(2 * self.num_nodes, np.uint8)

    @cached_property
    def nodes(self) -> npt.NDArray[np.int32]:
        """Nodes that share their class, ascending."""
        return np.empty(self.num_nodes, np.int32)

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64]:
        """Sort keys."""
        return np.empty(self.num_nodes, np.uint64)

    def release(self) -> None:
        """Give back what only dense rounds need."""
        arrays: dict[str, Any] = vars(self)
        for name in ("keys", "nodes", "_rank_bytes"):
            arrays.pop(name, None)


@kernel
def count_degrees(indptr):
    """Count the nodes of every degree, from 0 to the largest."""
    largest = 0
    for node in range(len(indptr) - 1):
        largest = max(largest, indptr[node + 1] - indptr[node])
    sizes = np.zeros(largest + 1, np.int64)
    for node in range(len(indptr) - 1):
        sizes[indptr[node + 1] - indptr[node]] += 1
    return sizes


@kernel
def _order_by_step(steps, start, next_place, order, colour):
    """Sort the nodes by the steps between successive values; each step starts and continues at the given places."""
    for node in range(len(steps) - 1):
        key = np.uint64(steps[node + 1] - steps[node])
        place = np.uint32(next_place[key])
        next_place[key] += 1
        order[place] = node
        colour[node] = start[key]


@kernel
def _rank_starts(is_start, rank):
    """Number the places 0, 1, ... by the class that they belong to."""
    number = -1
    for place in range(len(rank)):
        number += is_start[place]
        rank[place] = number


@kernel
def _look_up(rank, colour, low, high, labels):
    for node in range(low, high):
        labels[node] = rank[colour[node]]


@dataclass(slots=True)
class Partition:
    """An ordered partition of `range(n)`.

    Attributes
    ----------
    order : int32 array of length n
        The nodes, class after class.
    colour : int32 array of length n
        For every node, where its class starts in `order`.
    is_start : uint8 array of length n + 1
        For every place, whether a class starts there; place n counts as a start.
    num_classes : int
        Number of classes.
    """

    order: npt.NDArray[np.int32]
    colour: npt.NDArray[np.int32]
    is_start: npt.NDArray[np.uint8]
    num_classes: int

    @classmethod
    def from_keys(cls, key: npt.NDArray[np.int64], space: Workspace) -> "Partition":
        """Put the nodes in order of a key, one class per key that occurs."""
        steps = np.zeros(len(key) + 1, np.int64)
        np.cumsum(key, out=steps[1:])
        return cls.from_degrees(steps, np.bincount(key), space)

    @classmethod
    def from_degrees(cls, indptr: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], space: Workspace) -> "Partition":
        """Put the nodes in order of their degree, one class per degree; `sizes` counts the nodes of every degree."""
        start = (np.cumsum(sizes) - sizes).astype(np.int32)
        _order_by_step(indptr, start, start.copy(), space.order, space.colour)
        space.is_start[:] = 0
        space.is_start[start[sizes > 0]] = 1
        space.is_start[len(indptr) - 1] = 1
        return cls(space.order, space.colour, space.is_start, int(np.count_nonzero(sizes)))

    @classmethod
    def trivial(cls, space: Workspace) -> "Partition":
        """Put all nodes in one class."""
        n = space.num_nodes
        space.order[:] = np.arange(n, dtype=np.int32)
        space.colour[:] = 0
        space.is_start[:] = 0
        space.is_start[[0, n]] = 1
        return cls(space.order, space.colour, space.is_start, min(n, 1))

    def labels(self, threads: int = 1) -> npt.NDArray[np.int32]:
        """Return the number of every node's class, counted from 0 in the order of the classes."""
        n = len(self.colour)
        if self.num_classes == n:
            return self.colour.copy()
        rank, labels = np.empty(n, np.int32), np.empty(n, np.int32)
        _rank_starts(self.is_start, rank)
        run_all(_look_up, [(rank, self.colour, low, high, labels) for low, high in split_range(n, threads)])
        return labels
