"""Edges added at random, within the copies of a graph and between them."""

import math
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.randomness import Random
from edgeorbit.synthetic.node_pairs import are_among, pair_keys

DRAWS = 1024
SLACK = 1e-9  # 100 times a share of 0.29 is a little less than 29 to the machine; far more than it errs, far below 1


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
        free = ~origin.twinned
        allowed = np.flatnonzero(free)
        self._name, self._inter = graph.name, inter
        edges = graph.edges[free[graph.edges].all(axis=1)]
        self._within = _Pairs(edges, allowed, origin.copy, False, Random(seed, "edges within copies"))
        self._between = _Pairs(edges, allowed, origin.copy, True, Random(seed, "edges between copies"))

    @property
    def room(self) -> int:
        """How many edges can be added at most."""
        # The largest count with floor(inter * count) pairs between copies, and the others within them.
        within = (self._within.room + SLACK) / (1 - self._inter) if self._inter < 1 else math.inf
        between = (self._between.room + 1 - 2 * SLACK) / self._inter if self._inter > 0 else math.inf
        return int(min(within, between))

    def first(self, count: int, skipped: Collection[int] = ()) -> npt.NDArray[np.int64]:
        """Return the first `count` edges, shape (count, 2), without those at the skipped places.

        Raises
        ------
        InvalidParameterError
            If the graph has no room for so many.
        """
        if count + len(skipped) > self.room:
            raise InvalidParameterError(
                f"{self._name} has room for {self.room:,} added edges, not {count:,}; ask for fewer"
            )
        places = np.arange(count + len(skipped))
        # Exactly the wanted share of every beginning: a place is one between copies if the running share steps up.
        between = np.floor((places + 1) * self._inter + SLACK) > np.floor(places * self._inter + SLACK)
        num_between = int(between.sum())
        edges = np.empty((len(places), 2), np.int64)
        edges[~between] = self._within.first(len(places) - num_between)
        edges[between] = self._between.first(num_between)
        return edges[~np.isin(places, list(skipped))][:count]


def check_inter(inter: float, num_copies: int, name: str) -> None:
    """Raise `InvalidParameterError` unless that share of edges can lie between the copies."""
    if not 0 <= inter <= 1:
        raise InvalidParameterError(f"inter is a share of edges from 0 to 1, not {inter}")
    if inter > 0 and num_copies == 1:
        raise InvalidParameterError(f"inter must be 0 and not {inter}: {name} has one copy; ask for more copies")


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
        self._taken = pair_keys(edges[:, 0], edges[:, 1], self._num_nodes)  # ascending, as the edges of a graph are
        self._found = np.empty(0, np.int64)

    def first(self, count: int) -> npt.NDArray[np.int64]:
        """Return the first `count` pairs; there must be room for them."""
        while len(self._found) < count:
            drawn = self._draw(max(DRAWS, len(self._found)))
            fresh = drawn[~are_among(drawn, self._taken)]
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
        return pair_keys(first[right], second[right], self._num_nodes)
