"""AA."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores


class AdamicAdar(LinkModel):
    """The common neighbours of two nodes, each counted with 1 / log(degree), the natural logarithm.

    A common neighbour of two nodes has a degree of at least 2. Only a node paired with itself can share a neighbour of
    degree 1, whose weight would be infinite; it counts 0.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> bool(AdamicAdar().on(square)([[0, 2]])[0].round(12) == (2 / np.log(2)).round(12))
    True
    """

    name = "aa"
    citation = "Adamic, Adar: Friends and neighbors on the web, Social Networks 25, 2003"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
        from edgeorbit.pairwise.exact_sums import round_for_exact_sums

        degree = graph.degree
        weights = round_for_exact_sums(graph, np.where(degree > 1, 1 / np.log(np.maximum(degree, 2)), 0.0))

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs, weights)

        return score
