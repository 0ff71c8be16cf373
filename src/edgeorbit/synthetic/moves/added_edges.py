"""Edges added at random, within the copies of a graph and between them."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.randomness import Random

DRAWS = 1024


class AddedEdges:
    """The sequence of edges that are added to a graph.

    No edge is added twice, joins a node to itself or is there already, and none ends at a node that has a twin, so
    that twins stay twins.

    Parameters
    ----------
    graph, origin
        The graph, and its copies.
    inter
        The share of edges between different copies, kept by every beginning of the sequence.
    seed
        Another seed, another sequence.
    """

    def __init__(self, graph: Graph, origin: Origin, inter: float, seed: int) -> None:
        if not 0 <= inter <= 1:
            raise InvalidParameterError(f"inter is a share of edges from 0 to 1, not {inter}")
        if inter > 0 and origin.num_copies == 1:
            raise InvalidParameterError(
                f"inter must be 0 and not {inter}: {graph.name} has one copy; ask for more copies"
            )
        free = origin.twin_of < 0
        free[origin.twin_of[~free]] = False
        allowed = np.flatnonzero(free)
        self._name, self._inter = graph.name, inter
        edges = graph.edges[free[graph.edges].all(axis=1)]
        self._within = _Pairs(edges, allowed, origin.copy, False, Random(seed, "edges within copies"))
        self._between = _Pairs(edges, allowed, origin.copy, True, Random(seed, "edges between copies"))

    @property
    def room(self) -> int:
        """How many edges can be added at most."""
        if self._inter == 0:
            return self._within.room
        if self._inter == 1:
            return self._between.room
        return int(min(self._within.room / (1 - self._inter), self._between.room / self._inter))

    def first(self, count: int, skipped: Collection[int] = ()) -> npt.NDArray[np.int64]:
        """Return the first `count` edges, shape (count, 2), without those at the skipped places.

        Raises
        ------
        InvalidParameterError
            If the graph has no room for so many.
        """
        places = np.arange(count + len(skipped))
        # Exactly the wanted share of every beginning: a place is one between copies if the running share steps up.
        between = np.floor((places + 1) * self._inter) > np.floor(places * self._inter)
        num_between = int(between.sum())
        if len(places) - num_between > self._within.room or num_between > self._between.room:
            raise InvalidParameterError(
                f"{self._name} has room for {self.room:,} added edges, not {count:,}; ask for fewer"
            )
        edges = np.empty((len(places), 2), np.int64)
        edges[~between] = self._within.first(len(places) - num_between)
        edges[between] = self._between.first(num_between)
        return edges[~np.isin(places, list(skipped))][:count]


class _Pairs:
    """A sequence of distinct node pairs that are no edges, all within copies or all between them."""

    def __init__(
        self,
        edges: npt.NDArray[np.int32],
        allowed: npt.NDArray[np.int64],
        copy: npt.NDArray[np.int32],
        between: bool,
        random: Random,
    ) -> None:
        self._by_copy = allowed[np.argsort(copy[allowed], kind="stable")]
        self._sizes = np.bincount(copy[allowed], minlength=1)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._copy, self._between, self._random = copy, between, random
        self._num_nodes = len(copy)
        same = copy[edges[:, 0]] == copy[edges[:, 1]]
        within = int((self._sizes * (self._sizes - 1) // 2).sum())
        pairs = len(allowed) * (len(allowed) - 1) // 2 - within if between else within
        self.room = int(pairs - (~same if between else same).sum())
        self._taken = edges.astype(np.int64) @ np.array([self._num_nodes, 1])
        self._found = np.empty(0, np.int64)

    def first(self, count: int) -> npt.NDArray[np.int64]:
        """Return the first `count` pairs; there must be room for them."""
        while len(self._found) < count:
            drawn = self._draw(max(DRAWS, len(self._found)))
            fresh = drawn[~np.isin(drawn, self._taken)]
            joined = np.concatenate([self._found, fresh])
            _, places = np.unique(joined, return_index=True)
            self._found = joined[np.sort(places)]
        keys = self._found[:count]
        return np.stack([keys // self._num_nodes, keys % self._num_nodes], axis=1)

    def _draw(self, number: int) -> npt.NDArray[np.int64]:
        """Draw node pairs as keys `u * num_nodes + v` with `u < v`; those of the wrong sort are left out."""
        first = self._by_copy[self._random.below(np.full(number, len(self._by_copy)))]
        copy = self._copy[first]
        if self._between:
            second = self._by_copy[self._random.below(np.full(number, len(self._by_copy)))]
            right = self._copy[second] != copy
        else:
            second = self._by_copy[self._starts[copy] + self._random.below(self._sizes[copy])]
            right = first != second
        low, high = np.minimum(first, second)[right], np.maximum(first, second)[right]
        keys: npt.NDArray[np.int64] = low * self._num_nodes + high
        return keys
