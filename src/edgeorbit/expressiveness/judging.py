"""From a scorer to classes of scores: draws of weights, what counts as a difference, and another numbering."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edgeorbit.data.features import node_features
from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness.examples import names_of
from edgeorbit.expressiveness.expected_scores import (
    ExpectedScores,
    choose_noise_draws,
    count_errors,
    default_tolerance,
    expected_scores,
    scale_of,
)
from edgeorbit.expressiveness.orbited_edges import OrbitedEdges
from edgeorbit.expressiveness.relabelling import Relabelling, relabel
from edgeorbit.expressiveness.score_classes import Labels, Values, cut_orbits, meet
from edgeorbit.expressiveness.scorers import DrawnScorer
from edgeorbit.graph.graph import Graph
from edgeorbit.randomness import Random, check_seed

SEEDS = 2**31  # weights are drawn from seeds below


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
