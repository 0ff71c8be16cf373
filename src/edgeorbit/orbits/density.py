"""Links and node pairs of edge orbits: their ratio is the best that a model which 1-WL bounds can know of a pair.

The nodes of a link look different when the link is hidden, by a neighbour less each. So links that are asked for are
rarely in the orbits that the links of the graph are in, and on sparse graphs a ranking by the densities of those is
worse than chance. `hidden_censuses` therefore hides the links of the graph, a fold at a time, and counts each where it
is when it is hidden.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph, disjoint_union
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.refine import refine_by_round

Ends = npt.NDArray[np.integer]  # of node pairs, shape (2, k)


class OrbitCensus:
    """Counts the links and the node pairs of the orbits of any node pairs.

    Parameters
    ----------
    colours
        The colour of every node.
    sizes
        The number of nodes of every colour.
    links
        The colours of the two ends of every link, shape (2, m).

    Examples
    --------
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> census = OrbitCensus.of(path, refine(path).labels)
    >>> ends = np.array([[0, 0, 1], [1, 3, 2]])
    >>> census.links(ends).tolist(), census.pairs(ends).tolist()
    ([2, 0, 1], [4.0, 1.0, 1.0])
    """

    def __init__(self, colours: npt.NDArray[np.integer], sizes: npt.NDArray[np.float64], links: Ends) -> None:
        self.colours, self.sizes = colours, sizes
        self._keys, counts = np.unique(self._keys_of(links), return_counts=True)
        self._counts = np.append(counts, 0)  # the last is that of an orbit without links

    @classmethod
    def of(cls, graph: Graph, colours: npt.NDArray[np.integer]) -> "OrbitCensus":
        """Return the census of a graph as it is, with all links in sight."""
        return cls(colours, np.bincount(colours).astype(np.float64), colours[graph.edges.T])

    def _keys_of(self, colours: Ends) -> npt.NDArray[np.int64]:
        low, high = np.minimum(*colours), np.maximum(*colours)
        keys: npt.NDArray[np.int64] = low.astype(np.int64) * len(self.sizes) + high
        return keys

    def links(self, ends: Ends) -> npt.NDArray[np.int64]:
        """Return the number of links in the orbit of every pair."""
        keys = self._keys_of(self.colours[ends])
        place = np.searchsorted(self._keys, keys)
        known = place < len(self._keys)
        known[known] = self._keys[place[known]] == keys[known]
        links: npt.NDArray[np.int64] = self._counts[np.where(known, place, -1)]
        return links

    def pairs(self, ends: Ends) -> npt.NDArray[np.float64]:
        """Return the number of node pairs in the orbit of every pair."""
        first, second = self.colours[ends]
        size = self.sizes[first]
        within, between = size * np.maximum(size - 1, 0) / 2, size * self.sizes[second]
        pairs: npt.NDArray[np.float64] = np.where(first == second, within, between)
        return pairs


def degree_octaves(graph: Graph) -> npt.NDArray[np.int64]:
    """Return for every node the whole part of log2(degree + 1): colours that are coarser than those after one round.

    >>> degree_octaves(Graph.from_edges([[0, 1], [0, 2], [0, 3]], num_nodes=5)).tolist()
    [2, 1, 1, 1, 0]
    """
    octaves: npt.NDArray[np.int64] = np.frexp(graph.degree + 1.0)[1].astype(np.int64) - 1
    return octaves


def orbit_densities(
    graph: Graph, censuses: Sequence[OrbitCensus], ends: Ends, kappa: float
) -> list[npt.NDArray[np.float64]]:
    """Return the density of the orbit of every pair, one array for each census, finer ones after coarser ones.

    With rounds K the density is `rho_K = (links_K + kappa rho_(K-1)) / (pairs_K + kappa)`, and that of the whole graph
    comes first: an orbit of few pairs takes over what is known of the coarser orbit that it is part of, which counts
    for `kappa` pairs. Pairs of one orbit have one density, to the bit.

    Parameters
    ----------
    graph
        The graph.
    censuses
        Of colours that become finer: `degree_octaves`, and then rounds of refinement.
    ends : integer array of shape (2, k)
        The pairs.
    kappa
        How many pairs the density of the coarser orbit counts for; 0 leaves an orbit without pairs at that density.

    Examples
    --------
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> orbit_densities(path, [OrbitCensus.of(path, refine(path).labels)], np.array([[0, 0], [1, 3]]), kappa=1.0)
    [array([0.5 , 0.25])]
    """
    num_nodes = graph.num_nodes
    density = np.full(ends.shape[1], graph.num_edges / max(num_nodes * (num_nodes - 1) // 2, 1))
    densities = []
    for census in censuses:
        pairs = census.pairs(ends) + kappa
        # Without pairs only a node and itself can be in the orbit, and without kappa there is nothing to divide.
        density = np.where(pairs > 0, (census.links(ends) + kappa * density) / np.where(pairs > 0, pairs, 1.0), density)
        densities.append(density)
    return densities


def colours_of_rounds(graph: Graph, rounds: int, threads: int | None = None) -> list[Colouring]:
    """Return the colourings after 1 to `rounds` rounds; those after the partition is stable are the last one."""
    found = list(refine_by_round(graph, rounds, threads=threads))
    return [found[min(r, len(found) - 1)] for r in range(1, rounds + 1)]


def hidden_censuses(
    graph: Graph, rounds: int, folds: int, *, seed: int = 0, threads: int | None = None
) -> list[OrbitCensus]:
    """Return censuses of degree octaves and of every round, in which each link counts where it is when it is hidden.

    The links are hidden in folds drawn at random. A link counts in the orbit that it has in the graph without its fold,
    and the size of a colour is its mean over these graphs. With `folds` 0 all links are in sight.

    Parameters
    ----------
    graph
        The graph.
    rounds
        Number of rounds, from 0.
    folds
        Number of folds, from 2, or 0.
    seed
        The same seed gives the same folds.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Examples
    --------
    A link of a cycle is hidden between two ends of a path, whichever it is, and no fold holds two links here:

    >>> cycle = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> ends = np.array([[0, 0], [1, 2]])
    >>> [census.links(ends).tolist() for census in hidden_censuses(cycle, 0, 0)]
    [[4, 4]]
    >>> [census.links(ends).tolist() for census in hidden_censuses(cycle, 1, 1000)]
    [[4, 4], [0, 0]]
    """
    given: list[npt.NDArray[np.integer]] = [degree_octaves(graph)]
    given += [each.labels for each in colours_of_rounds(graph, rounds, threads)]
    if folds == 0 or graph.num_edges == 0:
        return [OrbitCensus.of(graph, colours) for colours in given]
    fold_of = (Random(seed, "orbit density").uniform(graph.num_edges) * folds).astype(np.int64)
    order = np.argsort(fold_of, kind="stable")
    starts = np.unique(fold_of[order], return_index=True)[1].tolist()
    edges, remover = graph.edges[order], EdgeRemover(graph)
    sizes = [np.zeros(int(colours.max()) + 1) for colours in given]
    links = [np.full((2, graph.num_edges), -1) for _ in given]
    for low, high in pairwise([*starts, graph.num_edges]):
        hidden = slice(low, high)
        left = remover.without(edges[hidden])
        for i, colours in enumerate(_carried_over(graph, left, given, threads)):
            sizes[i] += np.bincount(colours[colours >= 0], minlength=len(sizes[i])) / len(starts)
            links[i][:, hidden] = colours[edges[hidden].T]
    return [
        OrbitCensus(colours, size, ends[:, (ends >= 0).all(axis=0)])
        for colours, size, ends in zip(given, sizes, links, strict=True)
    ]


def _carried_over(
    graph: Graph, left: Graph, given: Sequence[npt.NDArray[np.integer]], threads: int | None
) -> list[npt.NDArray[np.int64]]:
    """Return the colours that nodes have without some links, named as in the graph; -1 for colours that it has not."""
    found = [degree_octaves(left)]  # these have their names from the degrees
    plain = graph.with_attributes(x=None, y=None), left.with_attributes(x=None, y=None)
    together = colours_of_rounds(disjoint_union(plain), len(given) - 1, threads) if len(given) > 1 else []
    for colouring, names in zip(together, given[1:], strict=True):
        name_of = np.full(colouring.num_colours, -1, np.int64)
        name_of[colouring.labels[: graph.num_nodes]] = names
        found.append(name_of[colouring.labels[graph.num_nodes :]])
    return found
