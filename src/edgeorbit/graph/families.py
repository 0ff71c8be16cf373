"""Families of graphs with a shape and a size: paths, cycles, lattices, prisms, trees."""

import numpy as np

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import MAX_NODES, Graph


def path(nodes: int = 8) -> Graph:
    """Return a path.

    >>> path(5).num_edges
    4
    """
    _at_least("a path", nodes=(nodes, 1))
    _check_size("a path", nodes)
    return Graph.from_edges([(i, i + 1) for i in range(nodes - 1)], nodes, name=f"path{nodes}")


def cycle(nodes: int = 8) -> Graph:
    """Return a cycle.

    >>> cycle(5).num_edges
    5
    """
    _at_least("a cycle", nodes=(nodes, 3))
    _check_size("a cycle", nodes)
    start = np.arange(nodes)
    return Graph.from_edges(np.stack([start, (start + 1) % nodes], axis=1), name=f"cycle{nodes}")


def prism(sides: int = 3) -> Graph:
    """Return a prism: two cycles, and an edge between the corresponding nodes.

    Colour refinement sees one edge orbit, the automorphism group two (unless it is a cube).

    >>> prism().num_edges
    9
    """
    _at_least("a prism", sides=(sides, 3))
    _check_size("a prism", 2 * sides)
    start = np.arange(sides)
    base = np.stack([start, (start + 1) % sides], axis=1)
    uprights = np.stack([start, start + sides], axis=1)
    return Graph.from_edges(np.concatenate([base, base + sides, uprights]), name="prism")


def grid(rows: int = 5, columns: int = 5) -> Graph:
    """Return a square grid of nodes, numbered row by row.

    >>> grid(2, 3).num_edges
    7
    """
    _at_least("a grid", rows=(rows, 1), columns=(columns, 1))
    _check_size("a grid", rows * columns)
    node = np.arange(rows * columns).reshape(rows, columns)
    return Graph.from_edges(np.concatenate([_across(node), _down(node)]), rows * columns, name="grid")


def triangular_lattice(rows: int = 50, columns: int = 80) -> Graph:
    """Return a lattice of triangles: `rows` rows of `columns` triangles each, as networkx counts them.

    Its nodes lie on `rows + 1` lines and are numbered line by line; every second line is shifted by half a step.

    >>> triangular_lattice()
    Graph(name='triangular-lattice', num_nodes=2091, num_edges=6090, merged_edges=0, self_loops=0)
    """
    _at_least("a triangular lattice", rows=(rows, 1), columns=(columns, 1))
    width = (columns + 1) // 2 + 1
    _check_size("a triangular lattice", (rows + 1) * width)
    node = np.arange((rows + 1) * width).reshape(rows + 1, width)
    falling = np.stack([node[1:-1:2, :-1].ravel(), node[2::2, 1:].ravel()], axis=1)
    rising = np.stack([node[:-1:2, 1:].ravel(), node[1::2, :-1].ravel()], axis=1)
    edges = np.concatenate([_across(node), _down(node), falling, rising])
    kept = np.ones(node.size, bool)
    if columns % 2:  # the last triangle of a row leaves the ends of the shifted lines out
        kept[node[1::2, -1]] = False
    edges = (np.cumsum(kept) - 1)[edges[kept[edges].all(axis=1)]]
    return Graph.from_edges(edges, int(kept.sum()), name="triangular-lattice")


def tree(branching: int = 2, depth: int = 5) -> Graph:
    """Return a balanced tree: a root, and `branching` children for every node above the given depth.

    >>> tree(2, 3).num_nodes
    15
    """
    _at_least("a tree", branching=(branching, 1), depth=(depth, 0))
    # A depth of 31 is too large already, and a power of millions of digits would take for ever.
    nodes = depth + 1 if branching == 1 else (branching ** (min(depth, 31) + 1) - 1) // (branching - 1)
    _check_size("a tree", nodes)
    child = np.arange(1, nodes)
    return Graph.from_edges(np.stack([(child - 1) // branching, child], axis=1), nodes, name="tree")


def _across(node: np.ndarray) -> np.ndarray:
    return np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)


def _down(node: np.ndarray) -> np.ndarray:
    return np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)


def _at_least(what: str, **sizes: tuple[int, int]) -> None:
    for name, (size, least) in sizes.items():
        if size < least:
            raise InvalidParameterError(f"{name} of {what} must be at least {least}, not {size}")


def _check_size(what: str, nodes: int) -> None:
    if nodes > MAX_NODES:
        raise InvalidParameterError(f"{what} of that size has more than {MAX_NODES:,} nodes; ask for a smaller one")
