"""Small graphs with known symmetries, built in, for examples and tests.

Each is a function without arguments, and all are in the table `TOYS` by the name under which a data set may be asked
for.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from edgeorbit.graph.families import cycle, grid, path, prism
from edgeorbit.graph.graph import Graph

_KARATE = (  # neighbours with a larger number, node after node
    "1 2 3 4 5 6 7 8 10 11 12 13 17 19 21 31, 2 3 7 13 17 19 21 30, 3 7 8 9 13 27 28 32, 7 12 13, 6 10, 6 10 16, 16,, "
    "30 32 33, 33,,,, 33, 32 33, 32 33,,, 32 33, 33, 32 33,, 32 33, 25 27 29 32 33, 25 27 31, 31, 29 33, 33, 31 33, "
    "32 33, 32 33, 32 33, 33"
)
_FRUCHT = [  # a Hamiltonian cycle of 12 nodes and six chords
    *((i, (i + 1) % 12) for i in range(12)),
    *((0, 7), (1, 11), (2, 10), (3, 5), (4, 9), (6, 8)),
]


def karate() -> Graph:
    """Return Zachary's karate club: 34 members, 78 friendships.

    >>> karate().degree.max()
    np.int64(17)
    """
    larger = [row.split() for row in _KARATE.split(",")]
    return Graph.from_edges([(u, int(v)) for u, row in enumerate(larger) for v in row], 34, name="karate")


def petersen() -> Graph:
    """Return the Petersen graph: all edges alike, for refinement and for the automorphism group.

    >>> set(petersen().degree.tolist())
    {3}
    """
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return Graph.from_edges([*outer, *inner, *((i, 5 + i) for i in range(5))], name="petersen")


def frucht() -> Graph:
    """Return the Frucht graph: all edges alike for refinement, while no two are for the automorphism group.

    >>> set(frucht().degree.tolist())
    {3}
    """
    return Graph.from_edges(_FRUCHT, name="frucht")


def lobster() -> Graph:
    """Return a lobster of ten nodes: a central path whose nodes all differ, and legs that look alike.

    The path is 0 - 1 - 2. Node 0 carries three leaves and node 2 two legs of length two, so seven of the nine edges
    share their orbit with another one.

    >>> lobster().num_edges
    9
    """
    leaves = [(0, 3), (0, 4), (0, 5)]
    legs = [(2, 6), (6, 7), (2, 8), (8, 9)]
    return Graph.from_edges([(0, 1), (1, 2), *leaves, *legs], name="lobster")


def shrikhande() -> Graph:
    """Return the Shrikhande graph: strongly regular like `rook`, and not isomorphic to it.

    >>> shrikhande().num_nodes, shrikhande().num_edges
    (16, 48)
    """
    steps = [(0, 1), (1, 0), (1, 1)]
    edges = [(4 * i + j, (i + a) % 4 * 4 + (j + b) % 4) for i in range(4) for j in range(4) for a, b in steps]
    return Graph.from_edges(edges, name="shrikhande")


def rook() -> Graph:
    """Return the moves of a rook on a board of 4 x 4 squares.

    >>> rook().num_nodes, rook().num_edges
    (16, 48)
    """
    squares = range(16)
    edges = [(u, v) for u in squares for v in range(u + 1, 16) if u // 4 == v // 4 or u % 4 == v % 4]
    return Graph.from_edges(edges, name="rook")


def two_copies() -> Graph:
    """Return two disjoint copies of the karate club: every edge has a twin, so EAR is 1.

    >>> two_copies().num_edges
    156
    """
    edges = karate().edges
    return Graph.from_edges(np.concatenate([edges, edges + 34]), name="two-copies")


def two_copies_joined() -> Graph:
    """Return two copies of the karate club and one edge, from an end of one to the other end of the other.

    >>> two_copies_joined().num_edges
    157
    """
    return Graph.from_edges(np.concatenate([two_copies().edges, [[0, 34 + 33]]]), name="two-copies-joined")


class Toy(NamedTuple):
    """A built-in graph: how it is made, how large it is, whom to cite."""

    build: Callable[[], Graph]
    num_nodes: int
    num_edges: int
    citation: str = ""


_ZACHARY = "Zachary: An information flow model for conflict and fission in small groups, J. Anthropol. Res. 33, 1977"
TOYS: dict[str, Toy] = {
    "karate": Toy(karate, 34, 78, _ZACHARY),
    "prism": Toy(prism, 6, 9),
    "petersen": Toy(petersen, 10, 15),
    "frucht": Toy(frucht, 12, 18),
    "cycle8": Toy(cycle, 8, 8),
    "path8": Toy(path, 8, 7),
    "lobster": Toy(lobster, 10, 9),
    "grid": Toy(grid, 25, 40),
    "shrikhande": Toy(shrikhande, 16, 48),
    "rook": Toy(rook, 16, 48),
    "two-copies": Toy(two_copies, 68, 156, _ZACHARY),
    "two-copies-joined": Toy(two_copies_joined, 68, 157, _ZACHARY),
}
