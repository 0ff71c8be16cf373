"""Scores of one draw of weights: as they are, or in expectation over the noise of a randomised model."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness.score_classes import Labels, Values
from edgeorbit.expressiveness.scorers import Pairs, WeightDraw

# Differences up to so much, relative to the largest score of all draws, are rounding. Sums of a few hundred numbers are
# off by 1e-14 of their terms in double precision, and by 1e-6 in single precision. Where terms cancel, scores are
# smaller than their terms: that is why the largest score of all draws is the measure.
DOUBLE_TOLERANCE, SINGLE_TOLERANCE = 1e-9, 1e-5
# Means differ if they do so by more standard errors than all comparisons of a partition together reach by chance with
# this probability, and never by fewer than the least number.
CHANCE, LEAST_ERRORS = 1e-3, 5.0
FEWEST_NOISE_DRAWS, MOST_NOISE_DRAWS, SCORES_WITH_NOISE = 16, 128, 1 << 16


class ExpectedScores(NamedTuple):
    """Mean scores, their standard errors if there is noise, and whether they are in single precision."""

    scores: Values
    errors: Values | None
    single: bool


def expected_scores(
    drawn: WeightDraw,
    name: str,
    pairs: Pairs,
    orbits: Labels,
    noise_draws: int,
) -> ExpectedScores:
    """Score node pairs; if noise takes part, so many times, for the means.

    The variance of a pair is its own, or the mean of its orbit where that is larger: of a few scores that happen to lie
    close together the own one would be too small.

    Raises
    ------
    InvalidParameterError
        If the scorer returns something else than a finite number for every pair.
    """
    first = checked_scores(drawn.score(pairs, 0), name, len(pairs))
    single = first.dtype == np.float32
    values = first.astype(np.float64)
    if drawn.randomised is None:
        again = checked_scores(drawn.score(pairs, 1), name, len(pairs))
        drawn.randomised = bool(np.abs(again - values).max(initial=0) > default_tolerance(single) * scale_of(values))
    if not drawn.randomised:
        return ExpectedScores(values, None, single)
    mean, squares = values, np.zeros(len(values))
    for number in range(1, noise_draws):  # Welford's recurrence: no list of scores is kept
        found = checked_scores(drawn.score(pairs, number), name, len(pairs)).astype(np.float64)
        change = found - mean
        mean = mean + change / (number + 1)
        squares += change * (found - mean)
    variance = squares / (noise_draws - 1)
    pooled = np.bincount(orbits, variance) / np.maximum(np.bincount(orbits), 1)
    return ExpectedScores(mean, np.sqrt(np.maximum(variance, pooled[orbits]) / noise_draws), single)


def choose_noise_draws(num_edges: int) -> int:
    """Return how often the noise of a randomised scorer is drawn for so many edges.

    >>> choose_noise_draws(10), choose_noise_draws(1_000_000)
    (128, 16)
    """
    return max(FEWEST_NOISE_DRAWS, min(MOST_NOISE_DRAWS, SCORES_WITH_NOISE // max(num_edges, 1)))


def checked_scores(found: npt.NDArray[np.generic], name: str, count: int) -> npt.NDArray[np.floating]:
    """Return the scores if they are a finite number for every pair."""
    scores = np.asarray(found)
    if scores.shape != (count,):
        raise InvalidParameterError(
            f"{name} returned scores of shape {scores.shape} for {count:,} pairs; return one number for each"
        )
    if scores.dtype.kind not in "iufb":
        raise InvalidParameterError(f"{name} returned scores of type {scores.dtype}; return numbers")
    finite = np.isfinite(scores)
    if not finite.all():
        raise InvalidParameterError(
            f"{name} returned {scores[~finite][0]} for {np.count_nonzero(~finite):,} of {count:,} pairs; "
            "return finite scores"
        )
    return scores if scores.dtype in (np.float32, np.float64) else scores.astype(np.float64)


def default_tolerance(single: bool) -> float:
    """Return the difference, relative to the largest score, that is taken for rounding."""
    return SINGLE_TOLERANCE if single else DOUBLE_TOLERANCE


def scale_of(scores: Values) -> float:
    """Return the size of the largest score."""
    return float(np.abs(scores).max(initial=0))


def count_errors(comparisons: int, noise_draws: int) -> float:
    """Return by how many standard errors means must differ, if there are so many comparisons.

    >>> count_errors(1, 16), round(count_errors(100_000, 16), 1)
    (5.0, 7.8)
    """
    from scipy.stats import t

    return max(LEAST_ERRORS, float(t.isf(CHANCE / (2 * max(comparisons, 1)), 2 * (noise_draws - 1))))
