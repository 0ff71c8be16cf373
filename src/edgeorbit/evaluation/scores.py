"""The scores of anybody's scorer, checked: one finite real number for every pair."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import BadScoresError, EdgeorbitError, InvalidParameterError

AnyScorer = Callable[[npt.NDArray[np.int64]], Any]  # as its author wrote it


def ask_scorer(scorer: AnyScorer, pairs: npt.NDArray[np.int64], name: str) -> npt.NDArray[Any]:
    """Return the scores of node pairs as an array of shape (k,), which may hold NaN.

    Parameters
    ----------
    scorer
        A function from pairs of shape (k, 2) to k scores.
    pairs
        Node pairs of shape (k, 2).
    name
        What errors call the scorer.

    Raises
    ------
    BadScoresError
        If there is not one real number for every pair.
    InvalidParameterError
        If the scorer raises an exception, which is the cause of this one.

    Examples
    --------
    >>> ask_scorer(lambda pairs: pairs.sum(axis=1), np.array([[0, 1], [1, 2]]), "sums").tolist()
    [1, 3]
    """
    try:
        scores = scorer(pairs.copy())  # a scorer that changes its argument changes nothing here
    except EdgeorbitError:
        raise
    except Exception as error:  # whatever the user's code raises
        raise InvalidParameterError(
            f"{name} fails on {len(pairs)} pairs ({type(error).__name__}: {error}); repair it"
        ) from error
    return as_scores(scores, len(pairs), name)


def as_scores(scores: Any, count: int, name: str) -> npt.NDArray[Any]:
    """Return scores as an array of shape (count,), which may hold NaN.

    Raises
    ------
    BadScoresError
        If there is not one real number for every pair.

    Examples
    --------
    >>> as_scores([[1], [2]], 2, "mine").tolist()
    [1, 2]
    """
    found = np.asarray(scores.detach().cpu() if hasattr(scores, "detach") else scores)
    if found.shape == (count, 1):
        found = found[:, 0]
    if found.shape != (count,):
        raise BadScoresError(f"{name}: must return one score per pair, shape ({count},), got shape {found.shape}")
    if found.dtype.kind not in "fiub":
        raise BadScoresError(f"{name}: scores must be real numbers, got {found.dtype}")
    return found


def checked_scores(scores: Any, count: int, name: str) -> npt.NDArray[Any]:
    """Return scores as an array of shape (count,) of finite numbers.

    Raises
    ------
    BadScoresError
        If there is not one real number for every pair, or one of them is NaN or infinite.

    Examples
    --------
    >>> checked_scores([0.5, float("nan")], 2, "mine")
    Traceback (most recent call last):
    edgeorbit.errors.BadScoresError: mine: 1 of 2 scores are NaN or infinite, the first at 1; return finite scores
    """
    found = as_scores(scores, count, name)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise BadScoresError(
            f"{name}: {len(bad)} of {count} scores are NaN or infinite, the first at {bad[0]}; return finite scores"
        )
    return found
