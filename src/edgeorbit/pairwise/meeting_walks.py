"""Walks between the nodes of many pairs, sorted by the node where their two halves meet."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, order_by
from edgeorbit.pairwise.walks import PAIRS_PER_THREAD, _clear, _shared_first, _spread


@kernel
def _sort_walks(indptr, indices, inverse, first, second, order, low, high, bins, out):
    """Weigh the walks of pairs `order[low:high]`, sorted by their first node, by the bins of the nodes they meet at."""
    num_nodes = len(indptr) - 1
    here, there = np.zeros((3, num_nodes)), np.zeros((3, num_nodes))
    here_reached, there_reached = np.empty(here.shape, np.int32), np.empty(there.shape, np.int32)
    here_counts, there_counts = np.zeros(3, np.int64), np.zeros(3, np.int64)
    last = -1
    for i in range(low, high):
        pair = order[i]
        if first[pair] != last:
            _clear(here, here_reached, here_counts)
            last = first[pair]
            _spread(indptr, indices, inverse, last, here, here_reached, here_counts)
        _spread(indptr, indices, inverse, second[pair], there, there_reached, there_counts)
        ends = np.sqrt(inverse[last] * inverse[second[pair]])
        for near in range(1, 3):
            for j in range(there_counts[near]):
                node = there_reached[near, j]
                if here[1, node] == 0.0 and here[2, node] == 0.0:
                    continue
                share = ends * inverse[node] * there[near, node]
                odd, even = share * here[3 - near, node] / 2, share * here[2, node]
                for column in range(bins.shape[1]):
                    out[pair, 0, column, bins[node, column]] += odd
                    if near == 2:
                        out[pair, 1, column, bins[node, column]] += even
        _clear(there, there_reached, there_counts)


def meeting_walks(
    graph: Graph, pairs: npt.ArrayLike, bins: npt.NDArray[np.uint8], num_bins: int, *, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair the weights of walks of length 3 and 4, sorted by the node where their two parts meet.

    With `P = D^-1/2 A D^-1/2` they are the sums over the nodes w of a bin of `(P^2)_uw (P^2)_wv` for length 4, and for
    length 3 of the mean of `(P^2)_uw P_wv` and `P_uw (P^2)_wv`. Over all bins they add up to the entries of `P^4` and
    `P^3` that `short_walks` returns.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    bins : uint8 array of shape (num_nodes, c)
        The bin of every node, for c ways to sort the nodes.
    num_bins
        The number of bins.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    float64 array of shape (k, 2, c, num_bins)

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> by_end = np.array([[0], [1], [1], [0]], np.uint8)
    >>> meeting_walks(path, [[0, 3]], by_end, 2)[0, 0, 0].round(6).tolist()
    [0.0, 0.25]
    """
    first, second = _shared_first(check_pairs(graph, pairs), graph.num_nodes)
    out = np.zeros((len(first), 2, bins.shape[1], num_bins))
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    shared = graph.indptr, graph.indices.view(np.uint32), 1 / np.maximum(graph.degree, 1), first, second
    ranges = split_range(len(first), parts)
    run_all(_sort_walks, [(*shared, order_by(first), low, high, bins, out) for low, high in ranges])
    return out
