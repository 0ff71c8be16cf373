"""Shortest distances between the nodes of many pairs, up to a bound.

A search spreads from both nodes of a pair, step by step, always from the side that has fewer neighbours to look at, and
ends where the two meet. Before a step no node is known to both sides, so that the first one that is found by a step is
as near as any. The last step only looks, which spares marking the most nodes.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs

PAIRS_PER_THREAD = 256  # below this a second thread costs more than it saves


@kernel
def _search_from_both(indptr, indices, first, second, low, high, bound, out):
    """Write the distances of pairs `low` to `high`; `bound + 1` where none is found."""
    num_nodes = len(indptr) - 1
    side_of = np.zeros(num_nodes, np.uint8)
    nodes = np.empty((2, num_nodes), np.uint32)
    # Of both sides: where the outermost nodes start and end, and how many neighbours they have.
    begin, end, work = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for pair in range(low, high):
        u, v = first[pair], second[pair]
        if u == v:
            out[pair] = 0
            continue
        nodes[0, 0], nodes[1, 0] = u, v
        side_of[u], side_of[v] = 1, 2
        begin[:] = 0
        end[:] = 1
        work[0], work[1] = indptr[u + 1] - indptr[u], indptr[v + 1] - indptr[v]
        steps, found = 0, False
        while steps < bound and not found and work[0] > 0 and work[1] > 0:
            side = 0 if work[0] <= work[1] else 1
            mine, other_side = np.uint8(side + 1), np.uint8(2 - side)
            steps += 1
            start, stop, last = begin[side], end[side], end[side]
            reached = np.int64(0)
            for i in range(start, stop):
                node = nodes[side, i]
                for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
                    near = indices[k]
                    if side_of[near] == other_side:
                        found = True
                        break
                    if steps < bound and side_of[near] == 0:
                        side_of[near] = mine
                        nodes[side, last] = near
                        last += 1
                        reached += indptr[near + np.uint32(1)] - indptr[near]
                if found:
                    break
            begin[side], end[side], work[side] = stop, last, reached
        out[pair] = steps if found else bound + 1
        for side in range(2):
            for i in range(end[side]):
                side_of[nodes[side, i]] = 0


def distances(
    graph: Graph, pairs: npt.ArrayLike, *, bound: int = 6, threads: int | None = None
) -> npt.NDArray[np.int32]:
    """Return for every pair the number of edges on a shortest path, `bound + 1` if that is more or there is no path.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    bound
        The largest distance that is looked for, at least 1. A step more can multiply the work by the degrees.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or `bound` is below 1.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]], num_nodes=5)
    >>> distances(path, [[0, 0], [0, 1], [3, 0], [0, 4]], bound=2).tolist()
    [0, 1, 3, 3]
    """
    if bound < 1:
        raise InvalidParameterError(f"bound must be >= 1, got {bound}")
    first, second = check_pairs(graph, pairs)
    out = np.empty(len(first), np.int32)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), first, second
    run_all(_search_from_both, [(*arguments, *part, bound, out) for part in split_range(len(first), parts)])
    return out
