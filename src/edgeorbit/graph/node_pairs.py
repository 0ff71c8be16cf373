"""Node pairs: which are edges of a graph, and pairs as single numbers, so that sets of pairs are sets of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph


def are_edges(graph: Graph, pairs: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
    """Tell for each pair of an array of shape (..., 2) whether its nodes are neighbours.

    All pairs are looked up at once by halving, in the neighbours of their first node: a step for every doubling of
    the largest degree, and no memory beyond that of the pairs.

    >>> are_edges(Graph.from_edges([(0, 1), (1, 2)]), np.array([[1, 0], [0, 2], [2, 2]])).tolist()
    [True, False, False]
    """
    if graph.num_edges == 0:
        return np.zeros(pairs.shape[:-1], bool)
    node, wanted = pairs[..., 0], pairs[..., 1]
    low, end = graph.indptr[node], graph.indptr[node + 1]
    high, last = end.copy(), len(graph.indices) - 1
    while (undecided := low < high).any():
        middle = (low + high) >> 1
        above = undecided & (graph.indices[np.minimum(middle, last)] < wanted)
        low = np.where(above, middle + 1, low)
        high = np.where(undecided & ~above, middle, high)
    found: npt.NDArray[np.bool_] = (low < end) & (graph.indices[np.minimum(low, last)] == wanted)
    return found


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


def distinct(numbers: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return different whole numbers in ascending order; `np.unique` hashes, which takes many times as long.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ascending = np.sort(numbers.astype(np.int64, copy=False), axis=None)
    first = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]
