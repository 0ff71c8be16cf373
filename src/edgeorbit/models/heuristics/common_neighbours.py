"""CN."""

import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores


class CommonNeighbours(LinkModel):
    """The number of neighbours that two nodes have in common.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> CommonNeighbours().on(square)([[0, 2], [0, 1]]).tolist()
    [2.0, 0.0]
    """

    name = "cn"
    citation = "Newman: Clustering and preferential attachment in growing networks, Physical Review E 64, 2001"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that counts the common neighbours of node pairs."""
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs)

        return score
