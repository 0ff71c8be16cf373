"""What turns a graph into a more or a less symmetric one: swapped edges, added edges, cloned nodes.

Every move is a sequence that belongs to a graph and a seed, and a graph is made with its first so many members. So
the graphs of a sweep are nested: the one with more moves has all those of the one with fewer.
"""

import math
from collections.abc import Collection
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph, Origin
from edgeorbit.graph.node_pairs import are_among, pair_keys

Part = Literal["node", "pendant"]
DRAWS = 1024
SLACK = 1e-9  # 100 times a share of 0.29 is a little less than 29 to the machine; far more than it errs, far below 1
TRIES = 50  # random partners for an edge, before all of them are tried
HOPELESS = 200  # edges in a row without any partner, before the search is given up


class Swaps:
    """The sequence of swaps made in a graph; no swap doubles an edge or brings one back, and no edge is moved twice.

    So `2 * count` edges are new after `count` swaps, and there are at most half as many swaps as edges. Edges of nodes
    that have a twin are not swapped, so that twins stay twins.

    Parameters
    ----------
    graph, origin
        The graph, and its twins.
    seed
        Another seed, another sequence.
    """

    def __init__(self, graph: Graph, origin: Origin, seed: int) -> None:
        self._name, self._num_nodes = graph.name, graph.num_nodes
        self._edges = graph.edges.astype(np.int64)
        self._random = Random(seed, "swaps")
        order = self._random.permutation(len(self._edges))
        fixed = origin.twinned[self._edges[order]].any(axis=1)
        self._order: list[int] = order[~fixed].tolist()  # edges not moved yet, the next one last
        self._hopeless = 0
        self._taken = set(pair_keys(self._edges[:, 0], self._edges[:, 1], self._num_nodes).tolist())
        self._moved: list[int] = []
        self._new: list[tuple[int, int]] = []

    def first(self, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return all edges after `count` swaps, shape (num_edges, 2), and whether each is new.

        Raises
        ------
        InvalidParameterError
            If the graph does not allow so many swaps.
        """
        if count > self.room(count):
            raise InvalidParameterError(
                f"{self._name}: {self.room(count):,} swaps that keep every degree and double no edge were found, not "
                f"{count:,}; ask for fewer"
            )
        edges, new = self._edges.copy(), np.zeros(len(self._edges), bool)
        moved = self._moved[: 2 * count]
        edges[moved] = np.array(self._new[: 2 * count], np.int64).reshape(-1, 2)
        new[moved] = True
        return edges, new

    def room(self, wanted: int) -> int:
        """Return how many swaps can be made, or `wanted` if it is less."""
        while len(self._moved) < 2 * wanted and len(self._order) > 1 and self._hopeless < HOPELESS:
            self._hopeless = 0 if self._swap(self._order.pop()) else self._hopeless + 1
        return min(wanted, len(self._moved) // 2)

    def _swap(self, edge: int) -> bool:
        """Swap an edge with a random other one that was not moved; tell whether there was one."""
        for _ in range(TRIES):
            place = int(self._random.one() * len(self._order))
            if self._try(edge, place, self._random.one() < 0.5):
                return True
        partners = self._partners(edge)
        if len(partners) == 0:
            return False
        place, turned = divmod(int(partners[int(self._random.one() * len(partners))]), 2)
        return self._try(edge, place, bool(turned))

    def _try(self, edge: int, place: int, turned: bool) -> bool:
        partner = self._order[place]
        (a, b), (c, d) = self._edges[edge].tolist(), self._edges[partner].tolist()
        if turned:
            c, d = d, c
        first, second = (min(a, d), max(a, d)), (min(b, c), max(b, c))
        keys = [low * self._num_nodes + high for low, high in (first, second)]
        if a == d or b == c or keys[0] in self._taken or keys[1] in self._taken:
            return False
        self._taken.update(keys)  # the old edges stay in it, or else a later swap might make one of them again
        self._moved += [edge, partner]
        self._new += [first, second]
        self._order[place] = self._order[-1]
        self._order.pop()
        return True

    def _partners(self, edge: int) -> npt.NDArray[np.int64]:
        """Return the swaps of an edge that are possible: twice the partner's place, plus one if it is turned."""
        a, b = self._edges[edge]
        ends = self._edges[self._order]
        taken = np.sort(np.fromiter(self._taken, np.int64, len(self._taken)))
        c, d = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2).T
        keys = [pair_keys(a, d, self._num_nodes), pair_keys(b, c, self._num_nodes)]
        possible = (d != a) & (c != b)
        possible &= ~are_among(keys[0], taken) & ~are_among(keys[1], taken)
        return np.flatnonzero(possible)


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


class Cloned(NamedTuple):
    """The edges that cloning adds, and the node that every new node is a clone of."""

    edges: npt.NDArray[np.int64]
    twin_of: npt.NDArray[np.int64]


class Clones:
    """The sequence of clones made in a graph.

    Parameters
    ----------
    graph, origin
        The graph, after all other moves: an edge that is added to a clone alone would undo it. What has a twin already
        is not cloned: a clone within one of two twin parts would undo them.
    part
        `"node"`: a node with its neighbourhood. Nodes are taken in random order; isolated ones are left out.
        `"pendant"`: a tree that hangs on one node, with all its nodes. No part is taken within another one.
    seed
        Another seed, another sequence.
    """

    def __init__(self, graph: Graph, origin: Origin, part: Part, seed: int) -> None:
        self._graph, self._part = graph, part
        # The order belongs to the seed alone, so that graphs that differ in other moves clone the same nodes.
        order = Random(seed, "twins").permutation(graph.num_nodes)
        order = order[~origin.twinned[order]]
        if part == "node":
            self._roots = order[graph.degree[order] > 0]
        else:
            self._parent = hanging_trees(graph)
            self._roots = _apart(order[self._parent[order] >= 0], self._parent)

    @property
    def room(self) -> int:
        """How many clones can be made."""
        return len(self._roots)

    def first(self, count: int, skipped: Collection[int] = ()) -> Cloned:
        """Return the first `count` clones, without those at the skipped places.

        Raises
        ------
        InvalidParameterError
            If the graph has fewer nodes or parts to clone.
        """
        if count + len(skipped) > self.room:
            what = "nodes with neighbours" if self._part == "node" else "parts that hang on one node"
            raise InvalidParameterError(
                f"{self._graph.name} has {self.room:,} {what} to clone, not {count:,}; ask for fewer"
            )
        places = np.arange(count + len(skipped))
        roots = self._roots[: len(places)][~np.isin(places, list(skipped))]
        cloned = roots if self._part == "node" else _with_subtrees(roots, self._parent)
        num_nodes = self._graph.num_nodes
        clone = np.full(num_nodes, -1)
        clone[cloned] = num_nodes + np.arange(len(cloned))
        u, v = self._graph.edges.astype(np.int64).T
        of_u, of_v = clone[u], clone[v]
        added = [np.stack([of_u, of_v])[:, (of_u >= 0) & (of_v >= 0)]]
        # A cloned node keeps all neighbours, cloned or not; a cloned part is joined to the rest by its root alone.
        across = True if self._part == "node" else (of_u < 0) | (of_v < 0)
        added += [np.stack([of_u, v])[:, (of_u >= 0) & across], np.stack([u, of_v])[:, (of_v >= 0) & across]]
        return Cloned(np.concatenate(added, axis=1).T, cloned)


def check_part(part: str) -> None:
    """Raise `InvalidParameterError` unless it is known how to clone such a part."""
    if part not in get_args(Part):
        raise InvalidParameterError(f"part {part!r} cannot be cloned; choose from {', '.join(get_args(Part))}")


def hanging_trees(graph: Graph) -> npt.NDArray[np.int64]:
    """Return for every node of a hanging tree its neighbour towards the rest of the graph, and -1 for other nodes.

    Leaves are taken off the graph until there are none. A component that is a tree keeps its last node.

    >>> hanging_trees(Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]])).tolist()
    [-1, -1, -1, 2, 3]
    """
    parent = np.full(graph.num_nodes, -1)
    degree = graph.degree.copy()
    # The bitwise sum of the neighbours that are left: for a leaf, that is its only one.
    rows = np.repeat(np.arange(graph.num_nodes), degree)
    left = np.zeros(graph.num_nodes, np.int64)
    np.bitwise_xor.at(left, rows, graph.indices.astype(np.int64))
    leaves = np.flatnonzero(degree == 1)
    while len(leaves):
        above = left[leaves]
        facing = (degree[above] == 1) & (leaves < above)  # of the last two nodes of a tree, the smaller one stays
        leaves, above = leaves[~facing], above[~facing]
        parent[leaves] = above
        degree[leaves] = 0
        np.subtract.at(degree, above, 1)
        np.bitwise_xor.at(left, above, leaves)
        leaves = np.unique(above[degree[above] == 1])
    return parent


def _apart(roots: npt.NDArray[np.int64], parent: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Leave out roots that lie below or above an earlier one."""
    towards = parent.tolist()
    inside, above = bytearray(len(towards)), bytearray(len(towards))  # of the parts taken so far
    kept = []
    for root in roots.tolist():
        if above[root]:
            continue
        line = [root]
        while not inside[line[-1]] and not above[line[-1]] and towards[line[-1]] >= 0:
            line.append(towards[line[-1]])
        if inside[line[-1]]:
            mark = inside  # all of the line is, so that no later walk passes here again
        else:
            mark = above
            kept.append(root)
        for node in line:
            mark[node] = True
        inside[root] = True
    return np.array(kept, np.int64)


def _with_subtrees(roots: npt.NDArray[np.int64], parent: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return every root followed by all nodes below it."""
    order = np.argsort(parent, kind="stable")
    starts = np.searchsorted(parent[order], np.arange(len(parent) + 1)).tolist()
    children = order.tolist()
    found = []
    for root in roots.tolist():
        waiting = [root]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += children[starts[node] : starts[node + 1]]
    return np.array(found, np.int64)
