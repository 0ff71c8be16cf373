"""Personalised PageRank between the nodes of many pairs of a large graph, pushed from both nodes.

What is missing around the first node moves on as what has been pushed from the second says, so that pairs whose nodes
are far apart are compared too, and the work for a pair is bounded whatever the size of the graph. On small graphs
`edgeorbit.pairwise.pagerank.personalised_pagerank` is exact and takes less time.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pagerank import GRID
from edgeorbit.pairwise.pairs import check_pairs, order_by

UNITS = 2.0**60  # of values that are compared between two nodes
MISSING, SCORE, LIMIT, INVERSE = range(4)  # columns of what is known of a node while it is pushed
PAIRS_PER_THREAD = 50  # below this a second thread costs more than it saves


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
    far apart are distinguished, too. The work for a pair is bounded by `2 / (alpha * tolerance)` neighbours, whatever
    the size of the graph.

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
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), tolerance, first, second, order_by(first)
    run_all(_push_pairs, [(*arguments, *part, alpha, out) for part in split_range(len(first), parts)])
    values: npt.NDArray[np.float64] = out[:, None] * np.stack([degree[second], degree[first]], axis=1)
    values[(first == second) & (degree[first] == 0)] = 1.0  # such a walk cannot leave
    return values
