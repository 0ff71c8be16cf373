"""Connected graphs that everybody draws in one way: a path, a cycle, a star, a complete graph."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.report.layout.stress import Positions

MAX_ON_A_RING = 48  # more nodes around a ring are too close to each other
MAX_ON_A_LINE = 25  # a longer path turns at the margin


def place_on_circle(nodes: int, radius: float = 1.0, *, flat_top: bool = False) -> Positions:
    """Return points on a circle, clockwise from the top; or, if it is to be flat, from half a step after it.

    >>> place_on_circle(4).round(3).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, -0.0]]
    """
    angle = np.pi / 2 - 2 * np.pi * (np.arange(nodes) + flat_top / 2) / nodes
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def place_known_shape(nodes: int, edges: npt.NDArray[np.integer[Any]]) -> Positions | None:
    """Return positions if the connected graph is a path, a cycle, a small star or a small complete graph, else None.

    >>> place_known_shape(2, np.array([[0, 1]])).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    degree = np.bincount(edges.ravel(), minlength=nodes)
    if degree.max(initial=0) <= 2:
        along = _walk(nodes, edges)
        if len(edges) == nodes:
            return place_on_circle(nodes, radius=nodes / (2 * np.pi))[along]
        return _place_line(along)
    if len(edges) == nodes - 1 == degree.max() <= MAX_ON_A_RING:
        positions = np.zeros((nodes, 2))
        positions[degree == 1] = place_on_circle(nodes - 1)
        return positions
    if 2 * len(edges) == nodes * (nodes - 1) and 5 <= nodes <= MAX_ON_A_RING:  # four nodes need no crossing
        return place_on_circle(nodes, radius=max(1.0, nodes / 8))
    return None


def _walk(nodes: int, edges: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return for every node of a path or cycle how many steps it is from the start."""
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in edges.tolist():
        near[u].append(v)
        near[v].append(u)
    along = np.full(nodes, -1)
    node = next((u for u in range(nodes) if len(near[u]) < 2), 0)
    for place in range(nodes):
        along[node] = place
        node = next((v for v in near[node] if along[v] < 0), -1)
    return along


def _place_line(along: npt.NDArray[np.int64]) -> Positions:
    """Return a straight line, or lines that turn at the margin."""
    nodes = len(along)
    width = nodes if nodes <= MAX_ON_A_LINE else int(np.ceil(np.sqrt(1.5 * nodes)))
    row, column = along // width, along % width
    return np.stack([np.where(row % 2, width - 1 - column, column), -row], axis=1).astype(np.float64)
