"""The rows that a batch needs: the nodes within some steps of those whose embeddings are read.

An embedding after L layers depends on the nodes within L steps, so all else need not be computed. Degrees are those of
the whole graph and draws of dropout belong to nodes, so that logits and gradients are those of the whole graph, to
rounding.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs, Rows

WORTH_IT = 0.8  # share of the rows of all layers, above which the whole graph is passed messages on


@kernel
def _mark_neighbours(indptr, indices, nodes, step, steps):
    """Give neighbours without a step this one; return how many there are."""
    count = 0
    for node in nodes:
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            if steps[other] < 0:
                steps[other] = step
                count += 1
    return count


def find_rows(graph: Graph, read: npt.NDArray[np.integer], hops: int, worth_it: float = WORTH_IT) -> Rows | None:
    """Return the nodes within some steps of nodes that are read; None if passing messages on all nodes is cheaper.

    What is counted is the rows that layers write: those of the nodes within 0 to `hops - 1` steps, beside all of them
    in every layer.

    Parameters
    ----------
    graph
        The graph.
    read
        Node numbers, in any order and any number of times.
    hops
        Number of steps.
    worth_it
        The largest share of all rows, so that others are left out.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    >>> rows = find_rows(path, np.array([5, 5]), hops=2)
    >>> rows.nodes.tolist(), rows.counts, rows.place.tolist()
    ([5, 4, 3], (1, 2, 3), [-1, -1, -1, 2, 1, 0])
    >>> find_rows(path, np.arange(6), hops=2) is None
    True
    """
    steps = np.full(graph.num_nodes, -1, np.int16)
    steps[read] = 0
    found = [np.flatnonzero(steps == 0).astype(np.int32)]
    counts, most = [len(found[0])], worth_it * graph.num_nodes * max(hops, 1)
    written = counts[0]
    for step in range(1, hops + 1):
        if written > most:
            return None
        more = _mark_neighbours(graph.indptr, graph.indices, found[-1], step, steps)
        found.append(np.flatnonzero(steps == step).astype(np.int32) if more else np.empty(0, np.int32))
        counts.append(counts[-1] + more)
        written += counts[-1] if step < hops else 0
    if written > most:
        return None
    nodes, place = np.concatenate(found), np.full(graph.num_nodes, -1, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    return Rows(nodes, tuple(counts), place)


def nodes_within(graph: Graph, nodes: npt.NDArray[np.integer], hops: int) -> npt.NDArray[np.int32]:
    """Return the nodes within so many steps of others.

    >>> nodes_within(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), np.array([0]), 2).tolist()
    [0, 1, 2]
    """
    rows = find_rows(graph, nodes, hops, worth_it=np.inf)
    assert rows is not None
    return rows.nodes


def restrict(inputs: Inputs, read: npt.NDArray[np.integer], hops: int, worth_it: float = WORTH_IT) -> Inputs:
    """Return inputs of which only the rows within some steps are computed, or the given ones if that is cheaper."""
    rows = find_rows(inputs.graph, read, hops, worth_it)
    return inputs if rows is None else inputs.only(rows)
