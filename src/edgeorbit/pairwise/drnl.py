"""Double-radius node labels (DRNL): what every node of an enclosing subgraph is to the two ends of its pair.

A label is a number for the two distances of a node to the ends, each measured without the other end, so that a path
through the one does not shorten the way to the other (Zhang and Chen, 2018).
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit.pairwise.pairs import share_work

ENTRIES_PER_THREAD = 100_000  # below this a second thread costs more than it saves


@kernel
def _measure(indptr, indices, begin, start, blocked, distance, queue):
    """Write the distances to a node of the subgraph that begins at `begin`; what is not reached stays -1.

    Node numbers are those of the subgraph. The way may not lead through `blocked`, unless that is the start.
    """
    distance[blocked] = 0
    distance[start] = 0
    queue[0] = start
    done, found = 0, 1
    while done < found:
        node = queue[done]
        done += 1
        for entry in range(indptr[begin + node], indptr[begin + node + 1]):
            other = indices[entry] - begin
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue[found] = other
                found += 1


@kernel
def _label(offsets, indptr, indices, ends, labels, low, high):
    """Label the nodes of subgraphs `low` to `high`."""
    most = 0
    for pair in range(low, high):
        most = max(most, offsets[pair + 1] - offsets[pair])
    here, there, queue = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    for pair in range(low, high):
        begin = offsets[pair]
        size = offsets[pair + 1] - begin
        last = ends[pair] - 1  # the second end, which may be the first
        for node in range(size):
            here[node] = there[node] = -1
        _measure(indptr, indices, begin, 0, last, here, queue)
        _measure(indptr, indices, begin, last, 0, there, queue)
        for node in range(size):
            near, far = min(here[node], there[node]), max(here[node], there[node])
            label = 0
            if node <= last:
                label = 1
            elif near >= 0:
                half, odd = (near + far) // 2, (near + far) % 2
                label = 1 + near + half * (half + odd - 1)
            labels[begin + node] = min(label, 2**31 - 1)


def drnl_labels(
    offsets: npt.NDArray[np.int64],
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64] | None = None,
    *,
    threads: int | None = None,
) -> npt.NDArray[np.int32]:
    """Return the label of every node of subgraphs that lie one after the other.

    With distances x and y to the two ends and d = x + y it is `1 + min(x, y) + (d // 2) * (d // 2 + d % 2 - 1)`. The
    ends have label 1, and a node that does not reach both has 0.

    Parameters
    ----------
    offsets : int64 array, one longer than there are subgraphs
        Where the nodes of every subgraph start; its ends come first.
    indptr, indices
        The neighbours of all nodes, in CSR form.
    ends : int64 array, optional
        1 for the subgraph of a node and itself, and 2, the default, for others.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Examples
    --------
    A square whose ends are opposite corners, and a path of three nodes that begins with both ends:

    >>> drnl_labels(np.array([0, 4]), np.array([0, 2, 4, 6, 8]), np.array([2, 3, 2, 3, 0, 1, 0, 1])).tolist()
    [1, 1, 2, 2]
    >>> drnl_labels(np.array([0, 3]), np.array([0, 0, 1, 2]), np.array([2, 1])).tolist()
    [1, 1, 0]
    """
    count = len(offsets) - 1
    ends = np.full(count, 2, np.int64) if ends is None else np.ascontiguousarray(ends, np.int64)
    labels = np.empty(len(indptr) - 1, np.int32)
    parts = min(resolve_threads(threads), 1 + len(indices) // ENTRIES_PER_THREAD)
    # The subgraphs of each thread have about as many neighbours together.
    ranges = share_work(indptr[offsets], parts)
    arrays = offsets, indptr, indices.astype(np.int32, copy=False), ends, labels
    run_all(_label, [(*arrays, low, high) for low, high in ranges])
    return labels
