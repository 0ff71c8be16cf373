"""Triangles at every node, core numbers and sums over neighbours, for graphs of many millions of edges."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import share_work

ENTRIES_PER_THREAD = 100_000  # below this a second thread costs more than it saves


@kernel
def _row_sums(indptr, indices, values, out, low, high):
    for u in range(low, high):
        total = 0.0
        for k in range(indptr[u], indptr[u + 1]):
            total += values[indices[k]]
        out[u] = total


@kernel
def _count_later(indptr, indices, out, low, high):
    """Count the neighbours of every node that come after it, in order of degree and then of number."""
    for u in range(low, high):
        degree = indptr[u + 1] - indptr[u]
        later = 0
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            other = indptr[v + 1] - indptr[v]
            later += (other > degree) | ((other == degree) & (v > u))
        out[u] = later


@kernel
def _keep_later(indptr, indices, later_indptr, later, low, high):
    for u in range(low, high):
        degree = indptr[u + 1] - indptr[u]
        place = later_indptr[u]
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            other = indptr[v + 1] - indptr[v]
            if (other > degree) | ((other == degree) & (v > u)):
                later[place] = v
                place += 1


@kernel
def _count_triangles(indptr, later, low, high):
    """Count, at every node, the triangles whose first node lies in a range; `later` is unsigned."""
    triangles = np.zeros(len(indptr) - 1, np.int64)
    marked = np.zeros(len(indptr) - 1, np.uint8)
    for u in range(low, high):
        # Unsigned places spare the test for negative indices; sums of marks instead of branches do the rest.
        first, last = np.uint64(indptr[u]), np.uint64(indptr[u + 1])
        if last - first < np.uint64(2):
            continue
        for k in range(first, last):
            marked[later[k]] = 1
        at_u = 0
        for k in range(first, last):
            v = later[k]
            v_first, v_last = np.uint64(indptr[v]), np.uint64(indptr[v + np.uint32(1)])
            at_v = 0
            for j in range(v_first, v_last):
                at_v += marked[later[j]]
            if at_v:
                for j in range(v_first, v_last):
                    triangles[later[j]] += marked[later[j]]
                triangles[v] += at_v
                at_u += at_v
        triangles[u] += at_u
        for k in range(first, last):
            marked[later[k]] = 0
    return triangles


@kernel
def _core_numbers(indptr, indices):
    num_nodes = len(indptr) - 1
    core = np.empty(num_nodes, np.int32)
    largest = 0
    for u in range(num_nodes):
        core[u] = indptr[u + 1] - indptr[u]
        largest = max(largest, core[u])
    # `order` lists the nodes by the degree they have left; nodes of degree d start at start[d].
    start = np.zeros(largest + 2, np.int64)
    for u in range(num_nodes):
        start[core[u] + 1] += 1
    for d in range(largest + 1):
        start[d + 1] += start[d]
    order = np.empty(num_nodes, np.int32)
    place = np.empty(num_nodes, np.int32)
    cursor = start[:-1].copy()
    for u in range(num_nodes):
        place[u] = cursor[core[u]]
        order[place[u]] = u
        cursor[core[u]] += 1
    for i in range(num_nodes):
        u = order[i]
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            if core[v] > core[u]:
                # Swap v with the first node of its degree, and let the next lower degree take in that place.
                d = core[v]
                first = order[start[d]]
                order[place[v]], place[first] = first, place[v]
                order[start[d]], place[v] = v, start[d]
                start[d] += 1
                core[v] = d - 1
    return core


def sums_over_neighbours(
    graph: Graph, values: npt.NDArray[np.float64], threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every node the sum of a value over its neighbours.

    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> sums_over_neighbours(path, np.array([1.0, 2.0, 3.0])).tolist()
    [2.0, 4.0, 2.0]
    """
    return _sums(graph.indptr, graph.indices, values, threads)


def triangles_per_node(graph: Graph, threads: int | None = None) -> npt.NDArray[np.int64]:
    """Return the number of triangles that every node is part of.

    Edges are directed from the end of lower degree to the end of higher degree. No node has more than
    `sqrt(2 * num_edges)` edges that leave it, so that hubs cost no more than others, and each triangle has exactly one
    node that both others are reached from.

    References
    ----------
    N. Chiba and T. Nishizeki, Arboricity and subgraph listing algorithms, SIAM Journal on Computing 14 (1985).

    Examples
    --------
    >>> triangles_per_node(Graph.from_edges([[0, 1], [0, 2], [1, 2], [2, 3]])).tolist()
    [1, 1, 1, 0]
    """
    indptr, indices = graph.indptr, graph.indices
    chunks = _chunks(indptr, threads)
    num_later = np.zeros(graph.num_nodes, np.int64)
    run_all(_count_later, [(indptr, indices, num_later, low, high) for low, high in chunks])
    later_indptr = np.append(0, np.cumsum(num_later))
    later = np.empty(graph.num_edges, np.int32)
    run_all(_keep_later, [(indptr, indices, later_indptr, later, low, high) for low, high in chunks])
    # The work at a node is the sum over the edges that leave it of how many leave their other end.
    work = _sums(later_indptr, later, num_later.astype(np.float64), threads)
    cuts = _chunks(np.append(0, np.cumsum(work)).astype(np.int64), threads)
    counts = run_all(_count_triangles, [(later_indptr, later.view(np.uint32), low, high) for low, high in cuts])
    return sum(counts, start=np.zeros(graph.num_nodes, np.int64))


def core_numbers(graph: Graph) -> npt.NDArray[np.int32]:
    """Return the core number of every node: the largest k such that it is in a subgraph of minimum degree k.

    References
    ----------
    V. Batagelj and M. Zaversnik, An O(m) algorithm for cores decomposition of networks, arXiv:cs/0310049.

    Examples
    --------
    >>> core_numbers(Graph.from_edges([[0, 1], [0, 2], [1, 2], [2, 3]])).tolist()
    [2, 2, 2, 1]
    """
    cores: npt.NDArray[np.int32] = _core_numbers(graph.indptr, graph.indices)
    return cores


def _sums(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    threads: int | None,
) -> npt.NDArray[np.float64]:
    out = np.zeros(len(indptr) - 1)
    run_all(_row_sums, [(indptr, indices, values, out, low, high) for low, high in _chunks(indptr, threads)])
    return out


def _chunks(cumulative: npt.NDArray[Any], threads: int | None) -> list[tuple[int, int]]:
    """Cut the nodes into ranges of about equal work, given the work before each node."""
    return share_work(cumulative, max(1, min(resolve_threads(threads), int(cumulative[-1]) // ENTRIES_PER_THREAD)))


def round_for_exact_sums(graph: Graph, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round the weights of nodes to multiples of a power of two on which float64 adds them up without error.

    Two pairs whose common neighbours have equal weights then have equal sums, whatever the numbers of the nodes are.
    Otherwise the last bit of a sum separates pairs that are the same, and breaks ties by chance. A weight changes by
    less than 2^-52 of the largest sum of absolute weights over the neighbours of a node.

    Parameters
    ----------
    graph
        The graph.
    weights : float64 array of length num_nodes
        A finite weight of every node.

    Examples
    --------
    >>> star = Graph.from_edges([[0, 1], [0, 2], [0, 3]])
    >>> a, b, c = round_for_exact_sums(star, np.array([0, 0.1, 0.2, 0.3]))[1:].tolist()
    >>> (0.1 + 0.2) + 0.3 == 0.1 + (0.2 + 0.3), (a + b) + c == a + (b + c)
    (False, True)
    """
    from edgeorbit.pairwise.triangles import sums_over_neighbours

    largest = float(sums_over_neighbours(graph, np.abs(weights)).max(initial=0.0))
    exponent = 52 - int(np.frexp(largest)[1])  # the largest sum is below 2^52 units
    return np.ldexp(np.rint(np.ldexp(weights, exponent)), -exponent)
