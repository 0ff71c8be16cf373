"""The paper's figure of C8: what dropping an edge, a node or both does to its symmetry."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear
from edgeorbit.orbits.refine import refine

NODES = 8
DROPPED_EDGE, DROPPED_NODE = (0, 7), 2  # as the gallery draws it
LAYERS = 2  # of the paper's figure


@dataclass(frozen=True)
class DroppedCycle:
    """C8, or what dropout left of it.

    Attributes
    ----------
    dropped
        What was dropped: nothing, edge, node, both.
    num_edges
        Edges that are left.
    ear_two_rounds
        EAR after two rounds: what two layers of a network see that does not look at degrees beforehand.
    ear_gcn
        EAR after two rounds that start from degrees: what a GCN of two layers sees.
    ear
        EAR of stable colours.
    num_colours, num_unique_nodes
        Stable colours, and nodes that are alone in theirs.
    """

    dropped: str
    num_edges: int
    ear_two_rounds: float
    ear_gcn: float
    ear: float
    num_colours: int
    num_unique_nodes: int

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


def drop_from_cycle() -> list[DroppedCycle]:
    """Return C8 whole, without an edge, without the features of a node, and without both.

    A node is dropped as D1 drops it: its features are zeroed, which gives it an initial colour of its own.

    >>> [round(row.ear, 4) for row in drop_from_cycle()]
    [1.0, 0.8571, 1.0, 0.0]
    """
    return [
        _measure("nothing", edge=False, node=False),
        _measure("edge", edge=True, node=False),
        _measure("node", edge=False, node=True),
        _measure("both", edge=True, node=True),
    ]


def _measure(dropped: str, *, edge: bool, node: bool) -> DroppedCycle:
    kept = [pair for pair in cycle(NODES).edges.tolist() if not edge or tuple(pair) != DROPPED_EDGE]
    graph = Graph.from_edges(kept, NODES, name=f"C{NODES}")
    mark = np.zeros(NODES, np.int64)
    mark[DROPPED_NODE] = node
    stable = refine(graph, initial=mark)
    return DroppedCycle(
        dropped=dropped,
        num_edges=graph.num_edges,
        ear_two_rounds=ear(graph, rounds=LAYERS, initial=mark),
        ear_gcn=ear(graph, rounds=LAYERS, initial=np.stack([graph.degree, mark], axis=1)),
        ear=ear(graph, initial=mark),
        num_colours=stable.num_colours,
        num_unique_nodes=int((stable.sizes == 1).sum()),
    )
