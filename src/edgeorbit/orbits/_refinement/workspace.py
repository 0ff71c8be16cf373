"""The arrays that a refinement works in, so that many refinements can share them."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt


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
