"""Drawings of small polyhedra without crossings, and the count of crossings by which small drawings are chosen."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.report.layout.shapes import place_on_circle
from edgeorbit.report.layout.stress import Positions

MAX_NODES = 24  # inner faces shrink with every ring of nodes


def count_crossings(positions: Positions, edges: npt.NDArray[np.integer[Any]]) -> int:
    """Count the pairs of links without a common end that cross.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> count_crossings(square, np.array([[0, 2], [1, 3], [0, 1]]))
    1
    """
    first, second = np.triu_indices(len(edges), 1)
    a, b, c, d = edges[first, 0], edges[first, 1], edges[second, 0], edges[second, 1]
    apart = (a != c) & (a != d) & (b != c) & (b != d)
    a, b, c, d = (positions[end[apart]] for end in (a, b, c, d))
    return int(np.count_nonzero((_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)))


def _side(start: Positions, end: Positions, point: Positions) -> npt.NDArray[np.float64]:
    along, towards = end - start, point - start
    return along[:, 0] * towards[:, 1] - along[:, 1] * towards[:, 0]


def place_polyhedron(nodes: int, edges: npt.NDArray[np.integer[Any]]) -> Positions | None:
    """Return Tutte's drawing of a small graph that is the skeleton of a polyhedron (planar, 3-connected), else None.

    A face is the outer polygon, and every other node lies in the middle of its neighbours. Of all faces one is taken
    that leaves a drawing with the most rotations, and then nodes farthest apart.

    References
    ----------
    W. Tutte, How to draw a graph, Proc. London Math. Soc. 13 (1963).

    Examples
    --------
    >>> tetrahedron = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    >>> count_crossings(place_polyhedron(4, tetrahedron), tetrahedron)
    0
    """
    degree = np.bincount(edges.ravel(), minlength=nodes)
    if not 4 <= nodes <= MAX_NODES or degree.min() < 3 or len(edges) > 3 * nodes - 6:
        return None
    import networkx as nx

    graph = nx.Graph(edges.tolist())
    planar, embedding = nx.check_planarity(graph)
    if not planar or nx.node_connectivity(graph) < 3:
        return None
    seen: set[tuple[int, int]] = set()
    faces = [embedding.traverse_face(*half, mark_half_edges=seen) for half in embedding.edges if half not in seen]
    drawings = [(len(face), _place_inside(nodes, edges, face)) for face in faces]
    return max(drawings, key=lambda drawn: (_count_rotations(*drawn), _least_distance(drawn[1])))[1]


def _place_inside(nodes: int, edges: npt.NDArray[np.integer[Any]], outer: list[int]) -> Positions:
    laplacian = np.zeros((nodes, nodes))
    laplacian[edges[:, 0], edges[:, 1]] = laplacian[edges[:, 1], edges[:, 0]] = -1
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    wanted = np.zeros((nodes, 2))
    wanted[outer] = place_on_circle(len(outer), flat_top=len(outer) % 2 == 0)
    laplacian[outer] = np.eye(nodes)[outer]
    return np.linalg.solve(laplacian, wanted).astype(np.float64)


def _count_rotations(sides: int, positions: Positions) -> int:
    """Count the turns by whole sides of the outer polygon that map the drawn nodes on each other."""
    apart = [np.exp(2j * np.pi * turn / sides) * (positions @ [1, 1j]) for turn in range(sides)]
    return sum(bool((np.abs(np.subtract.outer(turned, apart[0])).min(axis=1) < 1e-6).all()) for turned in apart)


def _least_distance(positions: Positions) -> float:
    apart = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1))
    # Rounding keeps equally good faces equal, so that the first of them is taken on every machine.
    return round(float(apart[np.triu_indices(len(positions), 1)].min()), 6)
