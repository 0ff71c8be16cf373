"""Links and node pairs of edge orbits: their ratio is the best that a model which 1-WL bounds can know of a pair."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import edge_orbits


class OrbitCensus:
    """Counts the links and the node pairs of the orbits of any node pairs.

    Parameters
    ----------
    graph
        The graph.
    colouring
        Its colouring, from `refine`.

    Examples
    --------
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> census = OrbitCensus(path, refine(path))
    >>> ends = np.array([[0, 0, 1], [1, 3, 2]])
    >>> census.links(ends).tolist(), census.pairs(ends).tolist()
    ([2, 0, 1], [4, 1, 1])
    """

    def __init__(self, graph: Graph, colouring: Colouring) -> None:
        orbits = edge_orbits(graph, colouring)
        self.colours, self.sizes = colouring.labels, colouring.sizes
        self._keys = self._keys_of(*orbits.colours.T)
        self._counts = np.append(orbits.orbit_sizes, 0)  # the last is that of an orbit without links

    def _keys_of(self, lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        return lower.astype(np.int64) * len(self.sizes) + upper

    def links(self, ends: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of links in the orbit of every pair, given as an array of shape (2, k)."""
        first, second = self.colours[ends[0]], self.colours[ends[1]]
        keys = self._keys_of(np.minimum(first, second), np.maximum(first, second))
        place = np.searchsorted(self._keys, keys)
        known = place < len(self._keys)
        known[known] = self._keys[place[known]] == keys[known]
        links: npt.NDArray[np.int64] = self._counts[np.where(known, place, -1)]
        return links

    def pairs(self, ends: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the number of node pairs in the orbit of every pair."""
        first, second = self.colours[ends[0]], self.colours[ends[1]]
        size = self.sizes[first]
        return np.where(first == second, size * (size - 1) // 2, size * self.sizes[second])


def orbit_densities(
    graph: Graph, censuses: Sequence[OrbitCensus], ends: npt.NDArray[np.integer], kappa: float
) -> list[npt.NDArray[np.float64]]:
    """Return the density of the orbit of every pair, one array for each census, finer ones after coarser ones.

    With rounds K the density is `rho_K = (links_K + kappa rho_(K-1)) / (pairs_K + kappa)`, and that of the whole graph
    is `rho_0`: an orbit of few pairs takes over what is known of the coarser orbit that it is part of, which counts for
    `kappa` pairs. Pairs of one orbit have one density, to the bit.

    Parameters
    ----------
    graph
        The graph.
    censuses
        One for every number of rounds, ascending.
    ends : integer array of shape (2, k)
        The pairs.
    kappa
        How many pairs the density of the coarser orbit counts for; 0 leaves an orbit without pairs at that density.

    Examples
    --------
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> orbit_densities(path, [OrbitCensus(path, refine(path))], np.array([[0, 0], [1, 3]]), kappa=1.0)
    [array([0.5 , 0.25])]
    """
    num_nodes = graph.num_nodes
    all_pairs = num_nodes * (num_nodes - 1) // 2
    density = np.full(ends.shape[1], graph.num_edges / max(all_pairs, 1))
    densities = []
    for census in censuses:
        pairs = census.pairs(ends) + kappa
        # Without pairs only a node and itself can be in the orbit, and without kappa there is nothing to divide.
        density = np.where(pairs > 0, (census.links(ends) + kappa * density) / np.where(pairs > 0, pairs, 1.0), density)
        densities.append(density)
    return densities
