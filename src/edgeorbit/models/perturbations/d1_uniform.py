"""D1 without orbits: the same mean rate, for all nodes and all edges."""

import numpy as np

from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.orbit_dropout import DropoutRates
from edgeorbit.models.perturbations.d1 import D1


class D1Uniform(D1):
    """Drops features and edges as `d1` does, all with the mean of its rates: the fair comparator.

    What D1 gains beyond this is due to orbits. The mean of D1's rates is the given rate on every graph, so that orbits
    need not be found.
    """

    citation = "EO-GNN, the uniform dropout that its Theorem 4.1 compares D1 with"

    def find_rates(self, graph: Graph) -> DropoutRates:
        """Return the same probability for all nodes and edges of a graph."""
        return DropoutRates(*(np.full(count, self.rate, np.float32) for count in (graph.num_nodes, graph.num_edges)))
