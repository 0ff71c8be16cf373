"""Different whole numbers below a bound, drawn for many rows at once."""

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random

CELLS = 2**22  # numbers that are worked on at a time
CROWDED = 4  # a row that wants more than a quarter of what there is gets them by shuffling all


def draw_distinct(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Draw different whole numbers from 0 to each bound, every sequence of them as likely as any other.

    Parameters
    ----------
    random
        The random numbers to use.
    bounds : int64 array of shape (p,)
        What the numbers of every row are less than.
    count
        How many numbers a row gets, if there are so many.

    Returns
    -------
    int64 array of shape (p, count)
        A row whose bound is smaller than `count` has all numbers there are, and then -1.

    Examples
    --------
    >>> draw_distinct(Random(0, "example"), np.array([2, 0, 1000]), 3).tolist()
    [[0, 1, -1], [-1, -1, -1], [192, 30, 306]]
    """
    drawn = np.full((len(bounds), count), -1)
    if count == 0:
        return drawn
    crowded = bounds <= CROWDED * count
    for rows in _chunks(np.flatnonzero(crowded & (bounds > 0)), CROWDED * count):
        drawn[rows] = _shuffled(random, bounds[rows], count)
    for rows in _chunks(np.flatnonzero(~crowded), count):
        drawn[rows] = _redrawn(random, bounds[rows], count)
    return drawn


def _shuffled(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Shuffle all numbers below each bound, and keep the first."""
    width = int(bounds.max())
    keys = random.uniform(len(bounds) * width).reshape(-1, width)
    keys[np.arange(width) >= bounds[:, None]] = 2  # behind all others
    order = np.argsort(keys, axis=1, kind="stable")[:, :count]
    kept = np.full((len(bounds), count), -1)
    kept[:, : order.shape[1]] = np.where(order < bounds[:, None], order, -1)
    return kept


def _redrawn(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Draw numbers, and draw anew what came before in the same row, until all differ."""
    drawn = random.below(np.repeat(bounds, count)).reshape(-1, count)
    rows = np.arange(len(bounds))
    while len(rows):
        order = np.argsort(drawn[rows], axis=1, kind="stable")
        ascending = np.take_along_axis(drawn[rows], order, axis=1)
        row, place = np.nonzero(ascending[:, 1:] == ascending[:, :-1])
        again = rows[row], order[row, place + 1]
        drawn[again] = random.below(bounds[again[0]])
        rows = np.unique(again[0])
    return drawn


def _chunks(rows: npt.NDArray[np.int64], width: int) -> list[npt.NDArray[np.int64]]:
    size = max(1, CELLS // width)
    return [rows[start : start + size] for start in range(0, len(rows), size)]
