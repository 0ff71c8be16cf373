"""Clones: nodes, or parts that hang on one node, made twice. No message passing tells a clone from its original."""

from collections.abc import Collection
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.randomness import Random

Part = Literal["node", "pendant"]


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
