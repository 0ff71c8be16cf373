"""Scores of held-out edges and their negatives, in parts, with progress."""

import numpy as np
import pytest

from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits import random_split
from edgeorbit.evaluation import scoring
from edgeorbit.evaluation.scoring import ScoringProgress, evaluate_part, score_ahead
from edgeorbit.graph.toys import karate
from edgeorbit.models import resolve_model
from edgeorbit.synthetic import make


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


def test_scores_ahead_are_those_of_the_scorer_and_every_pair_is_scored_once() -> None:
    split = random_split(karate())
    several = [
        sample_negatives(split, kind, rounds=1) if kind == "orbit" else sample_negatives(split, kind)
        for kind in ("random", "heart", "orbit")
    ]
    scored: list[list[int]] = []

    def scorer(pairs: np.ndarray) -> np.ndarray:
        scored.extend(pairs.tolist())
        return np.sin(pairs[:, 0] * 7.0 + pairs[:, 1])

    parts = ("valid", "test")
    ahead = score_ahead(scorer, split, [(negatives, part) for negatives in several for part in parts])
    assert len(scored) == len(set(map(tuple, scored)))
    number = len(scored)
    for negatives in several:
        for part in parts:
            again = evaluate_part(ahead, split, negatives, part)
            assert len(scored) == number
            assert again == evaluate_part(scorer, split, negatives, part)
            del scored[number:]


@pytest.mark.parametrize("seed", range(4))
def test_a_model_that_sees_no_difference_is_at_chance_by_every_metric(seed: int) -> None:
    split = random_split(make("syn-karate", edges=0).with_attributes(x=np.ones((68, 1), np.float32)), seed=seed)
    model = resolve_model("mlp")()
    model.build(split.graph, seed=seed)
    negatives = sample_negatives(split, "random")
    for part in ("valid", "test"):
        found = evaluate_part(model.on(split.graph), split, negatives, part)
        assert found["auc"] == 0.5
        assert found["mrr"] == pytest.approx(1 / (1 + len(negatives.of(part)) / 2))
