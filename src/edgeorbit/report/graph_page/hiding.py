"""Links hidden from a graph, as training hides them: what of them can a network tell from non-links?"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.non_edges import NonEdges
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import refine
from edgeorbit.report.graph_page.signals import Comparison

SEED = 0
HIDDEN_SHARE = 0.2  # what `edgeorbit train` holds out for validation and test
MAX_LINKS, NON_LINKS_PER_LINK = 2000, 5  # of the sample that is compared


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
    chosen = np.tile(np.arange(min(len(links), MAX_LINKS)), NON_LINKS_PER_LINK)
    number = random.below(non_edges.counts[orbit[chosen]])
    return Comparison(links[chosen], non_edges.at(orbit[chosen], number))
