"""Checks of a fitted model: the score of a pair depends on that pair alone, and ties gain nothing."""

import numpy as np

from edgeorbit.auditing._case import Case, Outcome, skipped
from edgeorbit.errors import BadScoresError

ALONE = 20  # pairs that are scored one by one
BATCHES = (7, 64)  # and a third and a half of all
CONSTANT = (5, 100)  # positives and negatives that all have one score
STOP = "scores"  # why scores cannot be compared


def check_finite(case: Case) -> Outcome:
    """There is one finite score for every pair."""
    try:
        scores = case.scores
    except BadScoresError as error:
        case.stops[STOP] = "there is not one finite score per pair"
        return Outcome("failed", str(error))
    wrong = np.flatnonzero(~np.isfinite(scores))
    if not len(wrong):
        return Outcome("passed", f"{len(scores)} pairs")
    case.stops[STOP] = "there is not one finite score per pair"
    value = float(scores[wrong[0]])
    example = case.example(case.pairs[wrong[0]], f"the score is {value}")
    return Outcome("failed", f"{len(wrong)} of {len(scores)} scores are NaN or infinite", example)


def check_scored_twice(case: Case) -> Outcome:
    """Scoring the same pairs twice gives the same scores."""
    example = case.compare(case.pairs, case.scores, case.ask(case.pairs), "in the first or the second call")
    if example is not None:
        case.stops[STOP] = "scores change from call to call; fix seeds and switch dropout off when scoring"
    return case.verdict(example, "")


def check_other_pairs(case: Case) -> Outcome:
    """The score of a pair does not depend on which other pairs are scored with it."""
    half = len(case.pairs) // 2
    pairs, others = case.pairs[:half], case.pairs[half:]
    for other in (np.repeat(others[:1], len(others), axis=0), np.repeat(pairs[:1], len(others), axis=0)):
        scores = case.ask(np.concatenate([pairs, other]))[:half]
        example = case.compare(pairs, case.scores[:half], scores, "with these or with other pairs")
        if example is not None:
            return case.verdict(example, "")
    return case.verdict(None, f"{half} pairs, each with two sets of others")


def check_pair_order(case: Case) -> Outcome:
    """The score of a pair does not depend on the order of the pairs."""
    count = len(case.pairs)
    for order in (np.arange(count)[::-1], np.argsort(case.scores, kind="stable")):
        scores = np.empty(count)
        scores[order] = case.ask(case.pairs[order])
        example = case.compare(case.pairs, case.scores, scores, "in one or in another order of the pairs")
        if example is not None:
            return case.verdict(example, "")
    return case.verdict(None, f"{count} pairs in three orders")


def check_batch_size(case: Case) -> Outcome:
    """The score of a pair does not depend on how many pairs are scored at once."""
    count = len(case.pairs)
    alone = np.concatenate([case.ask(case.pairs[i : i + 1]) for i in range(min(ALONE, count))])
    text = "scored together or {} at a time"
    example = case.compare(case.pairs[: len(alone)], case.scores[: len(alone)], alone, text.format(1))
    sizes = sorted({size for size in (*BATCHES, count // 3, count // 2) if 1 < size < count})
    for size in sizes:
        if example is not None:
            break
        parts = [case.ask(case.pairs[i : i + size]) for i in range(0, count, size)]
        example = case.compare(case.pairs, case.scores, np.concatenate(parts), text.format(size))
    return case.verdict(example, f"1, {', '.join(map(str, sizes))} and {count} pairs at a time")


def check_node_order(case: Case) -> Outcome:
    """The score of (u, v) is that of (v, u)."""
    back = case.ask(case.pairs[:, ::-1])
    return case.verdict(case.compare(case.pairs, case.scores, back, "as (u, v) or as (v, u)"), f"{len(back)} pairs")


def check_ties(case: Case) -> Outcome:
    """A constant scorer gets AUC 0.5 and the MRR of the middle rank, and a tie counts half."""
    positives, negatives = CONSTANT
    constant = {"auc": 0.5, "mrr": 1 / (1 + negatives / 2)}
    by_hand = {"auc": 0.875, "mrr": 0.75}  # [1, 0.5] against [0.5, 0.5, 0, 0]: ranks 1 and 2
    known = False
    for scores, expected, text in (
        ((np.zeros(positives), np.zeros(negatives)), constant, "a constant scorer"),
        ((np.array([1.0, 0.5]), np.array([0.5, 0.5, 0.0, 0.0])), by_hand, "scores 1, 0.5 against 0.5, 0.5, 0, 0"),
    ):
        metrics = {name.lower(): value for name, value in case.metrics(*scores).items()}
        known |= bool(expected.keys() & metrics.keys())
        for name, value in expected.items():
            if name in metrics and not abs(float(metrics[name]) - value) < 1e-6:
                return Outcome("failed", f"{text} gets {name} {float(metrics[name]):.4f} instead of {value:.4f}")
        better = next(
            (k for k, name in _hits(metrics) if text == "a constant scorer" and metrics[name] > k / negatives), 0
        )
        if better:
            return Outcome("failed", f"a constant scorer gets hits@{better} above {better} of {negatives}")
    if not known:
        return skipped("the metrics have neither auc nor mrr")
    return Outcome("passed", "a constant scorer gets AUC 0.5 and the middle rank")


def _hits(metrics: dict[str, float]) -> list[tuple[int, str]]:
    names = [name for name in metrics if name.startswith("hits@") and name[5:].isdigit()]
    return [(int(name[5:]), name) for name in names if int(name[5:]) < CONSTANT[1]]
