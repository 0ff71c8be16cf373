"""Katz."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import base
from edgeorbit.models.base import LinkModel, Scorer, Scores


@dataclass(frozen=True)
class KatzSettings(base.Settings):
    """The settings of Katz's index."""

    beta: float = 0.005  # the middle one of Liben-Nowell and Kleinberg's three; also that of Li et al. 2023
    max_length: int = 3  # of a walk, as in Li et al. 2023; each step more multiplies the work by the degrees


class Katz(LinkModel):
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

        def score(pairs: npt.ArrayLike) -> Scores:
            return weigh_walks(graph, pairs, beta=self.settings.beta, max_length=self.settings.max_length)

        return score
