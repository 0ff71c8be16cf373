"""The parts that compute signals, by name: made for a graph, then asked for pairs."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.signals._features import Features, NeighbourFeatures
from edgeorbit.signals._orbits import OrbitCommonNeighbours, Orbits, OrbitWalks
from edgeorbit.signals._reach import Distance, PageRank, Walks
from edgeorbit.signals._structure import CommonNeighbours, Components, Degrees, Structure


class Part(Protocol):
    """Some signals that share their work, prepared for a graph."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        """Compute what belongs to the graph alone; what other parts need too lies in `shared`."""

    def compute(self, ends: npt.NDArray[np.int32]) -> dict[str, npt.NDArray[Any]]:
        """Return by name the signals of pairs, given as an array of shape (2, k)."""


PARTS: dict[str, type[Part]] = {
    "common-neighbours": CommonNeighbours,
    "walks": Walks,
    "pagerank": PageRank,
    "distance": Distance,
    "components": Components,
    "degrees": Degrees,
    "orbits": Orbits,
    "orbit-common-neighbours": OrbitCommonNeighbours,
    "orbit-walks": OrbitWalks,
    "structure": Structure,
    "features": Features,
    "neighbour-features": NeighbourFeatures,
}
