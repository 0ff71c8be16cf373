"""Personalised PageRank of many nodes, by pushing probability to where it is still missing."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.parallel import resolve_threads, run_all, split_range

ALPHA, TOLERANCE = 0.15, 5e-5  # those of Li et al. 2023
SOURCES_PER_THREAD = 50  # below this a second thread costs more than it saves


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


def personalised_pagerank(
    graph: Graph,
    sources: npt.NDArray[np.integer],
    alpha: float = ALPHA,
    tolerance: float = TOLERANCE,
    *,
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
    >>> rows = personalised_pagerank(path, np.array([0]), tolerance=1e-9)
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
