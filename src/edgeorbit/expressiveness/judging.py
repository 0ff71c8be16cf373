"""From a scorer to classes of scores: draws of weights, what counts as a difference, and another numbering of nodes.

Classes are made by sorting and pairs counted by sizes, never pair by pair.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random, check_seed
from edgeorbit.data.features import node_features
from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness.scorers import (
    DrawnScorer,
    ExpectedScores,
    Labels,
    Values,
    choose_noise_draws,
    count_errors,
    default_tolerance,
    expected_scores,
    scale_of,
)
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Pairs
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine

SEEDS = 2**31  # weights are drawn from seeds below
Name = int | str


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


def cut_orbits(orbits: Labels, scores: Values, tolerance: float, errors: Values | None = None) -> Labels:
    """Number the classes of scores inside every orbit.

    In the order of their scores, two neighbours of an orbit are parted if they differ by more than the tolerance, and
    by more than the errors of the two together, if there are any. So values that rounding spreads stay together, and so
    does a chain of values whose links are all that short.

    Examples
    --------
    >>> cut_orbits(np.array([0, 0, 0, 1]), np.array([2.0, 1.0, 2.0 + 1e-12, 1.0]), tolerance=1e-9).tolist()
    [1, 0, 1, 2]
    """
    order = np.lexsort((scores, orbits))
    placed = scores[order]
    slack: Any = tolerance
    if errors is not None:
        squares = errors[order] ** 2
        slack = np.maximum(tolerance, np.sqrt(squares[1:] + squares[:-1]))
    parted = (np.diff(orbits[order]) != 0) | (np.diff(placed) > slack)
    classes = np.empty(len(scores), np.int64)
    classes[order] = np.concatenate([[0], np.cumsum(parted)])[: len(scores)]
    return classes


def meet(first: Labels, second: Labels) -> Labels:
    """Number the classes of what is together in both partitions.

    >>> meet(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).tolist()
    [0, 1, 2, 2]
    """
    if len(first) == 0:
        return first
    both: Labels = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return both


def count_pairs(labels: Labels) -> int:
    """Count the pairs that share a label, exactly.

    >>> count_pairs(np.zeros(1_000_000, np.int64))
    499999500000
    """
    sizes, numbers = np.unique(np.bincount(labels), return_counts=True)
    return sum(number * (size * (size - 1) // 2) for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True))


@dataclass(frozen=True)
class EdgePair:
    """Two edges of one orbit, and their scores in one draw of weights."""

    first: tuple[Name, Name]
    second: tuple[Name, Name]
    scores: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    def __str__(self) -> str:
        """Write the edges and their scores, with as many digits as tell them apart."""
        (a, b), (c, d) = self.first, self.second
        one, two = next(
            both for digits in (4, 7, 10, 17) if (both := _both(self.scores, digits))[0] != both[1] or digits == 17
        )
        if self.scores[0] == self.scores[1] or one == two:
            one = two = f"{self.scores[0]:.4g}"
        return f"{a}-{b} ({one}) and {c}-{d} ({two})"


def _both(scores: tuple[float, float], digits: int) -> tuple[str, str]:
    return f"{scores[0]:.{digits}g}", f"{scores[1]:.{digits}g}"


def names_of(graph: Graph, pair: npt.NDArray[np.integer[Any]]) -> tuple[Name, Name]:
    """Return the user's own names of two nodes.

    >>> names_of(Graph.from_edges([[0, 1]], node_names=np.array(["a", "b"])), np.array([1, 0]))
    ('b', 'a')
    """
    first, second = (name if isinstance(name, int) else str(name) for name in graph.names(pair).tolist())
    return first, second


@dataclass(frozen=True)
class Relabelling:
    """What became of the scores when the nodes were numbered in another order.

    Attributes
    ----------
    agrees : bool
        Whether every edge kept its score (with noise: its mean score, within the error).
    edge : two node names
        The edge whose score changed the most.
    scores : two numbers
        Its score before and after.
    """

    agrees: bool
    edge: tuple[Name, Name]
    scores: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)


def relabel(graph: Graph, pairs: Pairs, seed: int) -> tuple[Graph, Pairs]:
    """Number the nodes in a random order; features and labels go with their nodes, weights with their edges.

    The pairs are written with the smaller number first, as before: a score that depends on which node comes first
    depends on the numbering.

    >>> copy, pairs = relabel(Graph.from_edges([[0, 1], [1, 2]]), np.array([[0, 1]]), seed=0)
    >>> copy.degree[pairs[0]].tolist() in ([1, 2], [2, 1])
    True
    """
    number = Random(seed, "relabelling").permutation(graph.num_nodes)
    if (number == np.arange(len(number))).all():
        number = np.roll(number, 1)
    back = np.argsort(number)
    attributes: dict[str, Any] = {
        what: values[back] for what, values in (("x", graph.x), ("y", graph.y)) if values is not None
    }
    copy = Graph.from_edges(
        number[graph.edges], graph.num_nodes, name=graph.name, edge_weight=graph.edge_weight, **attributes
    )
    return copy, np.sort(number[pairs], axis=1)


class Judgement(NamedTuple):
    """What is found of a scorer; see `ScorePartition`."""

    classes: Labels
    scores: Values
    margins: Values | None
    noise_draws: int
    tolerance: float
    single_precision: bool
    randomised: bool
    relabelling: Relabelling | None


@dataclass(frozen=True)
class Judge:
    """How scorers are judged; the attributes are parameters of `score_partition`."""

    draws: int = 8
    noise_draws: int | None = None
    seed: int = 0
    tolerance: float | None = None
    relabelling: bool = True
    features: str = "constant"
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        """Refuse values out of their range."""
        if self.draws < 1:
            raise InvalidParameterError(f"draws must be at least 1, not {self.draws}")
        if self.noise_draws is not None and self.noise_draws < 2:
            raise InvalidParameterError(f"noise_draws must be at least 2, not {self.noise_draws}; errors need two")
        if self.tolerance is not None and not 0 <= self.tolerance < 1:
            raise InvalidParameterError(f"tolerance must be at least 0 and below 1, not {self.tolerance}")
        check_seed(self.seed)

    def judge(self, scorer: DrawnScorer, graph: Graph, edges: OrbitedEdges) -> Judgement:
        """Find the classes of edges that a scorer cannot tell apart."""
        place = edges.shared
        seeds = Random(self.seed, "weights").below(np.full(self.draws if scorer.weighted else 1, SEEDS)).tolist()
        if len(place) == 0:
            unscored = np.full((0, len(edges.edges)), np.nan)
            return Judgement(edges.orbits, unscored, None, 1, 0.0, False, False, None)
        sharing = OrbitedEdges(edges.edges[place], edges.orbits[place], np.arange(len(place)))
        advance = self._counter(len(seeds) + (self.relabelling and scorer.relabels))
        noise_draws = choose_noise_draws(len(place)) if self.noise_draws is None else self.noise_draws
        found: list[ExpectedScores] = []
        for seed in seeds:
            if found and found[0].errors is not None and 2 * len(found) >= len(seeds):
                advance()  # with noise, time is better spent on means than on more weights
                continue
            found.append(self._score(scorer, graph, sharing, seed, noise_draws))
            advance()
        single = any(one.single for one in found)
        relative = default_tolerance(single) if self.tolerance is None else self.tolerance
        tolerance = relative * max(scale_of(one.scores) for one in found)
        factor = count_errors(len(found) * len(place), noise_draws)
        margins = [None if one.errors is None else factor * one.errors for one in found]
        classes = edges.orbits
        for one, margin in zip(found, margins, strict=True):
            cut = np.zeros(len(edges.edges), np.int64)
            cut[place] = cut_orbits(sharing.orbits, one.scores, tolerance, margin)
            classes = meet(classes, cut)
        randomised = any(margin is not None for margin in margins)
        renumbered = None
        if self.relabelling and scorer.relabels:
            copy, pairs = relabel(graph, sharing.edges, self.seed)
            there = self._score(scorer, copy, OrbitedEdges(pairs, sharing.orbits, place), seeds[0], noise_draws)
            advance()
            renumbered = _compare_numberings(graph, sharing, found[0], there, tolerance, factor)
        return Judgement(
            classes=classes,
            scores=_spread([one.scores for one in found], place, len(edges.edges)),
            margins=_spread([np.zeros(len(place)) if one is None else one for one in margins], place, len(edges.edges))
            if randomised
            else None,
            noise_draws=noise_draws if randomised else 1,
            tolerance=tolerance,
            single_precision=single,
            randomised=randomised,
            relabelling=renumbered,
        )

    def _score(
        self, scorer: DrawnScorer, graph: Graph, edges: OrbitedEdges, seed: int, noise_draws: int
    ) -> ExpectedScores:
        # Features that are made from numbers of nodes are made anew for another numbering, which shows what they are.
        given = graph.with_attributes(x=node_features(graph, self.features, self.seed)) if scorer.relabels else graph
        drawn = scorer.draw(given, seed)
        return expected_scores(drawn, scorer.name, edges.edges, edges.orbits, noise_draws)

    def _counter(self, total: int) -> Callable[[], None]:
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            if self.progress is not None:
                self.progress(done, total)

        return advance


def _compare_numberings(
    graph: Graph, edges: OrbitedEdges, here: ExpectedScores, there: ExpectedScores, tolerance: float, factor: float
) -> Relabelling:
    gaps = np.abs(here.scores - there.scores)
    excess = gaps - tolerance
    if here.errors is not None and there.errors is not None:
        excess = gaps - np.maximum(tolerance, factor * np.hypot(here.errors, there.errors))
    worst = int(excess.argmax())
    scores = float(here.scores[worst]), float(there.scores[worst])
    return Relabelling(bool(excess[worst] <= 0), names_of(graph, edges.edges[worst]), scores)


def _spread(rows: list[Values], place: Labels, width: int) -> Values:
    """Return rows with their values in these places, and NaN elsewhere."""
    wide = np.full((len(rows), width), np.nan)
    for row, values in zip(wide, rows, strict=True):
        row[place] = values
    return wide
