"""What the kernels share: pairs checked and grouped, work shared by threads, and bits that pass for random."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph


def check_pairs(graph: Graph, pairs: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """Return the first and the second nodes of pairs as the two rows of a contiguous array.

    Parameters
    ----------
    graph
        The graph that the nodes belong to.
    pairs : integer array of shape (k, 2)
        Node numbers, in any memory layout. A pair may join a node to itself or occur several times.

    Raises
    ------
    InvalidParameterError
        If the array has another shape, is not integer, or names a node that the graph does not have.

    Examples
    --------
    >>> check_pairs(Graph.empty(4), [(0, 3), (1, 1)]).tolist()
    [[0, 1], [3, 1]]
    """
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((2, 0), np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidParameterError(f"pairs have shape {array.shape}; give one pair per row, shape (k, 2)")
    if array.dtype.kind not in "iu":
        raise InvalidParameterError(f"pairs are of type {array.dtype}; give whole numbers")
    smallest, largest = int(array.min()), int(array.max())
    if smallest < 0 or largest >= graph.num_nodes:
        stranger = smallest if smallest < 0 else largest
        raise InvalidParameterError(
            f"pairs name node {stranger}; {graph.name} has {graph.num_nodes} nodes, numbered from 0"
        )
    return np.ascontiguousarray(array.T, np.int32)


def order_by(nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the order that puts equal nodes together, ascending; equal ones keep their order.

    A sort of node and place in one number takes a tenth of the time of a stable `argsort`.

    >>> order_by(np.array([7, 2, 7, 0], np.int32)).tolist()
    [3, 1, 0, 2]
    """
    return np.sort(nodes.astype(np.int64) << 32 | np.arange(len(nodes))) & 0xFFFFFFFF


class Queries(NamedTuple):
    """Pairs grouped by their source, for methods that compute all that is reached from a source.

    Attributes
    ----------
    sources : int32 array
        The different sources, ascending.
    offsets : int64 array, one longer than `sources`
        Where the targets of every source start.
    targets : int32 array of length k
        The targets, source after source.
    order : int64 array of length k
        The number of the pair that each target belongs to.
    """

    sources: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    order: npt.NDArray[np.int64]


def group_by_source(sources: npt.NDArray[np.int32], targets: npt.NDArray[np.int32]) -> Queries:
    """Group pairs by their source.

    >>> group_by_source(np.array([5, 2, 5], np.int32), np.array([0, 1, 2], np.int32)).targets.tolist()
    [1, 0, 2]
    """
    order = order_by(sources)
    sorted_sources = sources[order]
    starts = np.flatnonzero(np.diff(sorted_sources, prepend=-1))
    return Queries(sorted_sources[starts], np.append(starts, len(order)), targets[order], order)


def share_work(done: npt.NDArray[Any], parts: int) -> list[tuple[int, int]]:
    """Cut a range of items into at most so many ranges of about equal work, none of them empty.

    Parameters
    ----------
    done
        For every item the work before it, and at the end the work of all.
    parts
        The number of ranges.

    Examples
    --------
    >>> share_work(np.array([0, 1, 2, 3, 9]), 2)
    [(0, 4)]
    >>> share_work(np.array([0, 5, 6, 7, 9]), 2)
    [(0, 1), (1, 4)]
    """
    cuts = np.searchsorted(done, np.linspace(0, done[-1], parts + 1)[1:-1]).tolist()
    return [(low, high) for low, high in pairwise([0, *cuts, len(done) - 1]) if low < high]


@inlined
def mix_bits(state):
    """Return 64 bits that all depend on every bit of the state: the last steps of SplitMix64.

    Arrays of states are for `mix_bits.py_func`, which is not compiled.
    """
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return state ^ (state >> np.uint64(31))
