"""Where the nodes and edges of a made graph come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

EDGE_KINDS = ("original", "added", "twin")
ORIGINAL, ADDED, TWIN = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """What is known about a graph that was made from another one.

    Attributes
    ----------
    edge_kind : uint8 array of length num_edges
        For every edge of `graph.edges`, a place in `EDGE_KINDS`: an edge of the source graph, an edge added at random
        (which nothing predicts), or an edge of a cloned node.
    copy : int32 array of length num_nodes
        Which copy of the source every node belongs to.
    original : int32 array of length num_nodes
        The node of the source that every node stems from.
    twin_of : int32 array of length num_nodes
        The node that a node is a clone of, -1 for nodes that are none.
    recipe : mapping
        How the graph was made: generator, parameters, seed and what was measured on the way.
    """

    edge_kind: npt.NDArray[np.uint8]
    copy: npt.NDArray[np.int32]
    original: npt.NDArray[np.int32]
    twin_of: npt.NDArray[np.int32]
    recipe: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def plain(cls, num_nodes: int, num_edges: int) -> "Origin":
        """Return the origin of a graph that is its own source.

        >>> Origin.plain(3, 2).kind_counts()
        {'original': 2, 'added': 0, 'twin': 0}
        """
        nodes = np.arange(num_nodes, dtype=np.int32)
        return cls(np.zeros(num_edges, np.uint8), np.zeros_like(nodes), nodes, np.full_like(nodes, -1))

    @property
    def num_copies(self) -> int:
        """Number of copies of the source."""
        return int(self.copy.max(initial=0)) + 1

    @property
    def twinned(self) -> npt.NDArray[np.bool_]:
        """Whether every node is a clone or has one; what is done to such a node alone would undo the pair.

        >>> nodes = np.arange(3, dtype=np.int32)
        >>> Origin(np.zeros(0, np.uint8), nodes * 0, nodes, np.array([-1, -1, 0], np.int32)).twinned.tolist()
        [True, False, True]
        """
        found: npt.NDArray[np.bool_] = self.twin_of >= 0
        found[self.twin_of[found]] = True
        return found

    def kind_counts(self) -> dict[str, int]:
        """Return the number of edges of each kind."""
        counts = np.bincount(self.edge_kind, minlength=len(EDGE_KINDS)).tolist()
        return dict(zip(EDGE_KINDS, counts, strict=True))
