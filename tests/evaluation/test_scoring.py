"""Scores of held-out edges and their negatives, in parts, with progress."""

import numpy as np

from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits import random_split
from edgeorbit.evaluation import scoring
from edgeorbit.evaluation.scoring import ScoringProgress, evaluate_part
from edgeorbit.graph.toys import karate
from edgeorbit.models import resolve_model


def test_progress_ends_when_all_pairs_are_scored() -> None:
    split = random_split(karate())
    for kind in ("random", "heart", "orbit"):
        told: list[tuple[int, int]] = []
        negatives = sample_negatives(split, kind)
        progress = ScoringProgress(split, negatives, lambda done, total, told=told: told.append((done, total)))
        scorer = progress.watch(lambda pairs: np.zeros(len(pairs)))
        for part in ("valid", "test"):
            evaluate_part(scorer, split, negatives, part)
        assert told[-1][0] == told[-1][1] > 0 and [done for done, _ in told] == sorted(done for done, _ in told)


def test_metrics_do_not_depend_on_how_many_pairs_are_scored_at_once(monkeypatch) -> None:
    split = random_split(karate())
    negatives = sample_negatives(split, "orbit", rounds=1)

    def scorer(pairs: np.ndarray) -> np.ndarray:
        return np.sin(pairs[:, 0] * 7.0 + pairs[:, 1])

    whole = evaluate_part(scorer, split, negatives, "test")
    monkeypatch.setattr(scoring, "PAIRS_AT_ONCE", 3)
    assert evaluate_part(scorer, split, negatives, "test") == whole


def test_a_scorer_that_is_quicker_with_more_pairs_gets_them_at_once(monkeypatch) -> None:
    split = random_split(karate())
    negatives = sample_negatives(split, "heart")
    monkeypatch.setattr(scoring, "PAIRS_AT_ONCE", 3)
    calls = []

    def watched(*arguments) -> None:
        calls.append(arguments)

    scorer = ScoringProgress(split, negatives, watched).watch(resolve_model("ppr")().on(split.graph))
    evaluate_part(scorer, split, negatives, "test")
    assert len(calls) == 2  # the positives, the negatives
