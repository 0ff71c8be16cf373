"""Generators of an automorphism group, stored by what they move, and the orbits of nodes and edges under them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.graph.components import flatten, join, smallest_members
from edgeorbit.graph.graph import Graph

NodeArray = npt.NDArray[np.int32]


class Generators(NamedTuple):
    """Permutations of nodes: number `g` moves `source[k]` to `image[k]` for `k` from `bounds[g]` to `bounds[g + 1]`.

    Nodes that are not among the sources stay. There may be a million permutations of two nodes each, so they are
    kept in three arrays and not in a list.
    """

    source: NodeArray
    image: NodeArray
    bounds: npt.NDArray[np.int64]

    @classmethod
    def concatenate(cls, parts: Iterable["Generators"]) -> "Generators":
        """Put several sets of generators together."""
        parts = list(parts)
        lengths = [np.diff(part.bounds) for part in parts]
        bounds = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
        empty = np.zeros(0, np.int32)
        source = np.concatenate([empty, *(part.source for part in parts)])
        image = np.concatenate([empty, *(part.image for part in parts)])
        return cls(source, image, bounds)


def neighbour_swaps(nodes: NodeArray, start: npt.NDArray[np.int64], length: npt.NDArray[np.int64]) -> Generators:
    """Return, for each start, the generator that swaps two adjacent blocks of `nodes`, element by element.

    Swapping each block with the next one in a row of blocks generates every permutation of them.

    >>> swap = neighbour_swaps(np.array([7, 8, 3, 4], np.int32), np.array([0]), np.array([2]))
    >>> swap.source.tolist(), swap.image.tolist()
    ([7, 8, 3, 4], [3, 4, 7, 8])
    """
    bounds = np.append(0, np.cumsum(2 * length))
    offset = np.arange(bounds[-1]) - np.repeat(bounds[:-1], 2 * length)
    first, half = np.repeat(start, 2 * length), np.repeat(length, 2 * length)
    return Generators(nodes[first + offset], nodes[first + (offset + half) % (2 * half)], bounds)


@kernel
def _edge_number(indptr, indices, first_upper, first_edge, u, v):
    """Return the number of the edge between two nodes, or -1 if there is none."""
    if v < u:
        u, v = v, u
    low, high = first_upper[u], indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    if low == indptr[u + 1] or indices[low] != v:
        return -1
    return first_edge[u] + low - first_upper[u]


@kernel
def _join_edges(indptr, indices, first_upper, first_edge, source, image, bounds, parent):
    """Join every edge with its image under every generator; return the first that is no automorphism, or -1."""
    moved_to = np.arange(len(indptr) - 1).astype(np.int32)
    for g in range(len(bounds) - 1):
        for k in range(bounds[g], bounds[g + 1]):
            moved_to[source[k]] = image[k]
        for k in range(bounds[g], bounds[g + 1]):
            u = source[k]
            for place in range(indptr[u], indptr[u + 1]):
                v = indices[place]
                if moved_to[v] != v and v < u:
                    continue  # both ends move: seen from the other end
                edge = _edge_number(indptr, indices, first_upper, first_edge, u, v)
                other = _edge_number(indptr, indices, first_upper, first_edge, moved_to[u], moved_to[v])
                if other < 0:
                    return g
                join(parent, edge, other)
        for k in range(bounds[g], bounds[g + 1]):
            moved_to[source[k]] = source[k]
    flatten(parent)
    return -1


def node_orbits(num_nodes: int, generators: Generators) -> NodeArray:
    """Return the smallest node of every node's orbit."""
    return smallest_members(num_nodes, generators.source, generators.image)


def edge_orbits(graph: Graph, generators: Generators) -> npt.NDArray[np.int64]:
    """Return the number of the first edge of every edge's orbit, and prove that the generators are automorphisms.

    Only edges at moved nodes are visited. A permutation that maps every such edge to an edge is an automorphism,
    because it is one-to-one on edges and leaves the others where they are.
    """
    rows = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degree)
    above = np.append(0, np.cumsum(rows < graph.indices))
    first_edge = above[graph.indptr[:-1]]
    first_upper = graph.indptr[1:] - (above[graph.indptr[1:]] - first_edge)
    parent = np.arange(graph.num_edges)
    wrong = _join_edges(graph.indptr, graph.indices, first_upper, first_edge, *generators, parent)
    if wrong >= 0:
        raise RuntimeError(f"generator {wrong} of {graph.name!r} is no automorphism: this is a defect of edgeorbit")
    return parent
