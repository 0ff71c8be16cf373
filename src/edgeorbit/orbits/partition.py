"""The ordered partition of the nodes that refinement works on.

Nodes of one class lie side by side in `order`, and the colour of a node is the place where its class starts. So a
colour counts the nodes in classes before it, which makes it canonical: when a class splits, its parts are put in the
order of hash values that relabelling the nodes does not change.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.orbits.workspace import Workspace


@kernel
def _order_by_key(key, num_keys, order, colour, is_start):  # type: ignore[no-untyped-def]
    """Sort the nodes by a small integer key and open one class per key that occurs; return how many occur."""
    next_place = np.zeros(num_keys + 1, np.int32)
    for node in range(len(key)):
        next_place[key[node] + 1] += 1
    num_classes = 0
    for k in range(num_keys):
        num_classes += next_place[k + 1] > 0
        next_place[k + 1] += next_place[k]
    start = next_place[:-1].copy()
    is_start[:] = 0
    for node in range(len(key)):
        place = next_place[key[node]]
        next_place[key[node]] = place + 1
        order[place] = node
        colour[node] = start[key[node]]
        is_start[start[key[node]]] = 1
    is_start[len(key)] = 1
    return num_classes


@kernel
def _dense_labels(colour, is_start, labels):  # type: ignore[no-untyped-def]
    """Number the classes 0, 1, ... in the order of their starts."""
    rank = np.empty(len(colour), np.int32)
    number = -1
    for place in range(len(colour)):
        number += is_start[place]
        rank[place] = number
    for node in range(len(colour)):
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
    def from_keys(cls, key: npt.NDArray[np.int64], num_keys: int, space: Workspace) -> "Partition":
        """Put the nodes in order of a key in `range(num_keys)`, one class per key that occurs."""
        num_classes = _order_by_key(key, num_keys, space.order, space.colour, space.is_start)
        return cls(space.order, space.colour, space.is_start, num_classes)

    def labels(self) -> npt.NDArray[np.int32]:
        """Return the number of every node's class, counted from 0 in the order of the classes."""
        labels = np.empty(len(self.colour), np.int32)
        _dense_labels(self.colour, self.is_start, labels)
        return labels
