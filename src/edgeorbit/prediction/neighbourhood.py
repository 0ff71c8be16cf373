"""Candidates by neighbourhood: for every node, those at distance two with the highest resource allocation."""

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.parallel import resolve_threads, run_all
from edgeorbit.prediction.selection import NOBODY, offer

MAX_PASSAGE = 4096  # nodes that are reached through one common neighbour; in ogbl-ddi no node has more than 2,234
UNIT = 2.0**-40  # weights are multiples of this, so that their sums are exact and equal sums are equal numbers


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
