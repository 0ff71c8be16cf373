"""Links and non-links that a network of some layers must score alike: in the graph, and once links are hidden.

`LookAlikes` counts them and finds the hardest; `hide_links` hides links as training does, and asks what of them a
network can distinguish from non-links.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.non_edges import NonEdges
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.edge_orbits import EdgeOrbits
from edgeorbit.orbits.refine import refine
from edgeorbit.report.graph_page.signals import Comparison

SEED = 0
LINKS_PER_ORBIT, NON_LINKS_PER_LINK = 200, 5  # of the sample that common neighbours are compared on
HIDDEN_SHARE = 0.2  # what `edgeorbit train` holds out for validation and test
MAX_LINKS, NON_LINKS_PER_HIDDEN = 2000, 5  # of the sample that is compared


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


@dataclass(frozen=True, eq=False)
class HiddenLinks:
    """Some links of a graph that were hidden, and non-links to tell them from.

    Attributes
    ----------
    graph : Graph
        The graph without the hidden links.
    num_hidden : int
        How many there are.
    num_ambiguous : int
        How many of them have the colours of some non-link: a network with as many layers as there were rounds of
        refinement gives both the same score.
    deeper : float
        Share of the comparisons in `alike` in which stable colours differ; 0 without any.
    alike, at_random : Comparison
        A sample of hidden links, each with non-links of its orbit, and with any.
    """

    graph: Graph
    num_hidden: int
    num_ambiguous: int
    deeper: float
    alike: Comparison
    at_random: Comparison

    @property
    def ambiguous_share(self) -> float:
        """Share of the hidden links that have the colours of some non-link; 0 if none are hidden."""
        return self.num_ambiguous / self.num_hidden if self.num_hidden else 0.0


def hide_links(graph: Graph, rounds: int, *, threads: int | None = None) -> HiddenLinks:
    """Hide links at random, colour what is left, and draw non-links to compare the hidden ones with.

    Every draw has a fixed seed. Non-links are no links of the whole graph, hidden ones included.

    Parameters
    ----------
    graph
        The graph.
    rounds
        Rounds of refinement: the number of layers of a network.
    threads
        Number of threads; by default one per core.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> found = hide_links(cycle(1000), 2)
    >>> found.num_hidden, found.ambiguous_share
    (200, 1.0)
    """
    from edgeorbit.graph.removal import EdgeRemover

    random = Random(SEED, "hidden links of a report")
    edges = graph.edges.astype(np.int64)
    hidden = edges[random.permutation(len(edges))[: int(np.ceil(HIDDEN_SHARE * len(edges)))]]
    left = EdgeRemover(graph).without(hidden)
    colours = refine(left, rounds, threads=threads).labels
    non_edges = NonEdges(graph, colours, hidden)
    orbit = non_edges.orbit_of(hidden)
    ambiguous = non_edges.counts[orbit] > 0
    alike = _compare_within(random, non_edges, hidden[ambiguous], orbit[ambiguous])
    everywhere = NonEdges(graph, np.zeros(graph.num_nodes, np.int64), hidden[:1])
    possible = hidden if len(everywhere.counts) and everywhere.counts[0] else hidden[:0]
    at_random = _compare_within(random, everywhere, possible, np.zeros(len(possible), np.int64))
    stable = refine(left, threads=threads).labels
    deeper = (np.sort(stable[alike.links], axis=1) != np.sort(stable[alike.non_links], axis=1)).any(axis=1)
    share = float(deeper.mean()) if len(deeper) else 0.0
    return HiddenLinks(left, len(hidden), int(ambiguous.sum()), share, alike, at_random)


def _compare_within(
    random: Random, non_edges: NonEdges, links: npt.NDArray[np.int64], orbit: npt.NDArray[np.int64]
) -> Comparison:
    """Draw for each of the first links some non-links of its orbit, all equally likely."""
    # Links are shuffled already. Each comes once before any comes twice, so that a part of the comparisons is fair too.
    chosen = np.tile(np.arange(min(len(links), MAX_LINKS)), NON_LINKS_PER_HIDDEN)
    number = random.below(non_edges.counts[orbit[chosen]])
    return Comparison(links[chosen], non_edges.at(orbit[chosen], number))
