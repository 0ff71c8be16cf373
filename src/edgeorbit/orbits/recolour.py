"""Colours of one graph again and again, each time without a few of its edges.

Training a link predictor hides the links of each batch from the graph that messages are passed on. The colours must
belong to that very graph, or they give the hidden links away; so they are made anew for every batch.
"""

from typing import Any

import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.orbits._refinement.partition import Workspace
from edgeorbit.orbits.colouring import Colouring, initial_keys
from edgeorbit.orbits.refine import Refinement, check_rounds


class Recolourer:
    """Refines a graph after removing some of its edges, in arrays that are used again.

    Parameters
    ----------
    graph
        The whole graph.
    rounds
        Rounds of refinement; None for stable colours.
    initial, threads
        As for `edgeorbit.refine`; initial colours by degree are those of the graph that is left.

    Examples
    --------
    >>> from edgeorbit import Graph
    >>> recolourer = Recolourer(Graph.from_edges([(i, (i + 1) % 8) for i in range(8)]), rounds=2)
    >>> recolourer.recolour([]).num_colours
    1
    >>> recolourer.recolour([(7, 0)]).num_colours
    3
    >>> recolourer.graph.num_edges
    7
    """

    def __init__(
        self, graph: Graph, rounds: int | None, initial: str | npt.ArrayLike | None = None, threads: int | None = None
    ) -> None:
        self.rounds = check_rounds(rounds)
        self.threads = threads
        self.graph = graph
        self._space = Workspace(graph.num_nodes)
        self._remover = EdgeRemover(graph)
        self._initial: Any = initial
        if initial is not None and not (isinstance(initial, str) and initial == "degree"):
            self._initial = initial_keys(graph, initial)

    def recolour(self, removed: npt.ArrayLike) -> Colouring:
        """Return the colours of the graph without the given edges, and keep that graph as `self.graph`.

        Parameters
        ----------
        removed : integer array of shape (k, 2)
            Edges of the whole graph, in either direction; an edge may be named twice.

        Raises
        ------
        InvalidParameterError
            If a pair is not an edge of the graph.

        Notes
        -----
        `self.graph` lives in arrays that the next call overwrites. Whether colours after K rounds happen to be stable
        is not looked into: `stable` is True only if one of the rounds changed nothing, or if every node is alone.
        """
        self.graph = self._remover.without(removed)
        refinement = Refinement(
            self.graph, self._initial, threads=self.threads, prove_rounds=self.rounds is not None, space=self._space
        )
        refinement.run(self.rounds)
        return refinement.colouring(check_stable=False)

    recolor = recolour
