"""Whether scores belong to the structure of a graph or to the numbers of its nodes."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from edgeorbit.expressiveness.examples import Name
from edgeorbit.expressiveness.scorers import Pairs
from edgeorbit.graph.graph import Graph
from edgeorbit.randomness import Random


@dataclass(frozen=True)
class Relabelling:
    """What became of the scores when the nodes were numbered in another order.

    Attributes
    ----------
    agrees : bool
        Whether every edge kept its score (with noise: its mean score, within the error).
    edge : two node names
        The edge whose score changed the most.
    scores : two numbers
        Its score before and after.
    """

    agrees: bool
    edge: tuple[Name, Name]
    scores: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)


def relabel(graph: Graph, pairs: Pairs, seed: int) -> tuple[Graph, Pairs]:
    """Number the nodes in a random order; features and labels go with their nodes.

    The pairs are written with the smaller number first, as before: a score that depends on which node comes first
    depends on the numbering.

    >>> copy, pairs = relabel(Graph.from_edges([[0, 1], [1, 2]]), np.array([[0, 1]]), seed=0)
    >>> copy.degree[pairs[0]].tolist() in ([1, 2], [2, 1])
    True
    """
    number = Random(seed, "relabelling").permutation(graph.num_nodes)
    if (number == np.arange(len(number))).all():
        number = np.roll(number, 1)
    back = np.argsort(number)
    attributes: dict[str, Any] = {
        what: values[back] for what, values in (("x", graph.x), ("y", graph.y)) if values is not None
    }
    copy = Graph.from_edges(number[graph.edges], graph.num_nodes, name=graph.name, **attributes)
    return copy, np.sort(number[pairs], axis=1)
