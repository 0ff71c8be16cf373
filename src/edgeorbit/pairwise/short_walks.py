"""Short walks between the nodes of many pairs, by length, each weighted by the degrees that it passes.

From both nodes of a pair a walker goes a part of the way, and the two are compared where they meet. The walker of a
node that many pairs share goes its way once for all of them, and therefore further. Beside the pairs this takes memory
for a few numbers per node and thread.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, order_by

PAIRS_PER_THREAD = 256  # below this a second thread costs more than it saves


@kernel
def _spread(indptr, indices, inverse, start, values, reached, counts):
    """Weigh the walks from `start` by the degrees between their ends, with lists of where those of each length end."""
    values[0, start], reached[0, 0], counts[0] = 1.0 / inverse[start], start, 1
    for step in range(len(counts) - 1):
        count = 0
        for i in range(counts[step]):
            node = reached[step, i]
            share = values[step, node] * inverse[node]
            for j in range(indptr[node], indptr[node + 1]):
                other = indices[j]
                if values[step + 1, other] == 0.0:
                    reached[step + 1, count] = other
                    count += 1
                values[step + 1, other] += share
        counts[step + 1] = count


@kernel
def _clear(values, reached, counts):
    for step in range(len(counts)):
        for i in range(counts[step]):
            values[step, reached[step, i]] = 0.0
        counts[step] = 0


@kernel
def _weigh(indptr, indices, inverse, first, second, order, low, high, first_steps, second_steps, out):
    """Weigh the walks of pairs `order[low:high]`, which are sorted by their first node.

    The longest walks have a step that neither walker makes: looking across it is cheaper than going.
    """
    num_nodes = len(indptr) - 1
    here, there = np.zeros((first_steps + 1, num_nodes)), np.zeros((second_steps + 1, num_nodes))
    here_reached, there_reached = np.empty(here.shape, np.int32), np.empty(there.shape, np.int32)
    here_counts, there_counts = np.zeros(len(here), np.int64), np.zeros(len(there), np.int64)
    last = -1
    for i in range(low, high):
        pair = order[i]
        if first[pair] != last:
            _clear(here, here_reached, here_counts)
            last = first[pair]
            _spread(indptr, indices, inverse, last, here, here_reached, here_counts)
            for step in range(1, len(here)):
                for j in range(here_counts[step]):
                    here[step, here_reached[step, j]] *= inverse[here_reached[step, j]]
        _spread(indptr, indices, inverse, second[pair], there, there_reached, there_counts)
        ends = np.sqrt(inverse[last] * inverse[second[pair]])
        for length in range(2, first_steps + second_steps + 1):
            near = min(length // 2, second_steps)
            total = 0.0
            for j in range(there_counts[near]):
                node = there_reached[near, j]
                total += there[near, node] * here[length - near, node]
            out[pair, length - 2] = ends * total
        total = 0.0
        for j in range(there_counts[second_steps]):
            node = there_reached[second_steps, j]
            across = 0.0
            for k in range(indptr[node], indptr[node + 1]):
                across += here[first_steps, indices[k]]
            total += there[second_steps, node] * inverse[node] * across
        out[pair, first_steps + second_steps - 1] = ends * total
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
    first, second = _shared_first(check_pairs(graph, pairs), graph.num_nodes)
    out = np.empty((len(first), max_length - 1))
    if len(first) == 0:
        return out
    order = order_by(first)
    num_first = np.count_nonzero(np.diff(first[order], prepend=-1))
    second_steps = _share_steps(graph, max_length, len(first) / num_first)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), 1 / np.maximum(graph.degree, 1), first, second, order
    steps = max_length - 1 - second_steps, second_steps
    run_all(_weigh, [(*arguments, low, high, *steps, out) for low, high in split_range(len(first), parts)])
    return out


def walking_work(graph: Graph, num_pairs: int, max_length: int) -> float:
    """Estimate how many neighbours are visited to weigh the walks of random pairs."""
    return 2 * num_pairs * sum(_reach(graph, (max_length + 1) // 2))


def _reach(graph: Graph, steps: int) -> list[float]:
    """Estimate how many neighbours a walker meets in each of its steps."""
    degree = graph.degree.astype(np.float64)
    # It meets neighbours in proportion to their degree, but cannot reach more than all nodes at once.
    growth = float((degree**2).sum() / max(degree.sum(), 1))
    mean = float(degree.mean()) if len(degree) else 0.0
    return [min(mean * growth**step, len(graph.indices)) for step in range(steps)]


def _shared_first(ends: npt.NDArray[np.int32], num_nodes: int) -> npt.NDArray[np.int32]:
    """Turn pairs, given by their first and their second nodes, so that the node that more pairs have comes first."""
    first, second = ends
    count = np.bincount(ends.ravel(), minlength=num_nodes)
    return np.where(count[second] > count[first], ends[::-1], ends)


def _share_steps(graph: Graph, max_length: int, pairs_per_first: float) -> int:
    """Return how many steps the walkers of the second nodes make; those of the first nodes make all others but one."""
    reach = np.cumsum([0.0, *_reach(graph, max_length)])
    choices = range(max_length // 2)
    return min(choices, key=lambda steps: reach[max_length - 1 - steps] / pairs_per_first + reach[steps + 1])
