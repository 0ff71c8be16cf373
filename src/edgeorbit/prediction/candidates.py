"""Which pairs are worth scoring: for every node the nearest in the graph and in the embedding, each pair once.

The nearest in the graph are those at distance two with the highest resource allocation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.prediction.embedding_search import NOBODY, check_embedding, nearest_non_neighbours, offer

MAX_PASSAGE = 4096  # nodes that are reached through one common neighbour; in ogbl-ddi no node has more than 2,234
UNIT = 2.0**-40  # weights are multiples of this, so that their sums are exact and equal sums are equal numbers
NEIGHBOURHOOD, EMBEDDING = 1, 2  # where a candidate comes from; both bits for both
ENTRIES = 1 << 20  # candidates that are found at a time without an embedding
Nodes = npt.NDArray[np.int32]


@kernel
def _allocate(indptr, indices, weights, max_passage, nodes, sums, reached, scores, kept, out, start, step):
    """Write the best nodes for `nodes[start::step]` to the rows of `out`; `sums` is zero before and after."""
    for i in range(start, len(nodes), step):
        u = nodes[i]
        passages = 0
        for j in range(indptr[u], indptr[u + 1]):
            passages += min(indptr[indices[j] + 1] - indptr[indices[j]], max_passage)
        # Where most nodes are reached, and many times, a look at all of them is cheaper than a list.
        listed = passages < len(sums)
        count = 0
        for j in range(indptr[u], indptr[u + 1]):
            middle = indices[j]
            begin, end = indptr[middle], indptr[middle + 1]
            place, left = begin, end - begin
            if left > max_passage:
                # The neighbours that follow u itself, round and round: every node sees others through a hub.
                left = max_passage
                stop = end
                while place < stop:
                    half = (place + stop) >> 1
                    if indices[half] < u:
                        place = half + 1
                    else:
                        stop = half
                place += 1
            weight = weights[middle]
            while left > 0:
                if place == end:
                    place = begin
                if listed:
                    for k in range(place, min(end, place + left)):
                        v = indices[k]
                        if sums[v] == 0:
                            reached[count] = v
                            count += 1
                        sums[v] += weight
                else:
                    for k in range(place, min(end, place + left)):
                        sums[indices[k]] += weight
                left -= min(end, place + left) - place
                place = begin
        sums[u] = 0
        for j in range(indptr[u], indptr[u + 1]):
            sums[indices[j]] = 0
        size = 0
        for j in range(count if listed else len(sums)):
            v = reached[j] if listed else np.int32(j)
            if sums[v] > 0:
                size = offer(scores, kept, size, sums[v], v)
                sums[v] = 0
        for j in range(size):
            out[i, j] = kept[j]


class Neighbourhood:
    """For every node, the nodes at distance two that share the most with it.

    What two nodes share is their resource allocation, the sum of `1 / degree` over their common neighbours (Zhou, Lü,
    Zhang 2009). The work grows with the sum of the squared degrees, so hubs are held short: through a common neighbour
    of more than `max_passage` neighbours a node reaches only so many of them, those that follow the node itself in
    ascending order, round and round. What is lost that way is at most `1 / max_passage` per hub.

    Parameters
    ----------
    graph
        The graph.
    per_node
        How many nodes to keep for each.
    threads
        Number of threads; by default one per core. Each needs 12 bytes per node of the graph.
    max_passage
        The bound on hubs.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> Neighbourhood(square, per_node=2).of(np.array([0, 1], np.int32))[:, 0].tolist()
    [2, 3]
    """

    def __init__(
        self, graph: Graph, per_node: int, threads: int | None = None, *, max_passage: int = MAX_PASSAGE
    ) -> None:
        self._graph, self._max_passage = graph, max_passage
        self._per_node = min(per_node, max(1, graph.num_nodes - 1))
        self._weights = np.rint(1 / (UNIT * np.maximum(graph.degree, 1))) * UNIT
        self._spaces = [
            (
                np.zeros(graph.num_nodes),
                np.empty(graph.num_nodes, np.int32),
                np.empty(self._per_node),
                np.empty(self._per_node, np.int32),
            )
            for _ in range(resolve_threads(threads))
        ]

    def of(self, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the best of each of some nodes, in no order; rows end with `NOBODY` if there are fewer.

        Shapes
        ------
        nodes (k,), result (k, per_node), or (k, num_nodes - 1) if that is less
        """
        out = np.full((len(nodes), self._per_node), NOBODY)
        step = min(len(nodes), len(self._spaces))
        shared = self._graph.indptr, self._graph.indices, self._weights, self._max_passage, nodes
        # Rows are dealt out in turn, so that no thread gets all the nodes of a dense corner.
        run_all(_allocate, [(*shared, *self._spaces[start], out, start, step) for start in range(step)])
        return out


@kernel
def _join_mutual(indptr, others, origins, nodes, row_of, low, high):
    """Where two nodes list each other, let the smaller one keep the pair, with the origins of both."""
    for row in range(low, high):
        u = nodes[row]
        for i in range(indptr[row], indptr[row + 1]):
            v = others[i]
            if v < u:
                continue
            place, end = indptr[row_of[v]], indptr[row_of[v] + 1]
            stop = end
            while place < stop:
                half = (place + stop) >> 1
                if others[half] < u:
                    place = half + 1
                else:
                    stop = half
            if place < end and others[place] == u:
                origins[i] |= origins[place]
                origins[place] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Pairs of nodes that are not adjacent, in lists by one of the two nodes; 5 bytes for each.

    Attributes
    ----------
    nodes : int32 array of length num_nodes
        Whose list comes when.
    indptr : int64 array of length num_nodes + 1
        Where the lists start.
    others : int32 array
        The other nodes of the pairs.
    origins : uint8 array
        `NEIGHBOURHOOD`, `EMBEDDING` or both; 0 where the other node lists the pair.
    """

    nodes: Nodes
    indptr: npt.NDArray[np.int64]
    others: Nodes
    origins: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return int(np.count_nonzero(self.origins))

    def batches(self, size: int) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
        """Yield all pairs `(u, v)` with `u < v`, at most `size` at a time, and their origins."""
        for low in range(0, len(self.others), size):
            high = min(low + size, len(self.others))
            first, last = np.searchsorted(self.indptr, [low, high - 1], side="right")
            bounds = np.clip(self.indptr[first - 1 : last + 1], low, high)
            owners = np.repeat(self.nodes[first - 1 : last], bounds[1:] - bounds[:-1])
            chosen = self.origins[low:high] > 0
            pairs = np.stack([owners[chosen], self.others[low:high][chosen]], axis=1).astype(np.int64)
            pairs.sort(axis=1)
            yield pairs, self.origins[low:high][chosen]


def find_candidates(
    graph: Graph,
    per_node: int = 100,
    embedding: npt.NDArray[np.floating[Any]] | None = None,
    *,
    threads: int | None = None,
) -> Candidates:
    """Find for every node the non-adjacent nodes that it is likeliest to be linked to.

    They are the best by resource allocation (`Neighbourhood`) and, with an embedding, the best by
    inner product (`edgeorbit.prediction.embedding_search`). A pair is a candidate if one of its two nodes has the other
    among its best. So a pair is left out only if both nodes have `per_node` better ones, which makes `2 * per_node`
    pairs better than it: the best `2 * per_node` pairs of the whole graph, by either measure, are always there. (For
    resource allocation that holds up to the bound on hubs, for inner products in graphs that are searched without an
    inverted file.)

    Parameters
    ----------
    graph
        The graph.
    per_node
        How many nodes to keep for each by either measure.
    embedding : array of shape (num_nodes, d), optional
        An embedding of every node.
    threads
        Number of threads; by default one per core. The candidates do not depend on it.

    Raises
    ------
    InvalidParameterError
        If `per_node` is no whole number from 1, or the embedding has not one row of finite numbers per node.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> [pairs.tolist() for pairs, _ in find_candidates(path).batches(10)]
    [[[0, 2], [1, 3]]]
    >>> ends_alike = np.array([[1.0], [0.0], [0.0], [1.0]])
    >>> [pairs.tolist() for pairs, _ in find_candidates(path, 1, ends_alike).batches(10)]
    [[[0, 2], [0, 3], [1, 3]]]
    """
    if not isinstance(per_node, int | np.integer) or per_node < 1:
        raise InvalidParameterError(f"per_node must be a whole number from 1, not {per_node}")
    checked = None if embedding is None else check_embedding(embedding, graph.num_nodes)
    threads = resolve_threads(threads)
    neighbourhood = Neighbourhood(graph, per_node, threads)
    blocks = (
        _without_embedding(graph.num_nodes, per_node)
        if checked is None
        else nearest_non_neighbours(graph, checked, per_node, threads)
    )
    found = [(nodes, *_merge(neighbourhood.of(nodes), near)) for nodes, near in blocks]
    nodes = np.concatenate([np.empty(0, np.int32), *(block[0] for block in found)])
    indptr = np.append(0, np.cumsum(np.concatenate([np.empty(0, np.int64), *(block[1] for block in found)])))
    others, origins = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.uint8)
    place = len(others)
    while found:  # from the end, so that each block is freed as soon as it is copied
        _, _, more, where = found.pop()
        others[place - len(more) : place], origins[place - len(more) : place] = more, where
        place -= len(more)

    row_of = np.empty(graph.num_nodes, np.int32)
    row_of[nodes] = np.arange(graph.num_nodes, dtype=np.int32)
    ranges = split_range(graph.num_nodes, threads)
    run_all(_join_mutual, [(indptr, others, origins, nodes, row_of, low, high) for low, high in ranges])
    return Candidates(nodes, indptr, others, origins)


def _without_embedding(num_nodes: int, per_node: int) -> Iterator[tuple[Nodes, Nodes]]:
    height = max(1, ENTRIES // min(per_node, max(1, num_nodes)))
    for low in range(0, num_nodes, height):
        nodes = np.arange(low, min(low + height, num_nodes), dtype=np.int32)
        yield nodes, np.empty((len(nodes), 0), np.int32)


def _merge(shared: Nodes, near: Nodes) -> tuple[npt.NDArray[np.int64], Nodes, npt.NDArray[np.uint8]]:
    """Return the lengths of the union of two lists of every node, the unions in ascending order, and the origins."""
    both = np.concatenate(
        [shared.astype(np.int64) << 2 | NEIGHBOURHOOD, near.astype(np.int64) << 2 | EMBEDDING], axis=1
    )
    both.sort(axis=1)
    others, origins = both >> 2, both.astype(np.uint8) & 3
    again = np.zeros(both.shape, bool)
    np.equal(others[:, 1:], others[:, :-1], out=again[:, 1:])
    origins[:, :-1][again[:, 1:]] |= EMBEDDING
    kept = (others != NOBODY) & ~again
    return np.count_nonzero(kept, axis=1), others[kept].astype(np.int32), origins[kept]
