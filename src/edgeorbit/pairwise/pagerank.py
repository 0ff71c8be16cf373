"""Personalised PageRank between the nodes of many pairs, by an iteration over all edges for several sources at once.

A walk starts at a source, and before each step it ends with the probability `alpha`; the PageRank of a node is the
probability that the walk ends there. Divided by the degrees it solves `t = (1 - alpha) / degree * A t + alpha / degree`
at the source, which Chebyshev's iteration does in about a third of the steps that the power iteration takes. Values are
rounded to multiples of 2^-50, so that sums over neighbours are exact: the result does not depend on how nodes are
numbered, and nodes that look alike from the source get equal values.
"""

from math import ceil, log, sqrt

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, group_by_source
from edgeorbit.parallel import resolve_threads, run_all

GRID = 2.0**50
MOST_SOURCES = 16  # at once; more of them no longer fit the cache
BYTES_PER_THREAD = 1 << 27  # for the values of sources that are solved at once


@kernel
def _solve(indptr, indices, sources, offsets, targets, begin, step, width, alpha, limit, max_steps, values):
    """Find PageRank from every `step`-th group of `width` sources, and read it off at their targets."""
    num_nodes = len(indptr) - 1
    now, last = np.empty((num_nodes, width)), np.empty((num_nodes, width))
    around, worst = np.empty(width), np.empty(width)
    lane_of = np.full(num_nodes, -1, np.int64)
    done = np.empty(width, np.bool_)
    for group in range(begin * width, len(sources), step * width):
        num_lanes = min(width, len(sources) - group)
        for lane in range(num_lanes):
            lane_of[sources[group + lane]] = lane
            done[lane] = False
        now[:] = 0.0
        last[:] = 0.0
        omega, num_steps, num_done = 1.0, 0, 0
        while num_done < num_lanes:
            worst[:] = 0.0
            for node in range(num_nodes):
                degree = indptr[node + 1] - indptr[node]
                if degree == 0:
                    continue
                around[:] = 0.0
                for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
                    row = now[indices[k]]
                    for lane in range(width):
                        around[lane] += row[lane]
                row, older = now[node], last[node]
                for lane in range(width):
                    around[lane] *= (1.0 - alpha) / degree
                if lane_of[node] >= 0:
                    around[lane_of[node]] += alpha / degree
                for lane in range(width):
                    worst[lane] = max(worst[lane], abs(around[lane] - row[lane]))
                    newer = older[lane] + omega * (around[lane] - older[lane])
                    older[lane] = np.floor(newer * GRID) / GRID
            num_steps += 1
            for lane in range(num_lanes):
                if not done[lane] and (worst[lane] <= limit or num_steps == max_steps):
                    done[lane] = True
                    num_done += 1
                    for q in range(offsets[group + lane], offsets[group + lane + 1]):
                        node = targets[q]
                        values[q] = now[node, lane] * (indptr[node + 1] - indptr[node])
            now, last = last, now
            omega = 1.0 / (1.0 - (1.0 - alpha) ** 2 * (2.0 if num_steps == 1 else omega) / 4.0)
        for lane in range(num_lanes):
            lane_of[sources[group + lane]] = -1


def personalised_pagerank(
    graph: Graph, pairs: npt.ArrayLike, *, alpha: float, tolerance: float, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair (u, v) the PageRank of v personalised to u.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    alpha
        The probability that the walk ends, between 0 and 1. Networkx and others call `1 - alpha` the damping factor.
    tolerance
        How far a value may be from the exact one, relative to the share of all edge ends that are at v, which is what
        a long walk without end would give. Rounding is left out of account; it is of the order of 1e-15.
    threads
        Number of threads; by default one per core.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph.

    References
    ----------
    G. H. Golub and R. S. Varga, Chebyshev semi-iterative methods, Numerische Mathematik 3 (1961).

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> personalised_pagerank(path, [[0, 0], [0, 1], [0, 2]], alpha=0.5, tolerance=1e-9).round(6).tolist()
    [0.583333, 0.333333, 0.083333]
    """
    first, second = check_pairs(graph, pairs)
    queries = group_by_source(first, second)
    sorted_values = np.empty(len(queries.order))
    width = max(1, min(MOST_SOURCES, BYTES_PER_THREAD // (16 * max(graph.num_nodes, 1))))
    threads = max(1, min(resolve_threads(threads), -(-len(queries.sources) // width)))
    limit = alpha * tolerance / max(len(graph.indices), 1)
    rate = (1 - alpha) / (1 + sqrt(1 - (1 - alpha) ** 2))  # by which a step shortens the distance to the solution
    max_steps = ceil(log(1e-6 * limit) / log(rate))
    arrays = (graph.indptr, graph.indices.view(np.uint32), *queries[:3])
    options = (width, alpha, limit, max_steps, sorted_values)
    run_all(_solve, [(*arrays, t, threads, *options) for t in range(threads)])
    values = np.empty(len(sorted_values))
    values[queries.order] = sorted_values
    values[(first == second) & (graph.indptr[first] == graph.indptr[first + 1])] = 1.0  # such a walk cannot leave
    return values
