"""Jaccard."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores


class Jaccard(LinkModel):
    """The number of common neighbours of two nodes, divided by the number of neighbours of either.

    Two isolated nodes score 0.

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]], num_nodes=6)
    >>> Jaccard().on(path)([[0, 2], [0, 3], [4, 5]]).tolist()
    [0.5, 0.0, 0.0]
    """

    name = "jaccard"
    citation = (
        "Jaccard: Étude comparative de la distribution florale dans une portion des Alpes et des Jura, Bulletin de la "
        "Société vaudoise des sciences naturelles 37, 1901; for links: Liben-Nowell, Kleinberg: The link-prediction "
        "problem for social networks, JASIST 58, 2007"
    )

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

        degree = graph.degree

        def score(pairs: npt.ArrayLike) -> Scores:
            common = common_neighbour_sums(graph, pairs)
            either = degree[np.asarray(pairs, np.int64).reshape(-1, 2)].sum(axis=1) - common
            shares: Scores = common / np.maximum(either, 1)
            return shares

        return score
