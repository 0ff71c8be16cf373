"""Theorem 4.1 by drawing: how often dropout changes a graph, and how often it distinguishes two look-alikes.

The theorem speaks of the first alone. A changed graph may well leave two links alike: the perturbed graph has
symmetries of its own, and most draws change something far away from a given pair. So the graph of every draw is
recoloured, and the links of each orbit are counted that got other colours than their fellows. `drop_from_cycle` is the
paper's figure of C8: what dropping an edge, a node or both does to its symmetry.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.recolour import Recolourer
from edgeorbit.orbits.refine import check_rounds, refine
from edgeorbit.theory.sample_complexity import log_unchanged

AT_ONCE = 1 << 22  # random numbers held in memory
MOST_NUMBERS = 1 << 33  # random numbers drawn in all: about a minute
NODES = 8
DROPPED_EDGE, DROPPED_NODE = (0, 7), 2  # as the gallery draws it
LAYERS = 2  # of the paper's figure


def share_changed(rates: npt.ArrayLike, draws: int, trials: int = 1000, seed: int = 0) -> float:
    """Return in which share of trials one of so many draws of edge dropout differs from the graph.

    Parameters
    ----------
    rates
        The rate of every edge.
    draws, trials
        Draws of a trial, and trials, both from 1.
    seed
        The same seed gives the same share, on every machine.

    Examples
    --------
    >>> share_changed([0.5, 0.5], draws=1, trials=10_000)
    0.7513
    """
    values = np.asarray(rates, np.float64)
    log_unchanged(values)
    _check_counts(draws, trials)
    if len(values) * draws * trials > MOST_NUMBERS:
        raise InvalidParameterError(
            f"{trials} trials of {draws} draws from {len(values)} edges are too many numbers to draw; take fewer trials"
        )
    random = Random(seed, "edge dropout")
    changed = np.zeros(trials, bool)
    per_part = max(1, AT_ONCE // max(1, len(values)))
    # All draws in a row, trial after trial; a part need not end with a trial.
    for begin in range(0, trials * draws, per_part):
        number = np.arange(begin, min(begin + per_part, trials * draws))
        dropped = random.uniform(len(number) * len(values)).reshape(len(number), len(values)) < values
        changed[number[dropped.any(axis=1)] // draws] = True
    return float(changed.mean())


@dataclass(frozen=True)
class Course:
    """What one draw after another achieves, on average over trials; lists have an entry for each number of draws.

    Attributes
    ----------
    graph, trials, rounds
        The graph, the trials, and the rounds of recolouring (None: stable colours).
    num_orbits, num_pairs
        Edge orbits of more than one edge, and pairs of edges within them.
    changed
        Share of trials in which a draw so far differs from the graph.
    orbits_split
        Share of those orbits that a draw so far has split.
    largest_split
        Share of trials in which the largest orbit is split.
    pairs_told
        Share of those pairs that a draw so far has told apart.
    """

    graph: str
    trials: int
    rounds: int | None
    num_orbits: int
    num_pairs: int
    changed: list[float]
    orbits_split: list[float]
    largest_split: list[float]
    pairs_told: list[float]

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


def follow_draws(
    graph: Graph,
    rates: npt.ArrayLike,
    draws: int,
    *,
    trials: int = 200,
    seed: int = 0,
    rounds: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Course:
    """Drop edges, recolour, and count which look-alikes are told apart, draw after draw.

    Two edges of an orbit are told apart once the colours of their ends differ in one of the graphs that were drawn. An
    edge that was dropped counts as the node pair that it is.

    Parameters
    ----------
    graph
        The graph; it must have edges that look alike.
    rates
        The rate of every edge, in the order of `graph.edges`.
    draws, trials
        Draws of a trial, and trials, both from 1.
    seed
        The same seed gives the same course.
    rounds
        Rounds of refinement, for the orbits and for recolouring; by default colours are stable.
    progress
        Called with the numbers of graphs recoloured and to recolour.

    Raises
    ------
    InvalidParameterError
        If no two edges look alike, or a number is out of its range.

    Examples
    --------
    Without its middle link a path is another graph, and its two outer links look alike as before:

    >>> from edgeorbit.graph.families import path
    >>> course = follow_draws(path(4), [0.0, 0.5, 0.0], draws=2, trials=100)
    >>> course.changed[0] > 0.3, course.pairs_told
    (True, [0.0, 0.0])
    """
    values = np.asarray(rates, np.float64)
    log_unchanged(values)
    _check_counts(draws, trials)
    if len(values) != graph.num_edges:
        raise InvalidParameterError(f"there are {len(values)} rates for the {graph.num_edges} edges of {graph.name}")
    orbits = edge_orbits(graph, refine(graph, check_rounds(rounds)))
    alike = np.flatnonzero(orbits.indistinguishable)
    if len(alike) == 0:
        raise InvalidParameterError(f"no two links of {graph.name} look alike, so that there is nothing to tell apart")
    edges, orbit = graph.edges, np.unique(orbits.labels[alike], return_inverse=True)[1]
    sizes = np.bincount(orbit)
    pairs = _count_pairs(sizes)
    random, recolourer = Random(seed, "edge dropout, draw by draw"), Recolourer(graph, rounds)
    found = np.zeros((4, draws))
    for trial in range(trials):
        changed, labels = False, orbit
        for draw in range(draws):
            dropped = random.uniform(len(values)) < values
            if dropped.any():  # otherwise the colours are those that made the orbits
                changed = True
                colours = np.sort(recolourer.recolour(edges[dropped]).labels[edges[alike]], axis=1)
                labels = _intersect(labels, colours)
            part_sizes = np.bincount(labels)
            num_parts = np.bincount(orbit[np.unique(labels, return_index=True)[1]], minlength=len(sizes))
            told = 1 - _count_pairs(part_sizes) / pairs
            found[:, draw] += changed, (num_parts > 1).mean(), num_parts[sizes.argmax()] > 1, told
            if progress is not None:
                progress(trial * draws + draw + 1, trials * draws)
    return Course(graph.name, trials, rounds, len(sizes), pairs, *(found / trials).tolist())


def _intersect(labels: npt.NDArray[np.int64], colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Number the parts of two partitions together; the second is given by two colours for each entry."""
    width = int(colours.max()) + 1
    second = np.unique(colours.astype(np.int64) @ [width, 1], return_inverse=True)[1]
    parts: npt.NDArray[np.int64] = np.unique(labels * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return parts


def _count_pairs(sizes: npt.NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _check_counts(draws: int, trials: int) -> None:
    for name, number in (("draws", draws), ("trials", trials)):
        if number < 1:
            raise InvalidParameterError(f"{name} must be at least 1, not {number}")


@dataclass(frozen=True)
class DroppedCycle:
    """C8, or what dropout left of it.

    Attributes
    ----------
    dropped
        What was dropped: nothing, edge, node, both.
    num_edges
        Edges that are left.
    ear_two_rounds
        EAR after two rounds: what two layers of a network see that does not look at degrees beforehand.
    ear_gcn
        EAR after two rounds that start from degrees: what a GCN of two layers sees.
    ear
        EAR of stable colours.
    num_colours, num_unique_nodes
        Stable colours, and nodes that are alone in theirs.
    """

    dropped: str
    num_edges: int
    ear_two_rounds: float
    ear_gcn: float
    ear: float
    num_colours: int
    num_unique_nodes: int

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


def drop_from_cycle() -> list[DroppedCycle]:
    """Return C8 whole, without an edge, without the features of a node, and without both.

    A node is dropped as D1 drops it: its features are zeroed, which gives it an initial colour of its own.

    >>> [round(row.ear, 4) for row in drop_from_cycle()]
    [1.0, 0.8571, 1.0, 0.0]
    """
    return [
        _measure("nothing", edge=False, node=False),
        _measure("edge", edge=True, node=False),
        _measure("node", edge=False, node=True),
        _measure("both", edge=True, node=True),
    ]


def _measure(dropped: str, *, edge: bool, node: bool) -> DroppedCycle:
    kept = [pair for pair in cycle(NODES).edges.tolist() if not edge or tuple(pair) != DROPPED_EDGE]
    graph = Graph.from_edges(kept, NODES, name=f"C{NODES}")
    mark = np.zeros(NODES, np.int64)
    mark[DROPPED_NODE] = node
    stable = refine(graph, initial=mark)
    return DroppedCycle(
        dropped=dropped,
        num_edges=graph.num_edges,
        ear_two_rounds=ear(graph, rounds=LAYERS, initial=mark),
        ear_gcn=ear(graph, rounds=LAYERS, initial=np.stack([graph.degree, mark], axis=1)),
        ear=ear(graph, initial=mark),
        num_colours=stable.num_colours,
        num_unique_nodes=int((stable.sizes == 1).sum()),
    )
