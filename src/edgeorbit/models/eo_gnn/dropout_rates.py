"""The probabilities of D1; theorem 4.1 is computed from them, too, so that they do without PyTorch."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import edge_orbits


class DropoutRates(NamedTuple):
    """The probabilities to drop each node's features, and each edge in the order of `graph.edges`."""

    nodes: npt.NDArray[np.float32]
    edges: npt.NDArray[np.float32]

    @classmethod
    def of(cls, graph: Graph, colouring: Colouring, alpha_p: float, p_max: float) -> "DropoutRates":
        """Return `min(p_max, alpha_p log(1 + share of the orbit))` for all nodes and edges.

        >>> from edgeorbit.orbits.refine import refine
        >>> graph = Graph.from_edges([[0, 1], [1, 2]])
        >>> rates = DropoutRates.of(graph, refine(graph), alpha_p=1.0, p_max=0.5)
        >>> [round(float(rate), 3) for rate in rates.nodes], rates.edges.tolist()
        ([0.5, 0.288, 0.5], [0.5, 0.5])
        """
        node_shares = colouring.sizes[colouring.labels] / max(graph.num_nodes, 1)
        edge_shares = edge_orbits(graph, colouring).sizes / max(graph.num_edges, 1)
        return cls(
            *(np.minimum(p_max, alpha_p * np.log1p(share)).astype(np.float32) for share in (node_shares, edge_shares))
        )


def check_rates(alpha_p: float, p_max: float) -> None:
    """Refuse values from which no probabilities can be made."""
    if not (alpha_p >= 0 and math.isfinite(alpha_p)):
        raise InvalidParameterError(f"alpha_p must be 0 or more, not {alpha_p}")
    if not 0 <= p_max < 1:
        raise InvalidParameterError(f"p_max must be at least 0 and below 1, not {p_max}; 1 would drop whole orbits")
