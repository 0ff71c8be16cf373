"""The non-edges of edge orbits, numbered without listing them, and draws of different ones (`draw_distinct`).

The pairs of two colours have numbers, by the places of their nodes in the colours' classes; the numbers of edges among
them are sorted once. The number of a non-edge plus the number of edges before it is the number of its pair, so any
non-edge is found by one binary search, however many there are and however few.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import distinct

MAX_NODES = 2**27  # so that the pairs can be numbered by whole numbers that a float64 holds


class NonEdges:
    """The node pairs of some edge orbits that are not edges of a graph.

    Parameters
    ----------
    graph
        The graph whose edges are left out.
    colours : integer array of length num_nodes
        Colours from 0; a node of colour -1 is in no pair. They need not be colours of this graph: those of the
        training graph sort the non-edges of the whole one.
    pairs : integer array of shape (k, 2)
        Node pairs whose orbits are looked at.

    Attributes
    ----------
    counts : int64 array of length num_orbits
        Number of non-edges of every orbit.

    Examples
    --------
    Only the two ends of a path are left to be joined within their colour; of the four pairs of an end and a middle
    node, two are edges:

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> non_edges = NonEdges(path, np.array([0, 1, 1, 0]), np.array([[0, 3], [0, 1]]))
    >>> non_edges.counts.tolist()
    [1, 2]
    >>> non_edges.at(np.array([0, 1, 1]), np.array([0, 0, 1])).tolist()
    [[0, 3], [0, 2], [3, 1]]
    """

    def __init__(
        self, graph: Graph, colours: npt.NDArray[np.integer[Any]], pairs: npt.NDArray[np.integer[Any]]
    ) -> None:
        if graph.num_nodes > MAX_NODES:
            raise LimitExceededError(
                f"{graph.name} has {graph.num_nodes:,} nodes; negatives can be sampled for at most {MAX_NODES:,}"
            )
        self._colours = colours.astype(np.int64)
        self._num_colours = int(colours.max(initial=0)) + 1
        seen = self._colours >= 0
        self._sizes = np.bincount(self._colours[seen], minlength=self._num_colours)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._members = np.argsort(self._colours, kind="stable")[len(seen) - int(seen.sum()) :]
        self._places = np.zeros(graph.num_nodes, np.int64)
        self._places[self._members] = np.arange(len(self._members)) - self._starts[self._colours[self._members]]

        keys = distinct(self._keys(pairs))
        self._orbits = keys[keys >= 0]
        self._lower, self._upper = np.divmod(self._orbits, self._num_colours)
        lower_size, upper_size = self._sizes[self._lower], self._sizes[self._upper]
        within = self._lower == self._upper
        num_pairs = np.where(within, lower_size * (lower_size - 1) // 2, lower_size * upper_size)
        self._first_pair = np.append(0, np.cumsum(num_pairs))

        edges = graph.edges
        orbit = self.orbit_of(edges)
        edges, orbit = edges[orbit >= 0], orbit[orbit >= 0]
        taken = np.sort(self._first_pair[orbit] + self._number_within(edges, orbit))
        self._non_edges_before = taken - np.arange(len(taken))
        self._first = self._first_pair - np.searchsorted(taken, self._first_pair)
        self.counts: npt.NDArray[np.int64] = np.diff(self._first)

    def orbit_of(self, pairs: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Return the number of the orbit of node pairs, -1 for orbits that are not looked at."""
        keys = self._keys(pairs)
        if len(self._orbits) == 0:
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self._orbits, keys), len(self._orbits) - 1)
        return np.where(self._orbits[place] == keys, place, -1)

    def at(self, orbit: npt.NDArray[np.int64], number: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return non-edges by their orbit and their number in it, from 0: shape (k, 2).

        The first node has the smaller one of the orbit's two colours.
        """
        wanted = self._first[orbit] + number
        number = wanted + np.searchsorted(self._non_edges_before, wanted, "right") - self._first_pair[orbit]
        lower, upper = self._lower[orbit], self._upper[orbit]
        step, second = np.divmod(number, self._sizes[upper])
        # Between classes, a number is a place in each. Within a class of s nodes, the pairs are laid on a circle: all
        # that are one step apart, then two, and so on; so that no square root is needed to find one.
        within = lower == upper
        first = np.where(within, second, step)
        second = np.where(within, (second + step + 1) % self._sizes[upper], second)
        return np.stack(
            [self._members[self._starts[lower] + first], self._members[self._starts[upper] + second]], axis=1
        )

    def _keys(self, pairs: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Return a number for the two colours of every pair, -1 if a node has none."""
        lower, upper = np.sort(self._colours[pairs], axis=1).T
        return np.where(lower >= 0, lower * self._num_colours + upper, -1)

    def _number_within(
        self, pairs: npt.NDArray[np.integer[Any]], orbit: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the number of every edge among the pairs of its orbit: what `at` undoes."""
        size = self._sizes[self._upper[orbit]]
        in_order = self._colours[pairs[:, 0]] == self._lower[orbit]
        first = self._places[np.where(in_order, pairs[:, 0], pairs[:, 1])]
        second = self._places[np.where(in_order, pairs[:, 1], pairs[:, 0])]
        apart = (second - first) % size
        forth = 2 * apart <= size  # half way around, either node could be first; edges have the smaller one first
        on_circle = np.where(forth, (apart - 1) * size + first, (size - apart - 1) * size + second)
        return np.where(self._lower[orbit] == self._upper[orbit], on_circle, first * size + second)


CELLS = 2**22  # numbers that are worked on at a time
CROWDED = 4  # a row that wants more than a quarter of what there is gets them by shuffling all


def draw_distinct(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Draw different whole numbers from 0 to each bound, every sequence of them as likely as any other.

    Parameters
    ----------
    random
        The random numbers to use.
    bounds : int64 array of shape (p,)
        What the numbers of every row are less than.
    count
        How many numbers a row gets, if there are so many.

    Returns
    -------
    int64 array of shape (p, count)
        A row whose bound is smaller than `count` has all numbers there are, and then -1.

    Examples
    --------
    >>> draw_distinct(Random(0, "example"), np.array([2, 0, 1000]), 3).tolist()
    [[0, 1, -1], [-1, -1, -1], [192, 30, 306]]
    """
    drawn = np.full((len(bounds), count), -1)
    if count == 0:
        return drawn
    crowded = bounds <= CROWDED * count
    for rows in _chunks(np.flatnonzero(crowded & (bounds > 0)), CROWDED * count):
        drawn[rows] = _shuffled(random, bounds[rows], count)
    for rows in _chunks(np.flatnonzero(~crowded), count):
        drawn[rows] = _redrawn(random, bounds[rows], count)
    return drawn


def _shuffled(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Shuffle all numbers below each bound, and keep the first."""
    width = int(bounds.max())
    keys = random.uniform(len(bounds) * width).reshape(-1, width)
    keys[np.arange(width) >= bounds[:, None]] = 2  # behind all others
    order = np.argsort(keys, axis=1, kind="stable")[:, :count]
    kept = np.full((len(bounds), count), -1)
    kept[:, : order.shape[1]] = np.where(order < bounds[:, None], order, -1)
    return kept


def _redrawn(random: Random, bounds: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Draw numbers, and draw anew what came before in the same row, until all differ."""
    drawn = random.below(np.repeat(bounds, count)).reshape(-1, count)
    rows = np.arange(len(bounds))
    while len(rows):
        order = np.argsort(drawn[rows], axis=1, kind="stable")
        ascending = np.take_along_axis(drawn[rows], order, axis=1)
        row, place = np.nonzero(ascending[:, 1:] == ascending[:, :-1])
        again = rows[row], order[row, place + 1]
        drawn[again] = random.below(bounds[again[0]])
        rows = np.unique(again[0])
    return drawn


def _chunks(rows: npt.NDArray[np.int64], width: int) -> list[npt.NDArray[np.int64]]:
    size = max(1, CELLS // width)
    return [rows[start : start + size] for start in range(0, len(rows), size)]
