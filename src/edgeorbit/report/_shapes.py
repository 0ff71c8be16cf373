"""Positions of the nodes of one component: by stress for any graph, and better ones for some small graphs.

`minimise_stress` finds positions whose distances are those in the graph, as nearly as a plane allows. Paths, cycles,
stars and complete graphs have a shape that everybody draws (`place_known_shape`), small polyhedra are drawn without
crossings (`place_polyhedron`), and `count_crossings` chooses among drawings of small graphs.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.float64]

MULTIPLICATIONS = 60
MAX_ROUNDS = 300
STILL = 1e-4  # a round that lowers the stress by less than this share of it is the last
SPREADING_ROUNDS = 80
COINCIDENT = 1e-9
MAX_ON_A_RING = 48  # more nodes around a ring are too close to each other
MAX_ON_A_LINE = 25  # a longer path turns at the margin
MAX_POLYHEDRON = 24  # inner faces shrink with every ring of nodes


def scale_classically(distance: npt.NDArray[np.float64]) -> Positions:
    """Return the projection of the graph's distances on a plane (Torgerson's scaling): a start for `minimise_stress`.

    >>> line = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    >>> np.ptp(scale_classically(line), axis=0).round(6).tolist()
    [3.0, 0.0]
    """
    centred = distance**2
    centred -= centred.mean(axis=0)
    centred -= centred.mean(axis=1)[:, None]
    centred *= -0.5
    # The two longest directions by repeated multiplication: exact enough for a start, and far quicker than all of them.
    plane = np.random.default_rng(0).normal(size=(len(distance), 2))
    for _ in range(MULTIPLICATIONS):
        plane, lengths = np.linalg.qr(centred @ plane)
    turned, sizes, _ = np.linalg.svd(lengths)
    scaled: Positions = plane @ turned * np.sqrt(sizes)
    return scaled


def minimise_stress(distance: npt.NDArray[np.float64], start: Positions) -> tuple[Positions, float]:
    """Move nodes until their distances in the plane are near those in the graph, short ones first of all.

    Minimises the sum over node pairs of `(|x_u - x_v| - d_uv)^2 / d_uv^2` by majorisation: each round solves a linear
    system whose matrix is always the same, so it is inverted once.

    Parameters
    ----------
    distance
        Distances in a connected graph: 0 on the diagonal, positive elsewhere.
    start
        Positions to start from; no two of them should be equal.

    Returns
    -------
    positions, stress

    References
    ----------
    E. Gansner, Y. Koren and S. North, Graph drawing by stress majorization, Graph Drawing 2004.

    Examples
    --------
    >>> triangle = 1.0 - np.eye(3)
    >>> positions, stress = minimise_stress(triangle, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    >>> stress < 1e-3
    True
    """
    apart = distance > 0
    weight = np.divide(1.0, distance**2, where=apart, out=np.zeros_like(distance))
    pull = weight * distance
    # Adding a constant makes the Laplacian invertible, and moves no position that is centred.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1 / len(distance))
    positions = start - start.mean(axis=0)
    stress = np.inf
    drawn, other = np.empty_like(distance), np.empty_like(distance)
    for _ in range(MAX_ROUNDS):
        np.subtract.outer(positions[:, 0], positions[:, 0], out=drawn)
        np.subtract.outer(positions[:, 1], positions[:, 1], out=other)
        drawn *= drawn  # in place and without hypot, which is careful about overflow and ten times as slow
        other *= other
        drawn += other
        np.sqrt(drawn, out=drawn)
        np.subtract(drawn, distance, out=other)
        before, stress = stress, float(np.einsum("ij,ij,ij->", weight, other, other) / 2)
        if before - stress <= STILL * stress:
            break
        np.maximum(drawn, COINCIDENT, out=drawn)  # also on the diagonal, where the pull is 0
        ratio = np.divide(pull, drawn, out=drawn)
        positions = inverse @ (ratio.sum(axis=1)[:, None] * positions - ratio @ positions)
    return positions, stress


def spread_apart(positions: Positions, least: float) -> Positions:
    """Push nodes that lie closer than `least` away from each other, until few do.

    >>> np.round(spread_apart(np.array([[0.0, 0.0], [0.2, 0.0], [3.0, 0.0]]), 1.0), 1).tolist()
    [[-0.4, 0.0], [0.6, 0.0], [3.0, 0.0]]
    """
    from scipy.spatial import KDTree

    moved = positions.copy()
    for _ in range(SPREADING_ROUNDS):
        left, right = KDTree(moved).query_pairs(0.98 * least, output_type="ndarray").T
        if len(left) == 0:
            break
        step = moved[left] - moved[right]
        length = np.maximum(np.hypot(*step.T), COINCIDENT)
        push = step * (0.3 * (least - length) / length)[:, None]
        np.add.at(moved, left, push)
        np.subtract.at(moved, right, push)
    return moved


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
    if not 4 <= nodes <= MAX_POLYHEDRON or degree.min() < 3 or len(edges) > 3 * nodes - 6:
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
