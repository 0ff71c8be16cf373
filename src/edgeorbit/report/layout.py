"""Where nodes are drawn: every component laid out, isomorphic ones alike, and packed on a page.

`place_nodes` is where to begin; `gather_leaves` is for afterwards, when colours are known.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import refine
from edgeorbit.report._shapes import (
    Positions,
    count_crossings,
    minimise_stress,
    place_known_shape,
    place_polyhedron,
    scale_classically,
    spread_apart,
)

# Lengths in units of a typical link.
GAP = 1.0  # between components
LEAST_DISTANCE = 0.4  # between nodes
ISOLATED_STEP = 0.6  # between nodes without links
SMALL = 60  # components of so few nodes and four times as many links are laid out from several starts
STARTS = 8
ELONGATED = 1.15  # a component that is longer than wide by this factor is turned to lie flat
MAX_MARKS = 64  # nodes singled out per component; beyond, ties are broken by node number
WIDTHS_TRIED = 24


def place_nodes(graph: Graph, *, seed: int = 0, aspect: float = 1.0) -> Positions:
    """Return a place in the plane for every node.

    Distances in the plane follow those in the graph (stress majorisation). Components are laid out each on its own,
    isomorphic ones alike, and packed side by side; nodes without links lie in rows below. It takes about a second for a
    connected graph of a thousand nodes; time and memory grow with the square of their number.

    Parameters
    ----------
    graph
        The graph; some hundreds of nodes can be told apart on a page.
    seed
        Where nodes that are alike start from. The same seed gives the same places.
    aspect
        Width over height of the page.

    Returns
    -------
    positions : array of shape (num_nodes, 2)
        A typical link has length 1.

    Examples
    --------
    Two triangles are drawn alike, side by side:

    >>> triangles = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    >>> places = place_nodes(triangles, aspect=2.0)
    >>> np.ptp(places[3:] - places[:3], axis=0).round(6).tolist()
    [0.0, 0.0]
    """
    edges = graph.edges.astype(np.int64)
    component = smallest_members(graph.num_nodes, graph.edges[:, 0], graph.edges[:, 1])
    linked = graph.degree > 0
    order = order_nodes(graph, component)
    order = order[linked[order]]
    cuts = np.flatnonzero(np.diff(component[order])) + 1
    parts = [part for part in np.split(order, cuts) if len(part)]
    rank = np.full(graph.num_nodes, -1)
    for part in parts:
        rank[part] = np.arange(len(part))
    edge_order = np.argsort(component[edges[:, 0]], kind="stable")
    edges_of = np.split(edges[edge_order], np.flatnonzero(np.diff(component[edges[edge_order, 0]])) + 1)

    positions = np.zeros((graph.num_nodes, 2))
    drawn: dict[tuple[int, bytes], Positions] = {}
    for part, links in zip(parts, edges_of if parts else [], strict=True):
        local = np.sort(rank[links], axis=1)
        local = local[np.lexsort((local[:, 1], local[:, 0]))]
        key = len(part), local.tobytes()
        if key not in drawn:
            drawn[key] = _place_component(len(part), local, seed, flat=aspect >= 1)
        positions[part] = drawn[key]
    if parts:
        sizes = np.array([np.ptp(positions[part], axis=0) + GAP for part in parts])
        for part, size, corner in zip(parts, sizes, pack_rectangles(sizes, aspect), strict=True):
            positions[part] += corner * [1, -1] - [0, size[1] - GAP]
    _place_isolated(positions, linked, aspect)
    return positions


def _place_component(nodes: int, edges: npt.NDArray[np.int64], seed: int, *, flat: bool) -> Positions:
    """Lay out a connected graph; its lower left corner is the origin."""
    known = place_known_shape(nodes, edges)
    positions = _choose_drawing(nodes, edges, seed) if known is None else known
    ends = positions[edges]
    positions = positions / float(np.median(np.hypot(*(ends[:, 0] - ends[:, 1]).T)))
    if known is None:
        positions = _lay_flat(spread_apart(positions, LEAST_DISTANCE), flat=flat)
    cornered: Positions = positions - positions.min(axis=0)
    return cornered


def _choose_drawing(nodes: int, edges: npt.NDArray[np.int64], seed: int) -> Positions:
    """Return the drawing of least stress; for small graphs, the one with the fewest crossings of several."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    # Before scipy 1.15 the graph routines take 32-bit indices alone.
    adjacency = coo_array((np.ones(len(edges)), edges.T.astype(np.int32)), shape=(nodes, nodes)).tocsr()
    distance = shortest_path(adjacency, directed=False, unweighted=True)
    plane = scale_classically(distance)
    small = nodes <= SMALL and len(edges) <= 4 * SMALL
    drawings = []
    for start in range(STARTS if small else 1):
        # Nodes that are alike start at one place, and only chance parts them; later starts try other sides.
        chance = np.random.default_rng([seed, start]).normal(size=(nodes, 2))
        positions, stress = minimise_stress(distance, plane + (0.05 + 0.3 * start) * chance)
        drawings.append((count_crossings(positions, edges) if small else 0, stress, start, positions))
    polyhedron = place_polyhedron(nodes, edges) if small else None
    if polyhedron is not None and min(drawings)[0] > 0:
        return polyhedron
    return min(drawings, key=lambda drawing: drawing[:3])[3]


def _lay_flat(positions: Positions, *, flat: bool) -> Positions:
    """Turn the longest direction to lie flat, or to stand if the page is higher than wide; round drawings stay."""
    centred = positions - positions.mean(axis=0)
    spread, axes = np.linalg.eigh(centred.T @ centred)
    if spread[1] < ELONGATED**2 * spread[0]:
        return positions
    turned: Positions = centred @ (axes[:, ::-1] if flat else axes)
    return turned


def _place_isolated(positions: Positions, linked: npt.NDArray[np.bool_], aspect: float) -> None:
    """Put nodes without links in rows below the others."""
    isolated = np.flatnonzero(~linked)
    if len(isolated) == 0:
        return
    width = np.sqrt(len(isolated) * aspect) * ISOLATED_STEP
    low = 0.0
    if linked.any():
        width = max(float(np.ptp(positions[linked, 0])), 4 * ISOLATED_STEP)
        low = float(positions[linked, 1].min()) - GAP
    per_row = max(1, int(width / ISOLATED_STEP + 1e-9) + (1 if linked.any() else 0))
    place = np.arange(len(isolated))
    positions[isolated, 0] = place % per_row * ISOLATED_STEP
    positions[isolated, 1] = low - place // per_row * ISOLATED_STEP


def gather_leaves(
    positions: Positions, edges: npt.NDArray[np.integer[Any]], colours: npt.NDArray[np.integer[Any]]
) -> Positions:
    """Return the same places, exchanged among the leaves of each node so that leaves of one colour are neighbours.

    >>> star = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> spokes = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    >>> gather_leaves(star, spokes, np.array([9, 5, 7, 5, 7]))[1:].astype(int).tolist()
    [[1, 0], [-1, 0], [0, 1], [0, -1]]
    """
    moved = positions.copy()
    degree = np.bincount(edges.ravel(), minlength=len(positions))
    for leaf, hub in ((0, 1), (1, 0)):
        alone = edges[(degree[edges[:, leaf]] == 1) & (degree[edges[:, hub]] > 3)]
        for node in np.unique(alone[:, hub]).tolist():
            leaves = alone[alone[:, hub] == node, leaf]
            angle = np.arctan2(*(positions[leaves] - positions[node]).T[::-1])
            around = np.argsort(angle, kind="stable")
            # Begin after the widest gap, so that no colour is split between the first places and the last.
            gaps = np.diff(angle[around], append=angle[around[:1]] + 2 * np.pi)
            around = np.roll(around, -int(np.argmax(gaps)) - 1)
            moved[leaves[np.argsort(colours[leaves], kind="stable")]] = positions[leaves[around]]
    return moved


def order_nodes(graph: Graph, component: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return the nodes sorted by component, and within components by colours that no two of its nodes share.

    Colours that several nodes of a component share are distinguished by individualizing one of them and refining
    again. For trees and for nearly all other graphs it does not matter which one, and isomorphic components come out
    in the same order. Where it does matter, the order is one of several, and the drawing as good.

    Parameters
    ----------
    graph
        A small graph.
    component
        For every node a number that says which component it lies in.

    Examples
    --------
    Two paths, numbered differently; in both, the two ends come first, then the neighbour of the second:

    >>> paths = Graph.from_edges([(0, 1), (1, 2), (2, 3), (5, 7), (7, 4), (4, 6)])
    >>> order_nodes(paths, np.repeat([0, 1], 4)).tolist()
    [0, 3, 2, 1, 5, 6, 4, 7]
    """
    colour = refine(graph).labels.astype(np.int64)
    for _ in range(MAX_MARKS):
        order = np.lexsort((np.arange(graph.num_nodes), colour, component))
        alike = (np.diff(colour[order]) == 0) & (np.diff(component[order]) == 0)
        shared = order[:-1][alike]
        if len(shared) == 0:
            break
        _, first = np.unique(component[shared], return_index=True)
        start = 2 * colour + 1
        start[shared[first]] -= 1
        colour = refine(graph, initial=start).labels.astype(np.int64)
    return np.lexsort((np.arange(graph.num_nodes), colour, component))


def pack_rectangles(sizes: npt.NDArray[np.float64], aspect: float) -> npt.NDArray[np.float64]:
    """Return the lower left corners of rectangles on a page of the given proportion, the tallest first, from below.

    Each lies as low as it can, then as far left as it can. Several widths of the page are tried, and the one is taken
    that shows the rectangles largest.

    Parameters
    ----------
    sizes : array of shape (k, 2)
        Widths and heights.
    aspect
        Width over height of the page.

    Examples
    --------
    >>> pack_rectangles(np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 1.0]]), aspect=1.5).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]]
    """
    order = np.lexsort((-sizes[:, 0], -sizes[:, 1]))
    narrowest, widest = float(sizes[:, 0].max()), float(sizes[:, 0].sum())
    best, best_extent = np.zeros_like(sizes), np.inf
    for width in np.geomspace(narrowest, widest, WIDTHS_TRIED if len(sizes) > 1 else 1):
        corners = _pack_within(sizes, order, float(width) * (1 + 1e-9))
        right, top = (corners + sizes).max(axis=0)
        extent = max(right / aspect, top)
        if extent < best_extent * (1 - 1e-9):
            best, best_extent = corners, extent
    return best


def _pack_within(sizes: npt.NDArray[np.float64], order: npt.NDArray[np.int64], width: float) -> npt.NDArray[np.float64]:
    """Pack into a strip. `skyline` lists where the upper border of what is packed changes its height."""
    corners = np.empty_like(sizes)
    skyline = [(0.0, 0.0)]
    for number in order.tolist():
        wide, tall = sizes[number].tolist()
        y, x = min(
            (max(level for start, level in _between(skyline, x, x + wide)), x)
            for x, _ in skyline
            if x + wide <= width or x == 0
        )
        corners[number] = x, y
        after = _between(skyline, x + wide, np.inf)
        before = [(start, level) for start, level in skyline if start < x]
        skyline = [*before, (x, y + tall), *((max(start, x + wide), level) for start, level in after)]
    return corners


def _between(skyline: list[tuple[float, float]], low: float, high: float) -> list[tuple[float, float]]:
    """Return the pieces of the skyline that lie at least partly between two places."""
    ends = [start for start, _ in skyline[1:]] + [np.inf]
    slack = 1e-9 * max(1.0, abs(low))
    return [piece for piece, end in zip(skyline, ends, strict=True) if end > low + slack and piece[0] < high - slack]
