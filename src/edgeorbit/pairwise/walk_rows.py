"""All walks of a graph up to a few steps, weighted by their length, as the rows of a sparse matrix.

Every row is spread from its node one step at a time, once to count what it reaches and once to write it. Beside the
result this takes memory for a few numbers per node and thread.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph

BYTES_PER_ENTRY = 8  # a node number and a weight
ROWS_PER_THREAD = 256  # below this a second thread costs more than it saves


class WalkRows(NamedTuple):
    """A symmetric sparse matrix in CSR form.

    Attributes
    ----------
    indptr : int64 array of length num_nodes + 1
        Where the row of every node starts.
    indices : int32 array
        The nodes that are reached, ascending in each row.
    values : float32 array
        The weights of the walks to them.
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


@kernel
def _spread_rows(indptr, indices, hops, beta, low, high, counts, offsets, out_indices, out_values):
    """Count what the rows `low` to `high` reach or, if there are offsets, write it."""
    num_nodes = len(indptr) - 1
    here, there, total = np.zeros(num_nodes), np.zeros(num_nodes), np.zeros(num_nodes)
    now, then = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    reached = np.empty(num_nodes, np.uint32)
    for row in range(low, high):
        here[row], now[0], num_now, num_reached = 1.0, row, 1, 0
        factor = 1.0
        for _ in range(hops):
            num_then = 0
            for i in range(num_now):
                node = now[i]
                walks, here[node] = here[node], 0.0
                for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + np.uint32(1)])):
                    other = indices[k]
                    if there[other] == 0.0:
                        then[num_then] = other
                        num_then += 1
                    there[other] += walks
            here, there = there, here
            now, then, num_now = then, now, num_then
            for i in range(num_now):
                node = now[i]
                if total[node] == 0.0:
                    reached[num_reached] = node
                    num_reached += 1
                total[node] += factor * here[node]
            factor *= beta
        for i in range(num_now):
            here[now[i]] = 0.0
        if len(offsets) > 0:
            place = offsets[row]
            for node in np.sort(reached[:num_reached]):
                out_indices[place] = node
                out_values[place] = total[node]
                place += 1
        else:
            counts[row] = num_reached
        for i in range(num_reached):
            total[reached[i]] = 0.0


def walk_rows(
    graph: Graph,
    *,
    hops: int = 2,
    beta: float = 0.1,
    bytes_per_entry: int = BYTES_PER_ENTRY,
    threads: int | None = None,
) -> WalkRows:
    """Return the sum over lengths l = 1 to `hops` of `beta^(l-1) A^l`.

    Parameters
    ----------
    graph
        The graph.
    hops
        The length of the longest walks, at least 1.
    beta
        The weight of every step beyond the first, above 0.
    bytes_per_entry
        What the caller needs for every entry, counted before anything is written.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Raises
    ------
    InvalidParameterError
        If `hops` is below 1, or `beta` is not above 0 and finite.
    LimitExceededError
        If the entries need more memory than there is.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> rows = walk_rows(path, hops=2, beta=0.5)
    >>> rows.indptr.tolist(), rows.indices.tolist(), rows.values.tolist()
    ([0, 3, 6, 9], [0, 1, 2, 0, 1, 2, 0, 1, 2], [0.5, 1.0, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 0.5])
    """
    if hops < 1:
        raise InvalidParameterError(f"hops must be at least 1, not {hops}")
    if not 0 < beta < float("inf"):
        raise InvalidParameterError(f"beta must be above 0 and finite, not {beta}")
    n = graph.num_nodes
    ranges = split_range(n, min(resolve_threads(threads), 1 + n // ROWS_PER_THREAD))
    arguments = graph.indptr, graph.indices.view(np.uint32), hops, float(beta)
    counts, nothing = np.zeros(n, np.int64), (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
    run_all(_spread_rows, [(*arguments, *part, counts, *nothing) for part in ranges])
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    _require_memory(graph, hops, int(indptr[-1]), bytes_per_entry)
    out = indptr, np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    run_all(_spread_rows, [(*arguments, *part, counts, *out) for part in ranges])
    return WalkRows(*out)


def _require_memory(graph: Graph, hops: int, entries: int, bytes_per_entry: int) -> None:
    available = available_memory()
    if available is not None and entries * bytes_per_entry > available:
        raise LimitExceededError(
            f"{graph.name}: walks of up to {hops} steps join {entries} pairs of nodes, which takes about "
            f"{size_in_words(entries * bytes_per_entry)} of memory, and {size_in_words(available)} are available; "
            "lower hops"
        )
