"""The neighbours of one node of a pair that are no neighbours of the other: where a common neighbour may be missing."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs

PAIRS_PER_THREAD = 4096  # below this a second thread costs more than it saves


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
