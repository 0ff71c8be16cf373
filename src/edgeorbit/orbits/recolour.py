"""Colours of one graph again and again, each time without a few of its edges.

Training a link predictor hides the links of each batch from the graph that messages are passed on. The colours must
belong to that very graph, or they give the hidden links away; so they are made anew for every batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.initial import initial_keys
from edgeorbit.orbits.refine import Refinement, check_rounds
from edgeorbit.orbits.refinement.workspace import Workspace


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


class Recolourer:
    """Refines a graph after removing some of its edges, in arrays that are used again.

    Parameters
    ----------
    graph
        The whole graph.
    rounds
        Rounds of refinement; None for stable colours.
    initial, threads
        As for `edgeorbit.refine`; initial colours by degree are those of the graph that is left.

    Examples
    --------
    >>> from edgeorbit import Graph
    >>> recolourer = Recolourer(Graph.from_edges([(i, (i + 1) % 8) for i in range(8)]), rounds=2)
    >>> recolourer.recolour([]).num_colours
    1
    >>> recolourer.recolour([(7, 0)]).num_colours
    3
    >>> recolourer.graph.num_edges
    7
    """

    def __init__(
        self, graph: Graph, rounds: int | None, initial: str | npt.ArrayLike | None = None, threads: int | None = None
    ) -> None:
        self.whole = graph
        self.rounds = check_rounds(rounds)
        self.threads = threads
        self.graph = graph
        self._space = Workspace(graph.num_nodes)
        self._indptr, self._indices = np.empty_like(graph.indptr), np.empty_like(graph.indices)
        self._initial: Any = initial
        if initial is not None and not (isinstance(initial, str) and initial == "degree"):
            self._initial = initial_keys(graph, initial)

    def recolour(self, removed: npt.ArrayLike) -> Colouring:
        """Return the colours of the graph without the given edges, and keep that graph as `self.graph`.

        Parameters
        ----------
        removed : integer array of shape (k, 2)
            Edges of the whole graph, in either direction; an edge may be named twice.

        Raises
        ------
        InvalidParameterError
            If a pair is not an edge of the graph.

        Notes
        -----
        `self.graph` lives in arrays that the next call overwrites. Whether colours after K rounds happen to be stable
        is not looked into: `stable` is True only if one of the rounds changed nothing, or if every node is alone.
        """
        self.graph = self._without(np.asarray(removed, np.int64).reshape(-1, 2))
        refinement = Refinement(
            self.graph, self._initial, threads=self.threads, prove_rounds=self.rounds is not None, space=self._space
        )
        refinement.run(self.rounds)
        return refinement.colouring(check_stable=False)

    def _without(self, pairs: npt.NDArray[np.int64]) -> Graph:
        whole = self.whole
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
        return whole.with_attributes(indptr=self._indptr, indices=self._indices[:size])
