"""The common neighbours of many node pairs: their lists, their numbers, and sums of a weight over them.

Pairs of nodes with few neighbours are merged. For the others the neighbours of the first node are marked, and those of
the second are looked up; the pairs are sorted by their first node, so that it is marked once. If one of the two has
very many more neighbours than the other, the few are searched for among the many. Beside the result this takes
memory for each pair, and one byte per node and thread.

`neighbour_differences` lists the neighbours of one node that are not common: where a common neighbour may be missing.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, order_by, share_work

FEW = 32  # neighbours of both nodes together, up to which merging beats marking
SKEW = 32  # times as many neighbours as the other, from which on a search per neighbour beats a look at each
SMALL_GRAPH = 1 << 18  # neighbours in all; so few stay in the cache in whatever order they are read
AHEAD = 64  # pairs whose neighbours are fetched into the cache at once, before any of them is needed
WORK_PER_THREAD = 100_000  # neighbours; below this a second thread costs more than it saves
BATCH = 1 << 20  # pairs at a time, which bounds what is needed beside pairs and sums
PAIRS_PER_THREAD = 4096  # below this a second thread costs more than it saves


@kernel
def _visit(indptr, indices, first, second, order, low, high, most, weights, offsets, sums, lists):
    """Find the common neighbours of pairs `order[low:high]`, of which no pair has more than `most`.

    With `offsets` their lists are written, or else each column of weights is added up, or else they are counted.
    """
    marks = np.zeros(len(indptr) - 1, np.uint8)
    marked = np.int64(-1)
    common = np.empty(most + 1, np.uint32)
    fetched = np.uint32(0)
    for i in range(low, high):
        if (i - low) % AHEAD == 0:
            # These loads do not depend on each other, so that the processor waits for all of them at once.
            for j in range(i, min(i + AHEAD, high)):
                pair = order[j]
                for node in (first[pair], second[pair]):
                    begin, end = indptr[node], indptr[node + 1]
                    if begin < end:
                        fetched ^= indices[begin] ^ indices[end - 1]
        pair = order[i]
        u, v = np.int64(first[pair]), np.int64(second[pair])
        u_begin, u_end = np.uint64(indptr[u]), np.uint64(indptr[u + 1])
        v_begin, v_end = np.uint64(indptr[v]), np.uint64(indptr[v + 1])
        u_degree, v_degree = indptr[u + 1] - indptr[u], indptr[v + 1] - indptr[v]
        count = np.uint64(0)

        if max(u_degree, v_degree) > SKEW * min(u_degree, v_degree) and (marked != u or v_degree > u_degree):
            few, few_end, at, end = u_begin, u_end, v_begin, v_end
            if u_degree > v_degree:
                few, few_end, at, end = v_begin, v_end, u_begin, u_end
            for k in range(few, few_end):
                node = indices[k]
                stop = end
                while at < stop:
                    middle = (at + stop) >> np.uint64(1)
                    if indices[middle] < node:
                        at = middle + np.uint64(1)
                    else:
                        stop = middle
                if at == end:
                    break
                common[count] = node
                count += np.uint64(indices[at] == node)
        elif u_degree + v_degree <= FEW and marked != u:
            # Without branches: which list goes on is a coin toss, and a wrong guess costs more than the sums here.
            while (u_begin < u_end) & (v_begin < v_end):
                left, right = indices[u_begin], indices[v_begin]
                common[count] = left
                count += np.uint64(left == right)
                u_begin += np.uint64(left <= right)
                v_begin += np.uint64(right <= left)
        else:
            if marked != u:
                if marked >= 0:
                    for k in range(np.uint64(indptr[marked]), np.uint64(indptr[marked + 1])):
                        marks[indices[k]] = 0
                for k in range(u_begin, u_end):
                    marks[indices[k]] = 1
                marked = u
            for k in range(v_begin, v_end):
                node = indices[k]
                common[count] = node
                count += np.uint64(marks[node])

        if len(offsets) > 0:
            place = np.uint64(offsets[pair])
            for k in range(count):
                lists[place + k] = common[k]
        elif weights.shape[1] > 0:
            for column in range(weights.shape[1]):
                total = 0.0
                for k in range(count):
                    total += weights[common[k], column]
                sums[pair, column] = total
        else:
            sums[pair, 0] = count
    return fetched


class _Work(NamedTuple):
    """Pairs in the order in which they are visited, and the ranges of that order that threads take."""

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    order: npt.NDArray[np.int64]
    ranges: list[tuple[int, int]]
    most: int


def common_neighbours(
    graph: Graph, pairs: npt.ArrayLike, *, threads: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the common neighbours of every pair, in CSR form.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers. The common neighbours of a node and itself are its neighbours.
    threads
        Number of threads; by default one per core.

    Returns
    -------
    indptr : int64 array of length k + 1
        Where the common neighbours of every pair start in `indices`.
    indices : int32 array
        The common neighbours, ascending for each pair.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> indptr, indices = common_neighbours(square, [[0, 2], [0, 1]])
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 2], [1, 3])
    """
    nodes = check_pairs(graph, pairs)
    counts = _run(graph, _plan(graph, nodes, threads))[:, 0]
    indptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:], dtype=np.int64)
    indices = np.empty(indptr[-1], np.int32)
    some = np.flatnonzero(counts)
    _run(graph, _plan(graph, nodes[:, some], threads), offsets=indptr[some], lists=indices)
    return indptr, indices


def common_neighbour_sums(
    graph: Graph, pairs: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair the sum of a weight over its common neighbours, without listing them.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    weights : array of shape (num_nodes,) or (num_nodes, c), optional
        The weight of every node, or several, whose sums take one visit; by default 1, which counts the common
        neighbours. Weights are added in ascending order of the nodes; see `edgeorbit.pairwise.triangles` for sums that
        do not depend on how the nodes are numbered.
    threads
        Number of threads; by default one per core.

    Returns
    -------
    float64 array of shape (k,), or (k, c) for several weights

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or not every node has its weights.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> common_neighbour_sums(square, [[0, 2], [0, 1]]).tolist()
    [2.0, 0.0]
    >>> common_neighbour_sums(square, [[0, 2]], weights=[0, 1, 0, 0.5]).tolist()
    [1.5]
    """
    nodes = check_pairs(graph, pairs)
    values = np.zeros((graph.num_nodes, 0)) if weights is None else np.ascontiguousarray(weights, np.float64)
    if values.ndim not in (1, 2) or len(values) != graph.num_nodes:
        raise InvalidParameterError(
            f"weights have shape {values.shape}; give one for each of the {graph.num_nodes} nodes of {graph.name}"
        )
    several = values if values.ndim == 2 else values[:, None]
    sums = [
        _run(graph, _plan(graph, nodes[:, low : low + BATCH], threads), weights=several)
        for low in range(0, nodes.shape[1], BATCH) or [0]
    ]
    found = sums[0] if len(sums) == 1 else np.concatenate(sums)
    return found if weights is not None and values.ndim == 2 else found[:, 0]


def _plan(graph: Graph, nodes: npt.NDArray[np.int32], threads: int | None) -> _Work:
    first, second = nodes
    degrees = graph.indptr[nodes + np.int64(1)] - graph.indptr[nodes]
    work = degrees[0] + degrees[1]
    total = int(work.sum())
    order = np.arange(len(first))
    if total > FEW * len(first) or len(graph.indices) > SMALL_GRAPH:
        order = order_by(first)
    parts = max(1, min(resolve_threads(threads), total // WORK_PER_THREAD))
    ranges = share_work(np.append(0, np.cumsum(work[order])), parts)
    return _Work(first, second, order, ranges, int(degrees.min(axis=0).max(initial=0)))


def _run(graph: Graph, work: _Work, **arrays: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Visit all pairs, and return a row of sums, or the count, for each, unless lists are asked for."""
    weights, offsets = arrays.get("weights", np.zeros((0, 0))), arrays.get("offsets", np.zeros(0, np.int64))
    sums = np.zeros((0 if "lists" in arrays else len(work.order), max(1, weights.shape[1])))
    lists = arrays.get("lists", np.zeros(0, np.int32))
    # Unsigned node numbers spare the test for negative indices.
    shared = (graph.indptr, graph.indices.view(np.uint32), work.first, work.second, work.order)
    run_all(_visit, [(*shared, low, high, work.most, weights, offsets, sums, lists) for low, high in work.ranges])
    return sums


@kernel
def _subtract(indptr, indices, first, second, low, high, offsets, lists, counts):
    """Merge the neighbours of both nodes of pairs `low` to `high`; write the lists, or without them count."""
    for pair in range(low, high):
        u, v = first[pair], second[pair]
        i, i_end, j, j_end = indptr[u], indptr[u + 1], indptr[v], indptr[v + 1]
        count = 0
        while i < i_end:
            node = indices[i]
            while j < j_end and indices[j] < node:
                j += 1
            if node != v and (j == j_end or indices[j] != node):
                if len(lists) > 0:
                    lists[offsets[pair] + count] = node
                count += 1
            i += 1
        if len(lists) == 0:
            counts[pair] = count


def neighbour_differences(
    graph: Graph, pairs: npt.ArrayLike, *, threads: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return for every pair (u, v) the neighbours of u that are neither v nor neighbours of v, in CSR form.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers; the order of a pair matters.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    indptr : int64 array of length k + 1
        Where the nodes of every pair start in `indices`.
    indices : int32 array
        The nodes, ascending for each pair.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> indptr, indices = neighbour_differences(path, [[1, 3], [1, 0], [0, 2]])
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 2, 2], [0, 2])
    """
    first, second = check_pairs(graph, pairs)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), first, second
    ranges = split_range(len(first), parts)
    indptr, nothing = np.zeros(len(first) + 1, np.int64), np.empty(0, np.int32)
    run_all(_subtract, [(*arguments, low, high, indptr, nothing, indptr[1:]) for low, high in ranges])
    np.cumsum(indptr, out=indptr)
    lists = np.empty(indptr[-1], np.int32)
    if len(lists):
        run_all(_subtract, [(*arguments, low, high, indptr, lists, indptr[1:]) for low, high in ranges])
    return indptr, lists
