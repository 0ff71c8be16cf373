"""Positions of the nodes of any graph: every component laid out, isomorphic ones alike, and packed on a page."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph
from edgeorbit.report.layout.ordering import order_nodes
from edgeorbit.report.layout.packing import pack_rectangles
from edgeorbit.report.layout.planar import count_crossings, place_polyhedron
from edgeorbit.report.layout.shapes import place_known_shape
from edgeorbit.report.layout.stress import Positions, minimise_stress, scale_classically, spread_apart

# Lengths in units of a typical link.
GAP = 1.0  # between components
LEAST_DISTANCE = 0.4  # between nodes
ISOLATED_STEP = 0.6  # between nodes without links
SMALL = 60  # components of so few nodes and four times as many links are laid out from several starts
STARTS = 8
ELONGATED = 1.15  # a component that is longer than wide by this factor is turned to lie flat


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
