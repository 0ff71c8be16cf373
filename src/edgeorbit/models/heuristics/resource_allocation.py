"""RA."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores


class ResourceAllocation(LinkModel):
    """The common neighbours of two nodes, each counted with 1 / degree.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> ResourceAllocation().on(square)([[0, 2], [0, 1]]).tolist()
    [1.0, 0.0]
    """

    name = "ra"
    citation = "Zhou, Lü, Zhang: Predicting missing links via local information, European Physical Journal B 71, 2009"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
        from edgeorbit.pairwise.exact_sums import round_for_exact_sums

        weights = round_for_exact_sums(graph, 1 / np.maximum(graph.degree, 1))

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs, weights)

        return score
