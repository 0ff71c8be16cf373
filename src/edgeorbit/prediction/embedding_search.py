"""Candidates by embedding: for every node, those that are no neighbours and have the highest inner product with it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.parallel import resolve_threads, run_all
from edgeorbit.prediction.fixed_point import FixedPoint
from edgeorbit.prediction.inverted_file import Group, inverted_file
from edgeorbit.prediction.selection import NOBODY, offer

MAX_EXHAUSTIVE = 50_000  # nodes up to which all pairs are compared, which takes seconds
CELLS = 1 << 22  # inner products that are held at a time


@kernel
def _select(indptr, indices, products, queries, members, marks, scores, kept, out, start, step):
    """Write the best members for `queries[start::step]` to the rows of `out`; `marks` is zero before and after."""
    for i in range(start, len(queries), step):
        u = queries[i]
        marks[u] = 1
        for j in range(indptr[u], indptr[u + 1]):
            marks[indices[j]] = 1
        size = 0
        for j in range(len(members)):
            # Most are worse than the worst so far; only the others are looked up among the neighbours.
            if size == len(scores) and products[i, j] < scores[0]:
                continue
            if marks[members[j]] == 0:
                size = offer(scores, kept, size, products[i, j], members[j])
        for j in range(size):
            out[i, j] = kept[j]
        marks[u] = 0
        for j in range(indptr[u], indptr[u + 1]):
            marks[indices[j]] = 0


def check_embedding(embedding: npt.ArrayLike, num_nodes: int) -> npt.NDArray[np.floating[Any]]:
    """Return an embedding as an array, after checking it.

    Raises
    ------
    InvalidParameterError
        If it has not one row of finite numbers per node.
    """
    array = np.asarray(embedding)
    if array.ndim != 2 or array.shape[0] != num_nodes or array.shape[1] == 0:
        raise InvalidParameterError(
            f"embedding has shape {array.shape}; give one row for each of the {num_nodes} nodes, "
            f"shape ({num_nodes}, d) with d at least 1"
        )
    if array.dtype.kind not in "fiu":
        raise InvalidParameterError(f"embedding is of type {array.dtype}; give real numbers, such as float32")
    # Minimum and maximum take no memory, and show every NaN and every infinite number.
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        node = next(i for i in range(num_nodes) if not np.isfinite(array[i]).all())
        raise InvalidParameterError(
            f"embedding of node {node} is not finite; give finite numbers, or search by neighbourhood alone"
        )
    return array


def nearest_non_neighbours(
    graph: Graph,
    embedding: npt.NDArray[np.floating[Any]],
    per_node: int,
    threads: int | None = None,
    *,
    max_exhaustive: int = MAX_EXHAUSTIVE,
) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Yield every node with the nodes, not adjacent to it, whose embeddings have the highest inner products with its.

    The inner product is what a dot decoder scores by, and of equal products the smaller node comes first. Entries are
    rounded to 20 bits or more of the largest one (with up to 1,024 channels), see `FixedPoint`.

    Parameters
    ----------
    graph
        The graph, whose edges are left out.
    embedding : array of shape (num_nodes, d)
        Finite numbers.
    per_node
        How many nodes to keep for each.
    threads
        Number of threads that select; by default one per core. Matrix products run on the threads of numpy.
    max_exhaustive
        In graphs of more nodes, nodes are compared only with those of the nearest cells of an inverted file, and some
        of the best are missed.

    Yields
    ------
    nodes : int32 array of length k
        Some of the nodes; each node comes once.
    nearest : int32 array of shape (k, per_node), or (k, num_nodes - 1) if that is less
        What was found for them, in no order; rows end with `NOBODY` if there are fewer.
    """
    n = graph.num_nodes
    per_node = min(per_node, max(1, n - 1))
    fixed = FixedPoint(embedding)
    if n <= max_exhaustive:
        groups = iter([Group(np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32))])
    else:
        groups = inverted_file(embedding, fixed, per_node)
    spaces = [
        (np.zeros(n, np.uint8), np.empty(per_node), np.empty(per_node, np.int32))
        for _ in range(resolve_threads(threads))
    ]
    for queries, members in groups:
        columns = fixed.of(embedding[members]).T
        height = max(1, CELLS // max(len(members), per_node))
        for low in range(0, len(queries), height):
            rows = queries[low : low + height]
            products = fixed.of(embedding[rows]) @ columns
            out = np.full((len(rows), per_node), NOBODY)
            step = min(len(rows), len(spaces))
            shared = graph.indptr, graph.indices, products, rows, members
            run_all(_select, [(*shared, *spaces[start], out, start, step) for start in range(step)])
            yield rows, out
