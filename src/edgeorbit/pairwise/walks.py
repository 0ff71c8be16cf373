"""Walks between the nodes of many pairs, counted by length, or counted and weighted: Katz's index, truncated.

From each source the numbers of walks to all nodes are spread over the edges, one step at a time; only the nodes that
were reached are looked at. The last step is not spread: it is gathered at the targets alone. Beside the pairs this
takes memory for two numbers per node and thread.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, group_by_source

SOURCES_PER_THREAD = 100  # of counts; below this a second thread costs more than it saves


@kernel
def _weigh_walks(indptr, indices, sources, offsets, targets, begin, step, beta, max_length, scores):
    """Add up beta^length times the number of walks, for the targets of every `step`-th source."""
    num_nodes = len(indptr) - 1
    walks, longer = np.zeros(num_nodes), np.zeros(num_nodes)
    reached, further = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    for s in range(begin, len(sources), step):
        reached[0], num_reached = sources[s], 1
        walks[sources[s]] = 1.0
        factor = 1.0
        for _ in range(max_length - 1):
            num_further = 0
            for i in range(num_reached):
                node = reached[i]
                count, walks[node] = walks[node], 0.0
                for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
                    other = indices[k]
                    if longer[other] == 0.0:
                        further[num_further] = other
                        num_further += 1
                    longer[other] += count
            walks, longer = longer, walks
            reached, further, num_reached = further, reached, num_further
            factor *= beta
            for q in range(offsets[s], offsets[s + 1]):
                scores[q] += factor * walks[targets[q]]
        factor *= beta
        for q in range(offsets[s], offsets[s + 1]):
            count = 0.0
            for k in range(np.uint64(indptr[targets[q]]), np.uint64(indptr[targets[q] + 1])):
                count += walks[indices[k]]
            scores[q] += factor * count
        for i in range(num_reached):
            walks[reached[i]] = 0.0


def weigh_walks(
    graph: Graph, pairs: npt.ArrayLike, *, beta: float, max_length: int, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair the sum over lengths l = 1 to `max_length` of beta^l times the number of walks of length l.

    Numbers of walks are whole numbers, and exact below 2^53. The result then depends neither on the direction of a
    pair nor on how nodes are numbered.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    beta
        The weight of one step.
    max_length
        The length of the longest walks, at least 1.
    threads
        Number of threads; by default one per core.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph.

    Examples
    --------
    >>> triangle = Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    >>> weigh_walks(triangle, [[0, 1], [0, 0]], beta=0.5, max_length=2).tolist()
    [0.75, 0.5]
    """
    first, second = check_pairs(graph, pairs)
    # Walks can be counted from either end; the end with fewer different nodes takes less work.
    if len(np.unique(second)) < len(np.unique(first)):
        first, second = second, first
    queries = group_by_source(first, second)
    sorted_scores = np.zeros(len(first))
    threads = max(1, min(resolve_threads(threads), len(queries.sources)))
    arrays = (graph.indptr, graph.indices.view(np.uint32), queries.sources, queries.offsets, queries.targets)
    run_all(_weigh_walks, [(*arrays, t, threads, beta, max_length, sorted_scores) for t in range(threads)])
    scores = np.empty(len(first))
    scores[queries.order] = sorted_scores
    return scores


@kernel
def _count_walks(indptr, indices, sources, bounds, targets, low, high, counts):
    """Count the walks from sources `low` to `high` to their targets, which are `bounds[s]` to `bounds[s + 1]`."""
    num_nodes, length = len(indptr) - 1, counts.shape[1]
    walks, longer = np.zeros(num_nodes, np.int64), np.zeros(num_nodes, np.int64)
    reached, further = np.empty(num_nodes, np.int64), np.empty(num_nodes, np.int64)
    for s in range(low, high):
        walks[sources[s]] = 1
        reached[0], num_reached = sources[s], 1
        for step in range(length):
            # The last step is taken backwards, from the targets alone.
            for i in range(bounds[s], bounds[s + 1]):
                total = 0
                for j in range(indptr[targets[i]], indptr[targets[i] + 1]):
                    total += walks[indices[j]]
                counts[i, step] = total
            num_further = 0
            for i in range(num_reached):
                u = reached[i]
                if step + 1 < length:
                    for j in range(indptr[u], indptr[u + 1]):
                        v = indices[j]
                        if longer[v] == 0:
                            further[num_further] = v
                            num_further += 1
                        longer[v] += walks[u]
                walks[u] = 0
            walks, longer = longer, walks
            reached, further, num_reached = further, reached, num_further


def walk_counts(
    graph: Graph, pairs: npt.NDArray[np.integer], length: int, *, threads: int | None = None
) -> npt.NDArray[np.int64]:
    """Count the walks of every length up to `length` between the nodes of each pair: shape (k, length).

    Those of length 1 say whether the pair is an edge, those of length 2 are the common neighbours. The counts are
    exact. Walks start at the different first nodes of the pairs and go where there are nodes to be reached, so that no
    matrix power is made.

    Raises
    ------
    LimitExceededError
        If the number of walks might not fit into 64 bits.

    Examples
    --------
    >>> triangle = Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])
    >>> walk_counts(triangle, np.array([[0, 1], [0, 3]]), 3).tolist()
    [[1, 1, 3], [0, 1, 1]]
    """
    largest = int(graph.degree.max(initial=0))
    if largest ** (length - 1) > np.iinfo(np.int64).max:
        raise LimitExceededError(
            f"{graph.name} has a node of degree {largest}, so that there may be more than 2^63 walks of length "
            f"{length}; count shorter ones"
        )
    order = np.argsort(pairs[:, 0], kind="stable")
    sources, first = np.unique(pairs[order, 0], return_index=True)
    bounds, targets = np.append(first, len(pairs)), pairs[order, 1].astype(np.int64)
    counts = np.zeros((len(pairs), length), np.int64)
    chunks = split_range(len(sources), max(1, min(resolve_threads(threads), len(sources) // SOURCES_PER_THREAD)))
    arrays = graph.indptr, graph.indices, sources.astype(np.int64), bounds, targets
    run_all(_count_walks, [(*arrays, low, high, counts) for low, high in chunks])
    result = np.empty_like(counts)
    result[order] = counts
    return result
