"""Everything that the report of a graph says, measured once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import Measurement, measure
from edgeorbit.measures.statistics import Statistics, statistics
from edgeorbit.orbits.edge_orbits import count_edge_orbits, edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine
from edgeorbit.report.drawing import ColouredGraph, colour_graph
from edgeorbit.report.graph_page.advice import UNNAMED, Advice, advise
from edgeorbit.report.graph_page.look_alikes import HardOrbit, HiddenLinks, LookAlikes, hide_links
from edgeorbit.report.graph_page.signals import Signal, compare, compare_common_neighbours

LAYERS = 2  # what most networks have
NUM_ORBITS = 8
MAX_FEATURE_VALUES = 30_000_000  # more take longer to sort than all the rest


@dataclass(frozen=True, eq=False)
class GraphFacts:
    """What was measured about a graph.

    Attributes
    ----------
    coloured : ColouredGraph
        The graph with its orbits, stable or after the rounds that were asked for.
    measurement : Measurement
        EAR and counts of the same colours.
    ear_ordered : float
        EAR by ordered pairs of colours.
    ear_with_features : float or None
        EAR if colours start from the features, if there are any that can be compared quickly.
    statistics : Statistics
        Size, density, clustering and so on.
    layers : int
        Number of layers of the network that look-alikes, signals and advice are about.
    look_alikes : LookAlikes
        Links and non-links that such a network scores alike.
    hardest : list of (HardOrbit, Signal)
        The largest orbits, and how often a link of each has more common neighbours than a non-link of it.
    hidden : HiddenLinks
        Links that were hidden, to see what can be told of them from the others.
    alike, at_random : dict of Signal
        What tells hidden links from non-links of their orbit, and from random ones.
    advice : Advice or None
        Which model to try; None without links.
    """

    coloured: ColouredGraph
    measurement: Measurement
    ear_ordered: float
    ear_with_features: float | None
    statistics: Statistics
    layers: int
    look_alikes: LookAlikes
    hardest: list[tuple[HardOrbit, Signal]]
    hidden: HiddenLinks
    alike: dict[str, Signal]
    at_random: dict[str, Signal]
    advice: Advice | None

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.coloured.graph


def gather_facts(
    graph: Graph,
    *,
    rounds: int | None = None,
    threads: int | None = None,
    source: str = UNNAMED,
    reading: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> GraphFacts:
    """Measure what the report of a graph says; the parameters are those of `graph_page`.

    Examples
    --------
    >>> from edgeorbit.graph.toys import karate
    >>> facts = gather_facts(karate())
    >>> facts.look_alikes.num_ambiguous, facts.layers
    (2, 2)
    """
    say = progress if progress is not None else _say_nothing
    limit = check_rounds(rounds)
    layers = LAYERS if limit is None else limit
    say("colouring")
    coloured = colour_graph(graph, limit, threads=threads)
    counts = count_edge_orbits(graph, coloured.colouring)
    indistinguishable = graph.num_edges - counts.alone + counts.alone_within_colour
    say("measuring EAR by round")
    measurement = coloured.until_stable if limit is None else measure(graph, rounds=limit, threads=threads)
    with_features = _ear_with_features(graph, limit, threads)
    say("counting triangles and cores")
    found = statistics(graph, threads=threads)
    say("counting look-alikes")
    look_alikes = LookAlikes(graph, edge_orbits(graph, refine(graph, layers, threads=threads)))
    hardest = [
        (orbit, compare_common_neighbours(graph, orbit.sample, threads=threads))
        for orbit in look_alikes.hardest(NUM_ORBITS)
    ]
    say("hiding links and comparing them with non-links")
    hidden = hide_links(graph, layers, threads=threads)
    alike = compare(hidden.graph, hidden.alike, threads=threads)
    at_random = compare(hidden.graph, hidden.at_random, threads=threads)
    advice = advise(graph, hidden.ambiguous_share, alike, at_random, layers=layers, source=source, reading=reading)
    return GraphFacts(
        coloured=coloured,
        measurement=measurement,
        ear_ordered=indistinguishable / graph.num_edges if graph.num_edges else 0.0,
        ear_with_features=with_features,
        statistics=found,
        layers=layers,
        look_alikes=look_alikes,
        hardest=hardest,
        hidden=hidden,
        alike=alike,
        at_random=at_random,
        advice=advice,
    )


def _ear_with_features(graph: Graph, rounds: int | None, threads: int | None) -> float | None:
    from edgeorbit.measures.ear import ear

    if graph.x is None or graph.num_edges == 0 or graph.x.size > MAX_FEATURE_VALUES:
        return None
    try:
        return ear(graph, rounds=rounds, initial="features", threads=threads)
    except EdgeorbitError:  # missing values equal nothing
        return None


def _say_nothing(_: str) -> None:
    pass
