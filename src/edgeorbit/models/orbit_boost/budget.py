"""Which signals a graph can afford: by an estimate from counts, so that the answer is the same on every machine."""

from collections.abc import Collection

from edgeorbit.graph.graph import Graph
from edgeorbit.signals import SIGNALS

# Of one core, as measured on amazon0601, whose nodes lie far apart in memory; smaller graphs are faster.
VISITS_PER_SECOND = 1.4e8  # neighbours, while walks are counted
SOURCE_SECONDS = 2e-4  # PageRank from one node, for all pairs that it is in
ENTRY_SECONDS = 5e-8  # the same for each entry of a graph too small for that
DISTANCE_SECONDS = 1e-5  # a pair
CHEAP_SECONDS = 8e-6  # a pair, all other signals together
SCORED = 0.5  # pairs that will be scored, for each training link


def affordable(
    graph: Graph, names: Collection[str], num_pairs: int, seconds: float
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return the signals that fit into so many seconds of one core, and by name of those left out what they would take.

    While the estimate is above the bound, the costliest signals are left out, all that share their work together. What
    takes no more than a look at the neighbours of a pair always stays.

    Parameters
    ----------
    graph
        The training graph.
    names
        The signals that are wanted.
    num_pairs
        How many pairs are learned from; half as many pairs as there are links are added for evaluation.
    seconds
        The bound; 0 for none.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> affordable(path, ["distance", "degree_min"], num_pairs=10**6, seconds=1.0)
    (('degree_min',), {'distance': 10.0000...})
    """
    pairs = num_pairs + SCORED * graph.num_edges
    kept = tuple(names)
    if not seconds:
        return kept, {}
    costs = {unit: _seconds(graph, unit, pairs) for unit in dict.fromkeys(map(_unit, kept)) if unit}
    left_out: dict[str, float] = {}
    for unit, cost in sorted(costs.items(), key=lambda pair: (-pair[1], pair[0])):
        if CHEAP_SECONDS * pairs + sum(costs.values()) <= seconds:
            break
        left_out |= dict.fromkeys((name for name in kept if _unit(name) == unit), cost)
        kept = tuple(name for name in kept if _unit(name) != unit)
        del costs[unit]
    return kept, left_out


def _unit(name: str) -> str:
    """Return what a signal is left out with; nothing for a cheap one. Two lengths of walks share a half."""
    signal = SIGNALS[name]
    if signal.cheap:
        return ""
    return f"walks {(int(name.split('_')[1]) + 1) // 2}" if signal.part == "walks" else signal.part


def _seconds(graph: Graph, unit: str, pairs: float) -> float:
    from edgeorbit.pairwise.walks import walking_work

    if unit == "pagerank":
        source = min(SOURCE_SECONDS, ENTRY_SECONDS * len(graph.indices))
        return min(pairs, graph.num_nodes) * source
    if unit == "distance":
        return pairs * DISTANCE_SECONDS
    half = 2 if unit == "orbit-walks" else int(unit.split()[1])
    return float(pairs * walking_work(graph, 1, 2 * half)) / VISITS_PER_SECOND
