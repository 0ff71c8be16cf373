"""Personalised PageRank: between the nodes of many pairs, and from single nodes to all that they reach.

A walk starts at a source, and before each step it ends with the probability `alpha`; the PageRank of a node is the
probability that the walk ends there.

For pairs, an iteration goes over all edges for several sources at once. Divided by the degrees PageRank solves
`t = (1 - alpha) / degree * A t + alpha / degree` at the source, which Chebyshev's iteration does in about a third of
the steps that the power iteration takes. Values are rounded to multiples of 2^-50, so that sums over neighbours are
exact: the result does not depend on how nodes are numbered, and nodes that look alike from the source get equal values.

From single nodes, probability is pushed to where it is still missing, which visits only what is near the source.
"""

from math import ceil, log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, group_by_source

GRID = 2.0**50
MOST_SOURCES = 16  # at once; more of them no longer fit the cache
SOURCES_PER_THREAD = 50  # that are pushed from; below this a second thread costs more than it saves
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


class Rows(NamedTuple):
    """The positive entries of the rows of a matrix: row `i` has those from `indptr[i]` to `indptr[i + 1]`."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


@kernel
def _push(indptr, indices, sources, low, high, alpha, tolerance):
    """Return how many nodes each source reaches, these nodes, and their scores."""
    num_nodes = len(indptr) - 1
    score, missing = np.zeros(num_nodes), np.zeros(num_nodes)
    touched, is_touched = np.empty(num_nodes, np.int64), np.zeros(num_nodes, np.bool_)
    # A node waits at most once, so the waiting nodes fit into a circle of that length.
    waiting, waits = np.empty(num_nodes, np.int64), np.zeros(num_nodes, np.bool_)
    count = np.zeros(high - low, np.int64)
    nodes, values = np.empty(1024, np.int64), np.empty(1024)
    end = 0
    for s in range(low, high):
        source = sources[s]
        missing[source] = 1.0
        touched[0], num_touched = source, 1
        is_touched[source] = True
        waiting[0], first, num_waiting = source, 0, 1
        waits[source] = True
        while num_waiting > 0:
            u = waiting[first]
            first = first + 1 if first + 1 < num_nodes else 0
            num_waiting -= 1
            waits[u] = False
            amount = missing[u]
            missing[u] = 0.0
            score[u] += alpha * amount
            degree = indptr[u + 1] - indptr[u]
            for j in range(indptr[u], indptr[u + 1]):
                v = indices[j]
                missing[v] += (1 - alpha) * amount / degree
                if not is_touched[v]:
                    is_touched[v] = True
                    touched[num_touched] = v
                    num_touched += 1
                if not waits[v] and missing[v] >= tolerance * (indptr[v + 1] - indptr[v]):
                    waits[v] = True
                    place = first + num_waiting
                    waiting[place if place < num_nodes else place - num_nodes] = v
                    num_waiting += 1
        while end + num_touched > len(nodes):
            nodes, values = np.append(nodes, np.empty_like(nodes)), np.append(values, np.empty_like(values))
        start = end
        for i in range(num_touched):
            v = touched[i]
            if score[v] > 0:
                nodes[end], values[end] = v, score[v]
                end += 1
            score[v], missing[v] = 0.0, 0.0
            is_touched[v] = False
        count[s - low] = end - start
    return count, nodes[:end], values[:end]


def push_pagerank(
    graph: Graph,
    sources: npt.NDArray[np.integer],
    *,
    alpha: float,
    tolerance: float,
    threads: int | None = None,
) -> Rows:
    """Return for every source the nodes where a random walk that starts there ends, and with what probability.

    The walk ends after each step with probability `alpha`. A score is never above the exact probability, and below it
    by at most `tolerance` times the degree of the node, because that much may be missing at every node and the graph
    is undirected. Nodes of score 0 are left out; the source is among its own nodes.

    References
    ----------
    R. Andersen, F. Chung and K. Lang, Local graph partitioning using PageRank vectors, FOCS 2006.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> rows = push_pagerank(path, np.array([0]), alpha=0.15, tolerance=1e-9)
    >>> dict(zip(rows.indices.tolist(), rows.values.round(3).tolist()))
    {0: 0.345, 1: 0.459, 2: 0.195}
    """
    starts = np.asarray(sources, np.int64)
    chunks = split_range(len(starts), max(1, min(resolve_threads(threads), len(starts) // SOURCES_PER_THREAD)))
    arrays = graph.indptr, graph.indices, starts
    found = run_all(_push, [(*arrays, low, high, alpha, tolerance) for low, high in chunks])
    if not found:
        return Rows(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))
    count, nodes, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Rows(np.append(0, np.cumsum(count)), nodes, values)
