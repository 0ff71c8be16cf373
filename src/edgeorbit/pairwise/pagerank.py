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

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, group_by_source, order_by

GRID = 2.0**50
UNITS = 2.0**60  # of values that are compared between two nodes
MISSING, SCORE, LIMIT, INVERSE = range(4)  # columns of what is known of a node while it is pushed
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


@inlined
def _push_in_rounds(indptr, indices, source, alpha, state, touched, now, amounts):
    """Push from a source until less than its limit is missing at every node; return how many nodes are touched.

    The state of a node is a row of `state`: what is missing, its score, its limit. All nodes of a round are pushed at
    once and shares are multiples of 2^-50, so that their sums are exact: the result does not depend on how nodes are
    numbered.
    """
    state[source, MISSING] = 1.0
    touched[0], num_touched = source, 1
    now[0], num_now = source, 1
    while num_now > 0:
        for i in range(num_now):
            node = now[i]
            amounts[i] = state[node, MISSING]
            state[node, MISSING] = 0.0
            state[node, SCORE] += alpha * amounts[i]
        # The nodes of the next round are written behind those of this one, and then moved to the front.
        end = num_now
        for i in range(num_now):
            node = now[i]
            first, last = np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])
            share = np.floor((1.0 - alpha) * amounts[i] / np.float64(last - first) * GRID) / GRID
            for k in range(first, last):
                other = indices[k]
                before, limit = state[other, MISSING], state[other, LIMIT]
                state[other, MISSING] = before + share
                if before == 0.0 and state[other, SCORE] == 0.0:
                    touched[num_touched] = other
                    num_touched += 1
                if before < limit and before + share >= limit:
                    now[end] = other
                    end += 1
        num_next = end - num_now
        for i in range(num_next):
            now[i] = now[num_now + i]
        num_now = num_next
    return num_touched


@kernel
def _push_pairs(indptr, indices, tolerance, first, second, order, low, high, alpha, out):
    """Push from both nodes of pairs `order[low:high]`, sorted by their first node, and compare what is reached."""
    num_nodes = len(indptr) - 1
    state, touched = np.zeros((2, num_nodes, 4)), np.empty((2, num_nodes), np.uint32)
    for node in range(num_nodes):
        degree = max(indptr[node + 1] - indptr[node], 1)
        for side in range(2):
            state[side, node, LIMIT], state[side, node, INVERSE] = tolerance * degree, 1.0 / degree
    now, amounts = np.empty(2 * num_nodes, np.uint32), np.empty(num_nodes)
    num_touched = np.zeros(2, np.int64)
    last = np.int64(-1)
    for i in range(low, high):
        pair = order[i]
        u, v = first[pair], second[pair]
        for side in range(2):
            source = np.uint32(v if side == 1 else u)
            if side == 0 and u == last:
                continue
            for j in range(num_touched[side]):
                node = touched[side, j]
                state[side, node, MISSING], state[side, node, SCORE] = 0.0, 0.0
            num_touched[side] = _push_in_rounds(
                indptr, indices, source, alpha, state[side], touched[side], now, amounts
            )
        last = u
        # In whole units, which can be added up in any order.
        total = np.int64(state[0, v, SCORE] * state[0, v, INVERSE] * UNITS)
        for j in range(num_touched[1]):
            node = touched[1, j]
            if state[1, node, SCORE] > 0.0:
                share = state[1, node, SCORE] * state[1, node, INVERSE]
                total += np.int64(state[0, node, MISSING] * share * UNITS)
        out[pair] = total / UNITS


def pair_pagerank(
    graph: Graph, pairs: npt.ArrayLike, *, alpha: float, tolerance: float, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair (u, v) about the PageRank of v personalised to u, and that of u personalised to v.

    Probability is pushed from both nodes, until at every node at most `tolerance` times its degree is missing. What is
    missing around u then moves on as what has been pushed from v says, because on an undirected graph the PageRank from
    w to v, divided by the degree of v, is that from v to w, divided by the degree of w. So pairs whose nodes are
    far apart are told apart, too. The work for a pair is bounded by `2 / (alpha * tolerance)` neighbours, whatever the
    size of the graph.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    alpha
        The probability that the walk ends at each step.
    tolerance
        How much probability may be missing at a node, for each of its neighbours. A value is never above the exact one
        by more than rounding, and below it by less than `tolerance` times the degree of the node where the walk ends.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    float64 array of shape (k, 2)

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph.

    References
    ----------
    P. Lofgren, S. Banerjee and A. Goel, Personalized PageRank estimation and search: a bidirectional approach, WSDM
    2016.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> pair_pagerank(path, [[0, 1], [0, 2]], alpha=0.5, tolerance=1e-6).round(4).tolist()
    [[0.3333, 0.1667], [0.0833, 0.0833]]
    """
    first, second = check_pairs(graph, pairs)
    degree = graph.degree
    out = np.empty(len(first))
    parts = min(resolve_threads(threads), 1 + len(first) // SOURCES_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), tolerance, first, second, order_by(first)
    run_all(_push_pairs, [(*arguments, *part, alpha, out) for part in split_range(len(first), parts)])
    values = out[:, None] * np.stack([degree[second], degree[first]], axis=1)
    values[(first == second) & (degree[first] == 0)] = 1.0  # such a walk cannot leave
    return values
