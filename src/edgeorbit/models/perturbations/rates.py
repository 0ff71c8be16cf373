"""Probabilities in proportion to weights, of a wanted mean."""

from typing import Any

import numpy as np
import numpy.typing as npt


def scale_to_mean(weights: npt.NDArray[np.floating[Any]], mean: float, largest: float) -> npt.NDArray[np.float32]:
    """Return `min(largest, c weights)`, with the c that makes their mean the given one.

    If the mean is `largest` or more, all are the mean: then there is no room for differences.

    Parameters
    ----------
    weights
        Positive numbers.
    mean
        At least 0.
    largest
        The largest value.

    Examples
    --------
    >>> scale_to_mean(np.array([1, 2, 3, 10]), mean=0.5, largest=0.8).astype(float).round(3).tolist()
    [0.2, 0.4, 0.6, 0.8]
    """
    count = len(weights)
    if mean >= largest or count == 0:
        return np.full(count, mean, np.float32)
    descending = np.sort(weights.astype(np.float64))[::-1]
    rest = np.cumsum(descending[::-1])[::-1]
    # The c if the first 0, 1, ... are at the bound; it is right for as few of them as leave no other above it.
    factors = (mean * count - largest * np.arange(count)) / rest
    factor = factors[np.argmax(factors * descending <= largest)]
    rates: npt.NDArray[np.float32] = np.minimum(largest, factor * weights).astype(np.float32)
    return rates
