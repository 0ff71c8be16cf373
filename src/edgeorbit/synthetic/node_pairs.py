"""Node pairs as single numbers, so that sets of them are sets of numbers."""

import numpy as np
import numpy.typing as npt


def pair_keys(first: npt.ArrayLike, second: npt.ArrayLike, num_nodes: int) -> npt.NDArray[np.int64]:
    """Return `u * num_nodes + v` for pairs of nodes in either order, with `u` the smaller one.

    >>> pair_keys(np.array([1, 2]), np.array([2, 1]), 10).tolist()
    [12, 12]
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.asarray(low.astype(np.int64) * num_nodes + high)


def are_among(keys: npt.NDArray[np.int64], ascending: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tell for every key whether it is among others that are in ascending order.

    `numpy.isin` would hash them, and the keys of a large graph share so many hash values that it takes seconds.

    >>> are_among(np.array([5, 1]), np.array([1, 2, 3])).tolist()
    [False, True]
    """
    if len(ascending) == 0:
        return np.zeros(len(keys), bool)
    places = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    return np.asarray(ascending[places] == keys)
