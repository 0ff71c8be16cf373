"""The one place where scores become numbers: ranks, MRR, Hits@K, AUC, AP and the share of ties.

Everything follows from two counts for each positive: how many of its negatives score higher, and how many the same.
A scorer that gives every pair the same score is counted as one that knows nothing.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError

KS = (1, 3, 10, 20, 50, 100)  # those that OGB and HeaRT report


class Ranks(NamedTuple):
    """The rank of every positive among its negatives, from 1.

    Attributes
    ----------
    optimistic : int64 array
        Before the negatives of the same score: `1 + greater`.
    realistic : float64 array
        In the middle of them: `1 + greater + ties / 2`.
    pessimistic : int64 array
        Behind them: `1 + greater + ties`.
    """

    optimistic: npt.NDArray[np.int64]
    realistic: npt.NDArray[np.float64]
    pessimistic: npt.NDArray[np.int64]


def ranks(positive: npt.ArrayLike, negative: npt.ArrayLike) -> Ranks:
    """Rank every positive among a pool of negatives, or among negatives of its own.

    Scores are compared as they are given, without rounding. A pool is sorted once, so a million positives against a
    million negatives take a second.

    Parameters
    ----------
    positive : array of shape (p,)
        The scores of the positives.
    negative : array of shape (n,) or (p, k)
        The scores of one pool for all positives, or of k negatives for each; NaN where a positive has fewer than k.

    Returns
    -------
    Ranks
        A positive without negatives has rank 1.

    Raises
    ------
    InvalidParameterError
        If there are no positives or no negatives, if the shapes do not fit, or if a score is not finite.

    Examples
    --------
    >>> ranks([0.9, 0.5], [0.7, 0.5, 0.5, 0.1])
    Ranks(optimistic=array([1, 2]), realistic=array([1., 3.]), pessimistic=array([1, 4]))
    >>> ranks([0.9, 0.5], [[0.9, 1.0], [0.1, np.nan]]).realistic.tolist()
    [2.5, 1.0]
    """
    return _ranks(*_checked(positive, negative))


def evaluate(positive: npt.ArrayLike, negative: npt.ArrayLike, ks: Sequence[int] = KS) -> dict[str, float]:
    """Return all metrics of scores, as fractions.

    Parameters
    ----------
    positive, negative
        As for `ranks`.
    ks
        The K of Hits@K.

    Returns
    -------
    dict
        `auc`: the share of comparisons of a positive with a negative that the positive wins, a tie counted half. With
        a pool it is the area under the ROC curve; with own negatives it is the mean over positives of that share, so
        that a positive with few negatives weighs as much as one with many.

        `ap`: average precision as scikit-learn counts it, where equal scores stand or fall together. With own
        negatives it is the mean over positives of the average precision of that one positive, which is the reciprocal
        of its pessimistic rank.

        `mrr`, `mrr_optimistic`, `mrr_pessimistic`: mean reciprocal rank, by the realistic rank and by the two others.

        `hits@K`: with a pool, the share of positives that score higher than the K-th best negative; with own
        negatives, the share whose realistic rank is at most K. These are the two rules of OGB's evaluator. By both,
        every positive is a hit where there are fewer than K negatives, whatever the scores.

        `ties`: the share of comparisons that are ties.

        `num_positives`, `num_negatives`: how many scores there are. `num_without_negatives`: how many positives have
        no negative of their own; they are left out of everything above.

    Raises
    ------
    InvalidParameterError
        As `ranks`, and if no positive has a negative or a K is not a whole number from 1.

    Examples
    --------
    >>> found = evaluate([0.9, 0.5], [0.7, 0.5, 0.5, 0.1], ks=[3])
    >>> [found[name] for name in ("auc", "mrr", "hits@3", "ties")]
    [0.75, 0.6666666666666666, 0.5, 0.25]

    A constant scorer is at chance:

    >>> found = evaluate(np.zeros(5), np.zeros(100))
    >>> found["auc"], found["mrr"] == 1 / 51, found["ties"]
    (0.5, True, 1.0)
    """
    for k in ks:
        if not isinstance(k, int | np.integer) or k < 1:
            raise InvalidParameterError(f"the K of Hits@K is a whole number from 1, not {k!r}")
    scores, others = _checked(positive, negative)
    own = others.ndim == 2
    count = (~np.isnan(others)).sum(axis=1) if own else np.full(len(scores), len(others))
    compared = count > 0
    if not compared.any():
        raise InvalidParameterError(
            f"none of the {len(scores)} positives has a negative to be ranked against; choose another kind of negatives"
        )
    every = _ranks(scores, others)
    rank = Ranks(every.optimistic[compared], every.realistic[compared], every.pessimistic[compared])
    compared_with = count[compared]
    reciprocal = {
        "mrr": 1 / rank.realistic,
        "mrr_optimistic": 1 / rank.optimistic,
        "mrr_pessimistic": 1 / rank.pessimistic,
    }
    hit_rank = rank.realistic if own else rank.pessimistic
    return {
        "auc": float(np.mean((compared_with + 1 - rank.realistic) / compared_with)),
        "ap": float(np.mean(reciprocal["mrr_pessimistic"] if own else _precision(scores, rank.pessimistic))),
        **{name: float(np.mean(values)) for name, values in reciprocal.items()},
        **{f"hits@{k}": float(np.mean(hit_rank <= k)) for k in ks},
        "ties": float((rank.pessimistic - rank.optimistic).sum() / compared_with.sum()),
        "num_positives": len(scores),
        "num_negatives": int(count.sum()) if own else len(others),
        "num_without_negatives": int((~compared).sum()),
    }


def _ranks(positive: npt.NDArray[Any], negative: npt.NDArray[Any]) -> Ranks:
    if negative.ndim == 2:
        greater = (negative > positive[:, None]).sum(axis=1)
        ties = (negative == positive[:, None]).sum(axis=1)
    else:
        pool = np.sort(negative)
        order = np.argsort(positive)  # ascending look-ups stay in the cache
        not_less, greater = np.empty((2, len(positive)), np.int64)
        not_less[order] = len(pool) - np.searchsorted(pool, positive[order], "left")
        greater[order] = len(pool) - np.searchsorted(pool, positive[order], "right")
        ties = not_less - greater
    return Ranks(1 + greater, 1 + greater + ties / 2, 1 + greater + ties)


def _precision(positive: npt.NDArray[Any], pessimistic: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return for every positive the precision among all that score at least as high."""
    true = len(positive) - np.searchsorted(np.sort(positive), positive, "left")
    precision: npt.NDArray[np.float64] = true / (true + pessimistic - 1)
    return precision


def _checked(positive: npt.ArrayLike, negative: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the scores as arrays of one type that holds both exactly, if they fit together and are finite."""
    scores, others = np.asarray(positive), np.asarray(negative)
    for what, values in (("positive", scores), ("negative", others)):
        if values.dtype.kind not in "fiub":
            raise InvalidParameterError(f"{what} scores are of type {values.dtype}; give real numbers")
    if scores.ndim != 1 or others.ndim not in (1, 2) or (others.ndim == 2 and len(others) != len(scores)):
        raise InvalidParameterError(
            f"scores of shape {scores.shape} for positives and {others.shape} for negatives do not fit together; give "
            "(p,) and a pool (n,), or (p,) and own negatives (p, k)"
        )
    if len(scores) == 0:
        raise InvalidParameterError("there are no positives to rank; give at least one score")
    if others.size == 0:
        raise InvalidParameterError("there are no negatives to rank positives against; give at least one score")
    padding = np.isnan(others) if others.ndim == 2 else np.False_
    for what, bad in (("positive", ~np.isfinite(scores)), ("negative", ~(np.isfinite(others) | padding))):
        if bad.any():
            place = tuple(np.argwhere(bad)[0].tolist())
            value = (scores if what == "positive" else others)[place]
            raise InvalidParameterError(
                f"{int(bad.sum())} of {bad.size} {what} scores are NaN or infinite, the first at "
                f"{place[0] if len(place) == 1 else place}: {value}; a score must be a finite number"
            )
    dtype = np.result_type(scores, others)
    return scores.astype(dtype, copy=False), others.astype(dtype, copy=False)
