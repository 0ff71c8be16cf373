"""Walks between the nodes of many pairs: counted by length, weighted by length (Katz), or weighted by degrees.

Walks spread from a source over the edges, one step at a time, and only the nodes that they reach are looked at. The
last step is not spread: it is gathered at the targets. For weights by degrees a walker starts at both nodes of a pair,
and the two are compared where they meet; the walker of a node that many pairs share walks once for all of them, and
therefore further. Beside the pairs this takes memory for a few numbers per node and thread.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs, group_by_source, order_by

SOURCES_PER_THREAD = 100  # of counts; below this a second thread costs more than it saves
PAIRS_PER_THREAD = 256  # below this a second thread costs more than it saves


@inlined
def take_step(indptr, indices, walks, reached, num_reached, longer, further):
    """Move all walks one step on, from the nodes in `reached` to those that it lists in `further`; return their number.

    `walks` and `longer` are the numbers of walks that end at every node, before and after; both are 0 elsewhere.
    """
    num_further = 0
    for i in range(num_reached):
        node = reached[i]
        count = walks[node]
        walks[node] = 0
        for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
            other = indices[k]
            if longer[other] == 0:
                further[num_further] = other
                num_further += 1
            longer[other] += count
    return num_further


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
            num_reached = take_step(indptr, indices, walks, reached, num_reached, longer, further)
            walks, longer, reached, further = longer, walks, further, reached
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
    reached, further = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    for s in range(low, high):
        walks[sources[s]] = 1
        reached[0], num_reached = sources[s], 1
        for step in range(length):
            if step > 0:
                num_reached = take_step(indptr, indices, walks, reached, num_reached, longer, further)
                walks, longer, reached, further = longer, walks, further, reached
            # The last step is taken backwards, from the targets alone.
            for i in range(bounds[s], bounds[s + 1]):
                total = 0
                for j in range(indptr[targets[i]], indptr[targets[i] + 1]):
                    total += walks[indices[j]]
                counts[i, step] = total
        for i in range(num_reached):
            walks[reached[i]] = 0


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
    arrays = graph.indptr, graph.indices.view(np.uint32), sources.astype(np.int64), bounds, targets
    run_all(_count_walks, [(*arrays, low, high, counts) for low, high in chunks])
    result = np.empty_like(counts)
    result[order] = counts
    return result


@kernel
def _spread(indptr, indices, inverse, start, values, reached, counts):
    """Weigh the walks from `start` by the degrees between their ends, with lists of where those of each length end."""
    values[0, start], reached[0, 0], counts[0] = 1.0 / inverse[start], start, 1
    for step in range(len(counts) - 1):
        count = 0
        for i in range(counts[step]):
            node = reached[step, i]
            share = values[step, node] * inverse[node]
            for j in range(indptr[node], indptr[node + 1]):
                other = indices[j]
                if values[step + 1, other] == 0.0:
                    reached[step + 1, count] = other
                    count += 1
                values[step + 1, other] += share
        counts[step + 1] = count


@kernel
def _clear(values, reached, counts):
    for step in range(len(counts)):
        for i in range(counts[step]):
            values[step, reached[step, i]] = 0.0
        counts[step] = 0


@kernel
def _weigh(indptr, indices, inverse, first, second, order, low, high, first_steps, second_steps, out):
    """Weigh the walks of pairs `order[low:high]`, which are sorted by their first node.

    The longest walks have a step that neither walker makes: looking across it is cheaper than going.
    """
    num_nodes = len(indptr) - 1
    here, there = np.zeros((first_steps + 1, num_nodes)), np.zeros((second_steps + 1, num_nodes))
    here_reached, there_reached = np.empty(here.shape, np.int32), np.empty(there.shape, np.int32)
    here_counts, there_counts = np.zeros(len(here), np.int64), np.zeros(len(there), np.int64)
    last = -1
    for i in range(low, high):
        pair = order[i]
        if first[pair] != last:
            _clear(here, here_reached, here_counts)
            last = first[pair]
            _spread(indptr, indices, inverse, last, here, here_reached, here_counts)
            for step in range(1, len(here)):
                for j in range(here_counts[step]):
                    here[step, here_reached[step, j]] *= inverse[here_reached[step, j]]
        _spread(indptr, indices, inverse, second[pair], there, there_reached, there_counts)
        ends = np.sqrt(inverse[last] * inverse[second[pair]])
        for length in range(2, first_steps + second_steps + 1):
            near = min(length // 2, second_steps)
            total = 0.0
            for j in range(there_counts[near]):
                node = there_reached[near, j]
                total += there[near, node] * here[length - near, node]
            out[pair, length - 2] = ends * total
        total = 0.0
        for j in range(there_counts[second_steps]):
            node = there_reached[second_steps, j]
            across = 0.0
            for k in range(indptr[node], indptr[node + 1]):
                across += here[first_steps, indices[k]]
            total += there[second_steps, node] * inverse[node] * across
        out[pair, first_steps + second_steps - 1] = ends * total
        _clear(there, there_reached, there_counts)


def short_walks(
    graph: Graph, pairs: npt.ArrayLike, *, max_length: int = 4, threads: int | None = None
) -> npt.NDArray[np.float64]:
    """Return for every pair and length l = 2 to `max_length` the entry of `(D^-1/2 A D^-1/2)^l`.

    It adds up all walks of that length, each divided by the degrees of the nodes on its way and by the square roots of
    those of its ends. Of an edge between the two nodes no walk of length 1 is told, but longer ones may pass it.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    max_length
        The length of the longest walks, at least 2.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    float64 array of shape (k, max_length - 1)

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or `max_length` is below 2.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> short_walks(square, [[0, 2], [0, 1]], max_length=3).round(6).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    if max_length < 2:
        raise InvalidParameterError(f"max_length is at least 2, not {max_length}")
    first, second = _shared_first(check_pairs(graph, pairs), graph.num_nodes)
    out = np.empty((len(first), max_length - 1))
    if len(first) == 0:
        return out
    order = order_by(first)
    num_first = np.count_nonzero(np.diff(first[order], prepend=-1))
    second_steps = _share_steps(graph, max_length, len(first) / num_first)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    arguments = graph.indptr, graph.indices.view(np.uint32), 1 / np.maximum(graph.degree, 1), first, second, order
    steps = max_length - 1 - second_steps, second_steps
    run_all(_weigh, [(*arguments, low, high, *steps, out) for low, high in split_range(len(first), parts)])
    return out


def walking_work(graph: Graph, num_pairs: int, max_length: int) -> float:
    """Estimate how many neighbours are visited to weigh the walks of random pairs."""
    return 2 * num_pairs * sum(_reach(graph, (max_length + 1) // 2))


def _reach(graph: Graph, steps: int) -> list[float]:
    """Estimate how many neighbours a walker meets in each of its steps."""
    degree = graph.degree.astype(np.float64)
    # It meets neighbours in proportion to their degree, but cannot reach more than all nodes at once.
    growth = float((degree**2).sum() / max(degree.sum(), 1))
    mean = float(degree.mean()) if len(degree) else 0.0
    return [min(mean * growth**step, len(graph.indices)) for step in range(steps)]


def _shared_first(ends: npt.NDArray[np.int32], num_nodes: int) -> npt.NDArray[np.int32]:
    """Turn pairs, given by their first and their second nodes, so that the node that more pairs have comes first."""
    first, second = ends
    count = np.bincount(ends.ravel(), minlength=num_nodes)
    return np.where(count[second] > count[first], ends[::-1], ends)


def _share_steps(graph: Graph, max_length: int, pairs_per_first: float) -> int:
    """Return how many steps the walkers of the second nodes make; those of the first nodes make all others but one."""
    reach = np.cumsum([0.0, *_reach(graph, max_length)])
    choices = range(max_length // 2)
    return min(choices, key=lambda steps: reach[max_length - 1 - steps] / pairs_per_first + reach[steps + 1])
