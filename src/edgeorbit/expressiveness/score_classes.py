"""Classes of equal scores inside edge orbits, and numbers of pairs: by sorting and by sizes, never pair by pair."""

from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


def cut_orbits(orbits: Labels, scores: Values, tolerance: float, errors: Values | None = None) -> Labels:
    """Number the classes of scores inside every orbit.

    In the order of their scores, two neighbours of an orbit are parted if they differ by more than the tolerance, and
    by more than the errors of the two together, if there are any. So values that rounding spreads stay together, and so
    does a chain of values whose links are all that short.

    Examples
    --------
    >>> cut_orbits(np.array([0, 0, 0, 1]), np.array([2.0, 1.0, 2.0 + 1e-12, 1.0]), tolerance=1e-9).tolist()
    [1, 0, 1, 2]
    """
    order = np.lexsort((scores, orbits))
    placed = scores[order]
    slack: Any = tolerance
    if errors is not None:
        squares = errors[order] ** 2
        slack = np.maximum(tolerance, np.sqrt(squares[1:] + squares[:-1]))
    parted = (np.diff(orbits[order]) != 0) | (np.diff(placed) > slack)
    classes = np.empty(len(scores), np.int64)
    classes[order] = np.concatenate([[0], np.cumsum(parted)])[: len(scores)]
    return classes


def meet(first: Labels, second: Labels) -> Labels:
    """Number the classes of what is together in both partitions.

    >>> meet(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).tolist()
    [0, 1, 2, 2]
    """
    if len(first) == 0:
        return first
    both: Labels = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return both


def count_pairs(labels: Labels) -> int:
    """Count the pairs that share a label, exactly.

    >>> count_pairs(np.zeros(1_000_000, np.int64))
    499999500000
    """
    sizes, numbers = np.unique(np.bincount(labels), return_counts=True)
    return sum(number * (size * (size - 1) // 2) for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True))
