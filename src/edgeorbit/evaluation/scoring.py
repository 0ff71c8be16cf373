"""A model's scores on held-out edges and their negatives, and the metrics of them.

Scores are compared as they are given. Networks compute theirs in double precision and round them to single once, so
that pairs that an automorphism of the graph maps onto each other are tied (see `NeuralLinkModel.on`); heuristics add
up weights on which float64 is exact.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.splits.split import LinkSplit, Negatives, Part
from edgeorbit.errors import BadScoresError
from edgeorbit.evaluation.metrics import KS, evaluate
from edgeorbit.graph.graph import ORIGINAL
from edgeorbit.graph.node_pairs import distinct
from edgeorbit.models.base import Scorer, Scores

PAIRS_AT_ONCE = 1 << 14  # some models take seconds for so many; one that is quicker with more says so


def score_negatives(scorer: Scorer, negatives: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Score a pool of shape (n, 2), or own negatives of shape (p, k, 2); NaN where a positive has fewer than k."""
    pairs = negatives.reshape(-1, 2)
    present = pairs[:, 0] >= 0
    found = _in_parts(scorer, pairs if present.all() else pairs[present])
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):  # NaN would be taken for padding
        raise BadScoresError(
            f"{len(bad)} of {len(found)} scores of negatives are NaN or infinite; a score must be a finite number"
        )
    scores = found
    if not present.all():
        scores = np.full(len(pairs), np.nan, np.result_type(found, np.float32))
        scores[present] = found
    return scores.reshape(negatives.shape[:-1])


def score_ahead(scorer: Scorer, split: LinkSplit, judged: Sequence[tuple[Negatives, Part]]) -> Scorer:
    """Score held-out edges and all their negatives at once, each pair once; return a function that looks them up.

    Kinds of negatives have the positives in common, and more. Some models do a node's work again for every call.
    """
    asked = [split.positives(part) for part in sorted({part for _, part in judged})]
    asked += [negatives.of(part).reshape(-1, 2) for negatives, part in judged]
    pairs = np.concatenate(asked)
    num_nodes = split.graph.num_nodes

    def number(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        numbers: npt.NDArray[np.int64] = pairs[:, 0] * num_nodes + pairs[:, 1]
        return numbers

    known = distinct(number(pairs[pairs[:, 0] >= 0]))
    scores = _in_parts(scorer, np.stack(np.divmod(known, num_nodes), axis=1))

    def look_up(pairs: npt.NDArray[np.int64]) -> Scores:
        found: Scores = scores[np.searchsorted(known, number(pairs))]
        return found

    return look_up


def evaluate_part(
    scorer: Scorer, split: LinkSplit, negatives: Negatives, part: Part, ks: Sequence[int] = KS
) -> dict[str, Any]:
    """Return the metrics of a part; for a synthetic graph also those of its original edges alone, as `original`.

    A part none of whose positives has a negative has metrics None.

    Added edges are random, so no method can predict them: what a method is worth shows in the others.
    """
    positive = _in_parts(scorer, split.positives(part))
    negative = score_negatives(scorer, negatives.of(part))
    found: dict[str, Any] = _evaluate(positive, negative, ks)
    kinds = split.kinds(part)
    if kinds is not None and (kinds != ORIGINAL).any() and (kinds == ORIGINAL).any():
        chosen = kinds == ORIGINAL
        found["original"] = _evaluate(positive[chosen], negative if negative.ndim == 1 else negative[chosen], ks)
    return found


class ScoringProgress:
    """Tells how many of all pairs are scored.

    Parameters
    ----------
    split, negatives
        What is evaluated: the validation and test edges, and their negatives.
    report
        Called with the numbers of pairs scored and to score.
    """

    def __init__(self, split: LinkSplit, negatives: Negatives, report: Callable[[int, int], None]) -> None:
        parts: tuple[Part, Part] = ("valid", "test")
        self.total = sum(len(split.positives(part)) + int((negatives.of(part)[..., 0] >= 0).sum()) for part in parts)
        self.done, self.report = 0, report

    def watch(self, scorer: Scorer) -> Scorer:
        """Return the scorer, watched."""

        def score(pairs: npt.NDArray[np.int64]) -> Scores:
            scores = scorer(pairs)
            self.done += len(pairs)
            self.report(self.done, self.total)
            return scores

        score.pairs_at_once = _pairs_at_once(scorer)  # type: ignore[attr-defined]
        return score


def _evaluate(positive: npt.NDArray[Any], negative: npt.NDArray[Any], ks: Sequence[int]) -> dict[str, Any]:
    """Return the metrics; None for each where no positive has a negative, or nothing of the part was held out."""
    if len(positive) and (negative.ndim == 1 or not np.isnan(negative).all()):
        return dict(evaluate(positive, negative, ks))
    counts = {"num_positives": len(positive), "num_negatives": 0, "num_without_negatives": len(positive)}
    return dict.fromkeys(evaluate([0], [0], ks)) | counts


def _in_parts(scorer: Scorer, pairs: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    size = _pairs_at_once(scorer)
    parts = [scorer(pairs[start : start + size]) for start in range(0, len(pairs), size)]
    return np.concatenate(parts) if parts else np.empty(0, np.float32)


def _pairs_at_once(scorer: Scorer) -> int:
    return getattr(scorer, "pairs_at_once", PAIRS_AT_ONCE)
