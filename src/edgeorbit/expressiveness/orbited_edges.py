"""The edges that are judged, with their orbits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine


@dataclass(frozen=True, eq=False)
class OrbitedEdges:
    """Edges and the number of the orbit of each; `shared` are the places of those that are not alone in theirs."""

    edges: npt.NDArray[np.int64]
    orbits: npt.NDArray[np.int64]
    shared: npt.NDArray[np.int64]


def edges_by_orbit(
    graph: Graph,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    edges: npt.ArrayLike | None = None,
    threads: int | None = None,
) -> OrbitedEdges:
    """Find the orbits of all edges of a graph, or of some node pairs, edges or not.

    >>> edges_by_orbit(Graph.from_edges([[0, 1], [1, 2], [2, 3]])).shared.tolist()
    [0, 2]
    """
    colouring = refine(graph, check_rounds(rounds), initial, threads=threads)
    found = edge_orbits(graph, colouring)
    if edges is None:
        pairs, orbits = graph.edges.astype(np.int64), found.labels
    else:
        given = np.asarray(edges)
        colours = found.colours_of(given.reshape(0, 2).astype(np.int64) if given.size == 0 else given)
        pairs = np.sort(given.reshape(-1, 2).astype(np.int64), axis=1)
        keys = colours.astype(np.int64) @ np.array([colouring.num_colours, 1])
        orbits = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return OrbitedEdges(pairs, orbits, np.flatnonzero(np.bincount(orbits)[orbits] > 1))
