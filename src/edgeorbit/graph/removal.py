"""A graph again and again, each time without a few of its edges."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph


@kernel
def _entries_of(indptr, indices, pairs, entries):
    """Find both directions of every pair among the CSR entries; return the first pair that is no edge, or -1."""
    for i in range(len(pairs)):
        for direction in range(2):
            u, v = pairs[i, direction], pairs[i, 1 - direction]
            low, high = indptr[u], indptr[u + 1]
            while low < high:
                middle = (low + high) >> 1
                if indices[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            if low == indptr[u + 1] or indices[low] != v:
                return i
            entries[2 * i + direction] = low
    return -1


@kernel
def _copy_without(indptr, indices, entries, new_indptr, new_indices):
    """Copy CSR arrays without the given entries, which are ascending and may repeat; return the number left."""
    end = 0
    start = 0
    row = 0
    for i in range(len(entries) + 1):
        stop = entries[i] if i < len(entries) else len(indices)
        if stop < start:
            continue  # the same entry again
        shift = start - end
        new_indices[end : end + stop - start] = indices[start:stop]
        end += stop - start
        # Rows that begin up to here have lost `shift` entries before them.
        while row < len(indptr) and indptr[row] <= stop:
            new_indptr[row] = indptr[row] - shift
            row += 1
        start = stop + 1
    return end


class EdgeRemover:
    """Removes edges from one graph, into arrays that are used again.

    Parameters
    ----------
    graph
        The whole graph.

    Examples
    --------
    >>> remover = EdgeRemover(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
    >>> remover.without(np.array([[2, 0]])).edges.tolist()
    [[0, 1], [1, 2]]
    """

    def __init__(self, graph: Graph) -> None:
        self.whole = graph
        self._indptr, self._indices = np.empty_like(graph.indptr), np.empty_like(graph.indices)

    def without(self, removed: npt.ArrayLike) -> Graph:
        """Return the graph without the given edges, in arrays that the next call overwrites.

        Parameters
        ----------
        removed : integer array of shape (k, 2)
            Edges of the whole graph, in either direction; an edge may be named twice.

        Raises
        ------
        InvalidParameterError
            If a pair is not an edge of the graph.
        """
        whole, pairs = self.whole, np.asarray(removed, np.int64).reshape(-1, 2)
        if pairs.size and not (pairs.min() >= 0 and pairs.max() < whole.num_nodes):
            raise InvalidParameterError(f"removed edges name a node outside 0 to {whole.num_nodes - 1} of {whole.name}")
        entries = np.empty(2 * len(pairs), np.int64)
        stranger = _entries_of(whole.indptr, whole.indices, pairs, entries)
        if stranger >= 0:
            raise InvalidParameterError(
                f"{whole.name} has no edge between {pairs[stranger, 0]} and {pairs[stranger, 1]} to remove"
            )
        entries.sort()
        size = _copy_without(whole.indptr, whole.indices, entries, self._indptr, self._indices)
        return whole.with_attributes(indptr=self._indptr, indices=self._indices[:size], origin=None)
