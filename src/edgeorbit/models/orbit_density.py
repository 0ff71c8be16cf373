"""Link predictors that only count: links and node pairs of edge orbits, and how often neighbourhoods close.

`orbit-density` is bounded by 1-WL: the pairs of one edge orbit get one score. So are GCN, SAGE, GAT and GIN without
node features and with a symmetric decoder, and what they learn is at best the density of each orbit. `orbit-density-cn`
also looks at common neighbours, each weighed by its orbit.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scorer, Scores, Settings

SMALLEST = 1e-12  # probability, so that logarithms are finite


@dataclass(frozen=True)
class OrbitDensitySettings(Settings):
    """The settings of `orbit-density`."""

    rounds: int = 2  # of refinement; chosen on validation links of five graphs, seeds 100 to 102
    kappa: float = 100.0  # pairs that the density of the coarser orbit counts for; chosen the same way
    folds: int = 10  # in which links are hidden while they are counted; 0: all in sight, as the plain formula says


class OrbitDensity(LinkModel):
    """The density of the edge orbit that a pair is in: its links, divided by its node pairs.

    Orbits of few pairs take over the density of the coarser orbit that they are part of: of a round less, and at last
    of nodes whose degrees have the same power of two. A link is counted in the orbit that it is in when it is hidden,
    because that is how the links are seen that are asked for; links are hidden in `folds`.

    >>> star = Graph.from_edges([[0, 1], [0, 2], [0, 3], [0, 4]])
    >>> scores = OrbitDensity(folds=0, kappa=1).on(star)(np.array([[0, 1], [0, 2], [1, 2]]))
    >>> bool(scores[0] == scores[1] > scores[2])
    True
    """

    name = "orbit-density"
    citation = "the best that 1-WL allows without weights; defined by this project"
    Settings = OrbitDensitySettings
    search_space: ClassVar = {"rounds": [1, 2, 3], "kappa": [10.0, 100.0, 1000.0]}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for setting, low, high in (("rounds", 0, 1000), ("kappa", 0, 1e9), ("folds", 0, 1000)):
            value = getattr(self.settings, setting)
            if not low <= value <= high:
                raise InvalidParameterError(f"{self.name}: {setting} must be from {low} to {high:g}, not {value}")
        if self.settings.folds == 1:
            raise InvalidParameterError(
                f"{self.name}: folds must be 2 or more, or 0 to count links in sight, not 1, which hides all links"
            )

    def on(self, graph: Graph) -> Scorer:
        """Return a function that gives the density of the orbit of node pairs."""
        from edgeorbit.orbits.density import hidden_censuses, orbit_densities
        from edgeorbit.pairwise.pairs import check_pairs

        censuses = hidden_censuses(graph, self.settings.rounds, self.settings.folds)

        def score(pairs: npt.ArrayLike) -> Scores:
            return orbit_densities(graph, censuses, check_pairs(graph, pairs), self.settings.kappa)[-1]

        return score


class OrbitDensityCN(OrbitDensity):
    """The density of the pair's edge orbit, and common neighbours, each weighed by the clustering of its orbit.

    The score is a sum of log-odds, as in a naive Bayes classifier: that of the density, and for every common neighbour
    that of the clustering of its orbit (linked pairs of neighbours, divided by all), less that of the whole graph's
    density.
    Clustering is backed off over the same orbits as density, `kappa` pairs of neighbours each.

    >>> graph = Graph.from_edges([[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]])
    >>> scores = OrbitDensityCN(folds=0).on(graph)(np.array([[0, 3], [0, 4]]))
    >>> bool(scores[0] > scores[1])
    True
    """

    name = "orbit-density-cn"
    citation = (
        "orbit-density; common neighbours as in Liu, Zhang, Lü, Zhou: Link prediction through the local naive Bayes "
        "model, EPL 96, 2011, with roles of orbits in place of nodes"
    )

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs."""
        from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

        density, weights = super().on(graph), self._weights(graph)

        def score(pairs: npt.ArrayLike) -> Scores:
            return _log_odds(density(np.asarray(pairs))) + common_neighbour_sums(graph, pairs, weights)

        return score

    def _weights(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Return how much every node adds to the log-odds of two of its neighbours."""
        from edgeorbit.orbits.density import colours_of_rounds, degree_octaves
        from edgeorbit.pairwise.triangles import round_for_exact_sums, triangles_per_node

        degree = graph.degree.astype(np.float64)
        closed, all_pairs = triangles_per_node(graph).astype(np.float64), degree * (degree - 1) / 2
        clustering = np.full(graph.num_nodes, closed.sum() / max(all_pairs.sum(), 1))
        levels: list[npt.NDArray[np.integer]] = [degree_octaves(graph)]
        levels += [each.labels for each in colours_of_rounds(graph, self.settings.rounds)]
        for colours in levels:
            links, pairs = (np.bincount(colours, values)[colours] for values in (closed, all_pairs))
            pairs = pairs + self.settings.kappa
            clustering = (links + self.settings.kappa * clustering) / np.where(pairs > 0, pairs, 1)
        chance = graph.num_edges / max(graph.num_nodes * (graph.num_nodes - 1) / 2, 1)
        return round_for_exact_sums(graph, _log_odds(clustering) - _log_odds(np.array(chance)))


def _log_odds(probability: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    bounded = np.clip(probability, SMALLEST, 1 - SMALLEST)
    odds: npt.NDArray[np.float64] = np.log(bounded / (1 - bounded))
    return odds
