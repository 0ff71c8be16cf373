"""Orbits of node pairs, edges or not, under the automorphism group."""

import time

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.exact._generators import Generators, node_orbits
from edgeorbit.orbits.exact.orbits import exact_orbits
from edgeorbit.orbits.refine import refine

Ints = npt.NDArray[np.int64]


def pair_orbits(
    graph: Graph, pairs: npt.NDArray[np.int64], *, time_limit: float = 60.0, memory_limit: int | None = None
) -> Ints:
    """Label node pairs, edges or not, by their orbits under the automorphism group.

    Two pairs have the same label if and only if an automorphism takes one to the other, in either order of its nodes.
    No score that is computed from the graph alone, without looking at the numbers of nodes, can tell them apart.

    The pairs `(u, v)` whose first node is in one orbit are carried along automorphisms until all have the same first
    node, the smallest of the orbit. Then the orbits of the second nodes under the automorphisms that keep the first
    one decide. So there is one search for every orbit of nodes in the pairs, however many pairs there are.

    Parameters
    ----------
    graph
        The graph.
    pairs : array of shape (k, 2)
        Pairs of different nodes.
    time_limit, memory_limit
        As for `exact_orbits`; the time is that of all searches together.

    Returns
    -------
    int64 array of length k
        The labels. They are not canonical, and say nothing about another graph.

    Examples
    --------
    In two triangles a pair within one and a pair across both are different, though all nodes are alike:

    >>> triangles = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    >>> labels = pair_orbits(triangles, np.array([[0, 1], [0, 5], [2, 3], [4, 5]]))
    >>> bool(labels[0] == labels[3]), bool(labels[1] == labels[2]), bool(labels[0] == labels[1])
    (True, True, False)
    """
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidParameterError(f"pairs of nodes have the shape (k, 2), not {pairs.shape}")
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < graph.num_nodes:
        raise InvalidParameterError(f"{graph.name} has the nodes 0 to {graph.num_nodes - 1}; a pair has another one")
    deadline = time.monotonic() + time_limit
    whole = exact_orbits(graph, time_limit=time_limit, memory_limit=memory_limit)
    root = node_orbits(graph.num_nodes, whole.generators)
    size = np.bincount(root, minlength=graph.num_nodes)
    carried = _carry(whole.generators, root, np.concatenate([pairs, pairs[:, ::-1]]).astype(np.int64))
    label = np.empty(len(carried), np.int64)
    order = np.argsort(carried[:, 0], kind="stable")
    first, begin = np.unique(carried[order, 0], return_index=True)
    for done, (kept, rows) in enumerate(zip(first, np.split(order, begin)[1:], strict=True)):
        second = whole.node_labels  # beside a node that every automorphism keeps
        if size[kept] > 1:
            left = deadline - time.monotonic()
            if left <= 0:
                raise LimitExceededError(
                    f"{graph.name}: exact orbits of pairs were not found within time_limit={time_limit:g} s, "
                    f"{done} of {len(first)} searches done; raise time_limit"
                )
            marked = refine(graph, initial=np.arange(graph.num_nodes) == kept)
            second = exact_orbits(graph, marked, time_limit=left, memory_limit=memory_limit).node_labels
        label[rows] = kept * graph.num_nodes + second[carried[rows, 1]]
    either_order: Ints = label.reshape(2, -1).min(axis=0)
    return either_order


def _carry(generators: Generators, root: npt.NDArray[np.int32], pairs: Ints) -> Ints:
    """Return pairs with the smallest node of its orbit as first node, to which an automorphism takes each pair."""
    number = np.repeat(np.arange(len(generators.bounds) - 1), np.diff(generators.bounds))
    order = np.lexsort((generators.source, number))
    source, image = generators.source[order], generators.image[order]
    by_image = np.argsort(image, kind="stable")
    start = np.searchsorted(image[by_image], np.arange(len(root) + 1))
    carried: Ints = _carry_all(source, image, generators.bounds, number[by_image], by_image, start, root, pairs)
    return carried


@kernel
def _carry_all(source, image, bounds, number, by_image, start, root, pairs):
    """Hang every node below the root of its orbit by generators, and apply these to pairs on the way up.

    Moves are sorted by generator and source; `by_image` lists them by where they end, `number` their generators.
    """
    via = np.full(len(root), -1)  # the generator that brings a node one step nearer to its root
    queue = np.empty(len(root), np.int64)
    filled = 0
    for node in range(len(root)):
        if root[node] == node:
            queue[filled] = node
            filled += 1
    seen = 0
    while seen < filled:
        node = queue[seen]
        seen += 1
        for k in range(start[node], start[node + 1]):
            before = source[by_image[k]]
            if root[before] != before and via[before] < 0:
                via[before] = number[k]
                queue[filled] = before
                filled += 1
    out = np.empty_like(pairs)
    for i in range(len(pairs)):
        u, v = pairs[i, 0], pairs[i, 1]
        while via[u] >= 0:
            low, high = bounds[via[u]], bounds[via[u] + 1]
            u = _move(source, image, low, high, u)
            v = _move(source, image, low, high, v)
        out[i, 0], out[i, 1] = u, v
    return out


@kernel
def _move(source, image, low, high, node):
    """Return where a generator, whose moves are from low to high, takes a node."""
    place = low + np.searchsorted(source[low:high], node)
    return np.int64(image[place]) if place < high and source[place] == node else np.int64(node)
