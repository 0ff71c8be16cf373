"""Link predictors without weights, each a formula of the graph.

| name | score |
| --- | --- |
| `cn` | the number of common neighbours |
| `aa` | common neighbours, each worth 1 / log(degree) |
| `ra` | common neighbours, each worth 1 / degree |
| `jaccard` | common neighbours, as a share of the neighbours of either |
| `katz` | walks, each worth beta^length |
| `ppr` | where a walk that may end at every step ends, from either node |

In a graph with weights (`Graph.edge_weight`) each has its weighted form. With w(u, z) the weight of an edge and s(z)
the sum of the weights at z (Murata, Moriyasu 2007; Lü, Zhou 2010):

| name | score with weights |
| --- | --- |
| `cn` | sum over common neighbours z of (w(u, z) + w(z, v)) / 2 |
| `aa` | the same, each divided by log(1 + s(z)) |
| `ra` | the same, each divided by s(z) |
| `jaccard` | sum of min(w(u, z), w(v, z)) over sum of max(w(u, z), w(v, z)), over all z |
| `katz` | walks, each worth beta^length times the product of its weights, relative to the mean weight |
| `ppr` | steps go to a neighbour with a probability in proportion to the weight |

With all weights 1 these are the scores without weights, except for `aa`, whose logarithm is of 1 + degree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores, Settings

PAIRS_AT_ONCE = 1 << 21  # of personalised PageRank: a source is solved once for all its pairs of a call


class Heuristic(LinkModel):
    """A heuristic that has a form for graphs with weights."""

    uses_weights: ClassVar = True


class CommonNeighbours(Heuristic):
    """The number of neighbours that two nodes have in common.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> CommonNeighbours().on(square)([[0, 2], [0, 1]]).tolist()
    [2.0, 0.0]
    """

    name = "cn"
    citation = "Newman: Clustering and preferential attachment in growing networks, Physical Review E 64, 2001"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that counts the common neighbours of node pairs."""
        if graph.edge_weight is not None:
            return _weighted_sums(graph)
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs)

        return score


class AdamicAdar(Heuristic):
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
        if graph.edge_weight is not None:
            return _weighted_sums(graph, lambda strength: 1 / np.log1p(strength))
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
        from edgeorbit.pairwise.triangles import round_for_exact_sums

        degree = graph.degree
        weights = round_for_exact_sums(graph, np.where(degree > 1, 1 / np.log(np.maximum(degree, 2)), 0.0))

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs, weights)

        return score


class ResourceAllocation(Heuristic):
    """The common neighbours of two nodes, each counted with 1 / degree.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> ResourceAllocation().on(square)([[0, 2], [0, 1]]).tolist()
    [1.0, 0.0]
    """

    name = "ra"
    citation = "Zhou, Lü, Zhang: Predicting missing links via local information, European Physical Journal B 71, 2009"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        if graph.edge_weight is not None:
            return _weighted_sums(graph, lambda strength: 1 / strength)
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
        from edgeorbit.pairwise.triangles import round_for_exact_sums

        weights = round_for_exact_sums(graph, 1 / np.maximum(graph.degree, 1))

        def score(pairs: npt.ArrayLike) -> Scores:
            return common_neighbour_sums(graph, pairs, weights)

        return score


class Jaccard(Heuristic):
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
        if graph.edge_weight is not None:
            from edgeorbit.pairwise.weighted import weighted_overlap

            return lambda pairs: weighted_overlap(graph, pairs)
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

        degree = graph.degree

        def score(pairs: npt.ArrayLike) -> Scores:
            common = common_neighbour_sums(graph, pairs)
            either = degree[np.asarray(pairs, np.int64).reshape(-1, 2)].sum(axis=1) - common
            shares: Scores = common / np.maximum(either, 1)
            return shares

        return score


@dataclass(frozen=True)
class KatzSettings(Settings):
    """The settings of Katz's index."""

    beta: float = 0.005  # the middle one of Liben-Nowell and Kleinberg's three; also that of Li et al. 2023
    max_length: int = 3  # of a walk, as in Li et al. 2023; each step more multiplies the work by the degrees


class Katz(Heuristic):
    """The walks between two nodes of up to a few steps, each counted with beta^length.

    Katz's index is the sum over all lengths; here it is cut off at `max_length`. A walk may come back to a node, and an
    edge between the two is a walk of length 1: of a pair that is an edge of the graph that is given, it counts.

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> Katz(beta=0.5).on(path)([[0, 3], [0, 2], [0, 1]]).tolist()
    [0.125, 0.25, 0.75]
    """

    name = "katz"
    citation = (
        "Katz: A new status index derived from sociometric analysis, Psychometrika 18, 1953; for links: Liben-Nowell, "
        "Kleinberg: The link-prediction problem for social networks, JASIST 58, 2007"
    )
    Settings = KatzSettings
    search_space: ClassVar = {"beta": [0.0005, 0.005, 0.05], "max_length": [2, 3, 4]}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if not 0 < self.settings.beta <= 1:
            raise InvalidParameterError(f"katz: beta must be above 0 and at most 1, not {self.settings.beta}")
        if not 1 <= self.settings.max_length <= 100:
            raise InvalidParameterError(f"katz: max_length must be from 1 to 100, not {self.settings.max_length}")

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.walks import weigh_walks
        from edgeorbit.pairwise.weighted import weighted_walks

        weigh = weigh_walks if graph.edge_weight is None else weighted_walks

        def score(pairs: npt.ArrayLike) -> Scores:
            return weigh(graph, pairs, beta=self.settings.beta, max_length=self.settings.max_length)

        return score


@dataclass(frozen=True)
class PageRankSettings(Settings):
    """The settings of personalised PageRank."""

    alpha: float = 0.15  # with which a walk ends at each step: PageRank's own, a damping factor of 0.85
    tolerance: float = 0.001  # relative to the value of a long walk without end; ranks hardly change below it


class PersonalisedPageRank(Heuristic):
    """The probability that a walk from one node ends at the other, plus the same the other way round.

    At every step the walk ends with the probability `alpha`: Liben-Nowell and Kleinberg's rooted PageRank. From u to v
    and from v to u the probabilities differ, in the ratio of the degrees; their sum does not depend on the order of a
    pair. Time grows with the number of different nodes in the pairs times the edges of the graph: a few milliseconds
    per node at 10^5 edges, half a second at 2.5 * 10^6.

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> scores = PersonalisedPageRank().on(path)([[0, 1], [0, 2], [0, 3]])
    >>> bool(scores[0] > scores[1] > scores[2] > 0)
    True
    """

    name = "ppr"
    citation = (
        "Page, Brin, Motwani, Winograd: The PageRank citation ranking, Stanford InfoLab 1999; personalised: "
        "Haveliwala: Topic-sensitive PageRank, WWW 2002; for links: Liben-Nowell, Kleinberg: The link-prediction "
        "problem for social networks, JASIST 58, 2007"
    )
    Settings = PageRankSettings
    search_space: ClassVar = {"alpha": [0.05, 0.15, 0.3, 0.5]}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for setting, low, high in (("alpha", 0.001, 0.999), ("tolerance", 1e-6, 1.0)):
            value = getattr(self.settings, setting)
            if not low <= value <= high:
                raise InvalidParameterError(f"ppr: {setting} must be from {low:g} to {high:g}, not {value}")

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.pagerank import personalised_pagerank
        from edgeorbit.pairwise.pairs import check_pairs
        from edgeorbit.pairwise.weighted import weighted_pagerank

        pagerank = personalised_pagerank if graph.edge_weight is None else weighted_pagerank
        options = {"alpha": self.settings.alpha, "tolerance": self.settings.tolerance}

        def score(pairs: npt.ArrayLike) -> Scores:
            there = check_pairs(graph, pairs)
            both = np.concatenate([there.T, there[::-1].T])
            scores: Scores = pagerank(graph, both, **options).reshape(2, -1).sum(axis=0)
            return scores

        score.pairs_at_once = PAIRS_AT_ONCE  # type: ignore[attr-defined]
        return score


def _weighted_sums(graph: Graph, worth: Callable[[Scores], Scores] | None = None) -> Scorer:
    """Return a scorer that sums the weights to common neighbours, each times what its strength is worth."""
    from edgeorbit.pairwise.weighted import strength, weighted_common_neighbours

    values = None
    if worth is not None:
        total = strength(graph)
        values = np.zeros(graph.num_nodes)
        values[total > 0] = worth(total[total > 0])
    return lambda pairs: weighted_common_neighbours(graph, pairs, values)
