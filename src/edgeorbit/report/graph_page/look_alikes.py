"""Links and non-links that a network of some layers must score alike: how many, and the hardest of them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.non_edges import NonEdges
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.edge_orbits import EdgeOrbits
from edgeorbit.report.graph_page.signals import Comparison

SEED = 0
LINKS_PER_ORBIT, NON_LINKS_PER_LINK = 200, 5  # of the sample that common neighbours are compared on


@dataclass(frozen=True, eq=False)
class HardOrbit:
    """An edge orbit that holds links and non-links.

    Attributes
    ----------
    orbit : int
        Its number.
    num_links, num_non_links : int
        How many links and how many non-links have it: exact, without listing any.
    degrees : tuple of two tuples
        Smallest and largest degree at each of the two ends.
    links, non_links : int64 array of shape (k, 2)
        Examples.
    sample : Comparison
        Links of the orbit, each with non-links of it, drawn at random.
    """

    orbit: int
    num_links: int
    num_non_links: int
    degrees: tuple[tuple[int, int], tuple[int, int]]
    links: npt.NDArray[np.int64]
    non_links: npt.NDArray[np.int64]
    sample: Comparison


class LookAlikes:
    """The links of a graph, and the non-links in the same edge orbits.

    Parameters
    ----------
    graph
        The graph.
    orbits
        Its edge orbits, after as many rounds as a network has layers.

    Examples
    --------
    In a path of four nodes, the two outer links look like the two non-links between an end and the far middle node:

    >>> from edgeorbit.orbits.edge_orbits import edge_orbits
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> found = LookAlikes(path, edge_orbits(path, refine(path)))
    >>> found.num_ambiguous, found.num_comparisons
    (2, 4)
    """

    def __init__(self, graph: Graph, orbits: EdgeOrbits) -> None:
        self.graph = graph
        self.orbits = orbits
        sizes = np.bincount(orbits.node_colours)
        lower, upper = sizes[orbits.colours.T]
        within = orbits.colours[:, 0] == orbits.colours[:, 1]
        num_pairs = np.where(within, lower * (lower - 1) // 2, lower * upper)
        self.num_links: npt.NDArray[np.int64] = orbits.orbit_sizes
        self.num_non_links: npt.NDArray[np.int64] = num_pairs - self.num_links

    @property
    def num_ambiguous(self) -> int:
        """Number of links that have a non-link in their orbit."""
        return int(self.num_links[self.num_non_links > 0].sum())

    @property
    def num_comparisons(self) -> int:
        """Number of pairs of a link and a non-link of one orbit, however many those are."""
        sizes = zip(self.num_links.tolist(), self.num_non_links.tolist(), strict=True)
        return sum(links * non_links for links, non_links in sizes)

    def hardest(self, count: int, num_examples: int = 3) -> list[HardOrbit]:
        """Return the orbits of most links, of those that hold non-links too."""
        ranked = np.lexsort((-self.num_non_links, -self.num_links, self.num_non_links == 0))[:count]
        ranked = ranked[self.num_non_links[ranked] > 0]
        edges = self.graph.edges.astype(np.int64)
        members = [np.flatnonzero(self.orbits.labels == orbit) for orbit in ranked.tolist()]
        firsts = edges[[of[0] for of in members]].reshape(-1, 2)
        non_edges = NonEdges(self.graph, self.orbits.node_colours, firsts)
        numbers = non_edges.orbit_of(firsts).tolist()
        return [
            self._describe(orbit, edges[of], non_edges, number, num_examples)
            for orbit, of, number in zip(ranked.tolist(), members, numbers, strict=True)
        ]

    def _describe(
        self, orbit: int, links: npt.NDArray[np.int64], non_edges: NonEdges, number: int, num_examples: int
    ) -> HardOrbit:
        lower, upper = self.orbits.colours[orbit].tolist()
        turned = self.orbits.node_colours[links[:, 0]] != lower
        links = np.where(turned[:, None], links[:, ::-1], links)
        total = int(non_edges.counts[number])

        def at(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            return non_edges.at(np.full(len(places), number), places)

        random = Random(SEED, f"look-alikes of orbit {orbit}")
        chosen = np.repeat(random.permutation(len(links))[:LINKS_PER_ORBIT], NON_LINKS_PER_LINK)
        return HardOrbit(
            orbit,
            len(links),
            total,
            (self._degrees_of(lower), self._degrees_of(upper)),
            links[_spread(len(links), num_examples)],
            at(_spread(total, num_examples)),
            Comparison(links[chosen], at(random.below(np.full(len(chosen), total)))),
        )

    def _degrees_of(self, colour: int) -> tuple[int, int]:
        degrees = self.graph.degree[self.orbits.node_colours == colour]
        return int(degrees.min()), int(degrees.max())


def _spread(size: int, count: int) -> npt.NDArray[np.int64]:
    """Return at most `count` different numbers below `size`, evenly from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, count)).astype(np.int64))
