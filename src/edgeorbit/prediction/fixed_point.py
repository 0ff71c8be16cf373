"""Vectors in whole numbers, whose inner products are exact."""

from typing import Any

import numpy as np
import numpy.typing as npt


class FixedPoint:
    """Vectors whose entries are rounded to whole numbers, so small that float64 adds up their products exactly.

    So an inner product is the same number on every machine, in either direction and however a matrix product is
    cut into blocks, and nodes of equal embedding, which symmetric nodes have, get equal products.

    Parameters
    ----------
    vectors : floating array of shape (n, d)
        The vectors; they are rounded when they are asked for, and not copied.

    Examples
    --------
    >>> halves = FixedPoint(np.array([[1.0, 0.5]])).of(np.array([[0.5, -0.25]]))
    >>> bool(halves[0, 0] == -2 * halves[0, 1])
    True
    """

    def __init__(self, vectors: npt.NDArray[np.floating[Any]]) -> None:
        # Two bits below the 53 of a float64, for half the square of a length that is taken off in an inverted file.
        bits = min(24, (51 - int(np.ceil(np.log2(vectors.shape[1])))) // 2)
        largest = max(abs(float(vectors.max(initial=0))), abs(float(vectors.min(initial=0))))
        self.exponent = bits - int(np.frexp(largest)[1])

    def of(self, vectors: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
        """Return vectors, none of them with larger entries than those given at first, in whole numbers."""
        return np.rint(np.ldexp(vectors.astype(np.float64), self.exponent))
