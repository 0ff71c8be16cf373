"""Short walks between the nodes of many pairs, by length, each weighted by the degrees that it passes.

From both nodes of a pair a walker goes half of the way, and the two are compared where they meet: so walks of length
2h take the work of h steps. Beside the pairs this takes memory for a few numbers per node and thread.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, order_by
from edgeorbit.parallel import resolve_threads, run_all, split_range

PAIRS_PER_THREAD = 256  # below this a second thread costs more than it saves


@kernel
def _spread(indptr, indices, scale, start, values, reached, counts):
    """Write the rows of `start` in the powers of the normalised adjacency matrix, with lists of what is not zero."""
    values[0, start], reached[0, 0], counts[0] = 1.0, start, 1
    for step in range(len(counts) - 1):
        count = 0
        for i in range(counts[step]):
            node = reached[step, i]
            share = values[step, node] * scale[node]
            for j in range(indptr[node], indptr[node + 1]):
                other = indices[j]
                if values[step + 1, other] == 0.0:
                    reached[step + 1, count] = other
                    count += 1
                values[step + 1, other] += share * scale[other]
        counts[step + 1] = count


@kernel
def _clear(values, reached, counts):
    for step in range(len(counts)):
        for i in range(counts[step]):
            values[step, reached[step, i]] = 0.0
        counts[step] = 0


@kernel
def _weigh(indptr, indices, scale, first, second, order, low, high, steps, out):
    """Weigh the walks of pairs `order[low:high]`, which are sorted by their first node."""
    shape = steps + 1, len(indptr) - 1
    here, there = np.zeros(shape), np.zeros(shape)
    here_reached, there_reached = np.empty(shape, np.int32), np.empty(shape, np.int32)
    here_counts, there_counts = np.zeros(steps + 1, np.int64), np.zeros(steps + 1, np.int64)
    last = -1
    for i in range(low, high):
        pair = order[i]
        if first[pair] != last:
            _clear(here, here_reached, here_counts)
            last = first[pair]
            _spread(indptr, indices, scale, last, here, here_reached, here_counts)
        _spread(indptr, indices, scale, second[pair], there, there_reached, there_counts)
        for length in range(2, out.shape[1] + 2):
            near = length // 2
            far = length - near
            total = 0.0
            for j in range(there_counts[near]):
                node = there_reached[near, j]
                total += there[near, node] * here[far, node]
            out[pair, length - 2] = total
        _clear(there, there_reached, there_counts)


def short_walks(
    graph: Graph, pairs: npt.ArrayLike, *, max_length: int = 4, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair and length l = 2 to `max_length` the entry of `(D^-1/2 A D^-1/2)^l`.

    It adds up all walks of that length, each divided by the degrees of the nodes on its way and by the square roots of
    those of its ends. Of an edge between the two nodes no walk of length 1 is told, but longer ones may pass it.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    max_length
        The length of the longest walks, at least 2.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    float64 array of shape (k, max_length - 1)

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or `max_length` is below 2.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> short_walks(square, [[0, 2], [0, 1]], max_length=3).round(6).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    if max_length < 2:
        raise InvalidParameterError(f"max_length is at least 2, not {max_length}")
    first, second = check_pairs(graph, pairs)
    out = np.zeros((len(first), max_length - 1))
    scale = np.maximum(graph.degree, 1) ** -0.5
    order = order_by(first)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), scale, first, second, order
    steps = (max_length + 1) // 2
    run_all(_weigh, [(*arguments, low, high, steps, out) for low, high in split_range(len(first), parts)])
    return out


def walking_work(graph: Graph, num_pairs: int, max_length: int) -> float:
    """Estimate how many neighbours are visited to weigh the walks of random pairs."""
    degree = graph.degree.astype(np.float64)
    # A walker meets neighbours in proportion to their degree, but cannot reach more than all nodes at once.
    growth = float((degree**2).sum() / max(degree.sum(), 1))
    mean = float(degree.mean()) if len(degree) else 0.0
    reach = [min(mean * growth**step, len(graph.indices)) for step in range((max_length + 1) // 2)]
    return 2 * num_pairs * sum(reach)
