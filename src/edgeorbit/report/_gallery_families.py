"""What the gallery shows: families of graphs, with the places of their nodes and the remark above each graph."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.families import cycle, grid, prism, tree, triangular_lattice
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import lobster
from edgeorbit.report._shapes import Positions, place_on_circle

# Random trees whose EAR is that of the paper's trees of 10 and of 100 nodes, 2/9 and 0.53.
SEED_OF_10, SEED_OF_100 = 2, 265
DROPPED_EDGE, DROPPED_NODE = (0, 7), 2
GCN_LAYERS = 2


@dataclass(frozen=True, eq=False)
class Panel:
    """A graph of the gallery.

    Attributes
    ----------
    title
        What it is called.
    graph, positions
        The graph, and where its nodes are; None to have them laid out.
    rounds, initial
        How it is coloured, as for `edgeorbit.refine`.
    links_by
        Whether links are coloured by what can be told apart, by their orbits under colour refinement, or by those under
        the automorphism group.
    dropped_edges, dropped_nodes
        Edges that were taken out of the graph, and nodes whose features were, to be shown as such.
    """

    title: str
    graph: Graph
    positions: Positions | None = None
    rounds: int | None = None
    initial: npt.NDArray[np.int64] | None = None
    links_by: Literal["look", "refinement", "group"] = "look"
    dropped_edges: tuple[tuple[int, int], ...] = ()
    dropped_nodes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Family:
    """Panels that belong together: the name of their file, their heading, what to see, and how they are made."""

    name: str
    title: str
    remark: str
    build: Callable[[], list[Panel]]


def _square_grids() -> list[Panel]:
    sizes = [(4, 4), (5, 5), (4, 5)]
    return [
        Panel(f"{rows} × {columns} grid", grid(rows, columns), place_grid(rows, columns)) for rows, columns in sizes
    ]


def _triangular_lattices() -> list[Panel]:
    sizes = [(4, 7), (6, 9), (6, 7)]
    return [
        Panel(
            f"{rows} rows of {columns} triangles",
            triangular_lattice(rows, columns),
            place_triangular_lattice(rows, columns),
        )
        for rows, columns in sizes
    ]


def _trees() -> list[Panel]:
    return [
        Panel("balanced tree", tree(2, 4), place_tree(2, 4)),
        Panel("random tree of 10 nodes", _random_tree(10, SEED_OF_10)),
        Panel("random tree of 100 nodes", _random_tree(100, SEED_OF_100)),
    ]


def _random_tree(nodes: int, seed: int) -> Graph:
    """Return a random recursive tree: every node hangs on an earlier one."""
    # Of Python's generator, unlike numpy's, it is promised that a seed gives the same numbers in all versions.
    draw = Random(seed).random
    return Graph.from_edges([(int(draw() * node), node) for node in range(1, nodes)], nodes, name=f"tree{nodes}")


def _lobster() -> list[Panel]:
    return [Panel("a body of 3 nodes with 5 legs", lobster())]


def _prism() -> list[Panel]:
    return [
        Panel("orbits of colour refinement (WL)", prism(), place_prism(3), links_by="refinement"),
        Panel("orbits of the automorphism group", prism(), place_prism(3), links_by="group"),
    ]


def _cycle() -> list[Panel]:
    return [
        _dropped("whole", drop_edge=False, drop_node=False),
        _dropped("a link dropped", drop_edge=True, drop_node=False),
        _dropped("a node dropped", drop_edge=False, drop_node=True),
        _dropped("both dropped", drop_edge=True, drop_node=True),
    ]


def _dropped(title: str, *, drop_edge: bool, drop_node: bool) -> Panel:
    """Return the cycle as a GCN of two layers sees it.

    Its normalisation by degree makes it see degrees before the first layer, without which two rounds would not notice
    that the two links in the middle of the path differ from the one between them. A node is dropped by zeroing its
    features, that is, by giving it an initial colour of its own.
    """
    whole = cycle(8)
    kept = [edge for edge in whole.edges.tolist() if not drop_edge or tuple(edge) != DROPPED_EDGE]
    graph = Graph.from_edges(kept, 8, name="cycle8")
    is_dropped = np.zeros(8, np.int64)
    is_dropped[DROPPED_NODE] = drop_node
    return Panel(
        title,
        graph,
        place_on_circle(8),
        rounds=GCN_LAYERS,
        initial=np.stack([graph.degree, is_dropped], axis=1),
        dropped_edges=(DROPPED_EDGE,) if drop_edge else (),
        dropped_nodes=(DROPPED_NODE,) if drop_node else (),
    )


FAMILIES = (
    Family(
        "square-grids",
        "Square grids",
        "a link looks like its mirror images, and a link that every mirror keeps is unique",
        _square_grids,
    ),
    Family(
        "triangular-lattices",
        "Triangular lattices",
        "as in square grids, nearly every link has a mirror image",
        _triangular_lattices,
    ),
    Family(
        "trees",
        "Trees",
        "every branch of a balanced tree has a twin, and some branches of a random tree have one",
        _trees,
    ),
    Family(
        "lobster",
        "The lobster",
        "links of the body differ, legs look alike",
        _lobster,
    ),
    Family(
        "prism",
        "The triangular prism",
        "a colour per orbit of links: refinement sees three neighbours at every node, the group sees triangles",
        _prism,
    ),
    Family(
        "cycle",
        "The cycle C8 under dropout",
        "two rounds from degrees, as a GCN of two layers sees it: dropping breaks the symmetry",
        _cycle,
    ),
)


def place_grid(rows: int, columns: int) -> Positions:
    """Return the places of `families.grid`.

    >>> place_grid(2, 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    row, column = np.divmod(np.arange(rows * columns), columns)
    return np.stack([column, -row], axis=1).astype(np.float64)


def place_triangular_lattice(rows: int, columns: int) -> Positions:
    """Return the places of `families.triangular_lattice`: every second line is shifted by half a step.

    >>> place_triangular_lattice(1, 1).round(2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, -0.87]]
    """
    width = (columns + 1) // 2 + 1
    # With an odd number of triangles, shifted lines have a node less.
    widths = [width - (columns % 2) * (row % 2) for row in range(rows + 1)]
    return np.array(
        [(column + row % 2 / 2, -row * np.sqrt(0.75)) for row, wide in enumerate(widths) for column in range(wide)]
    )


def place_tree(branching: int, depth: int) -> Positions:
    """Return the places of `families.tree`: the root above, leaves at equal steps below.

    >>> place_tree(2, 1).tolist()
    [[0.5, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    leaves = branching**depth
    steps = []
    for level in range(depth + 1):
        share = leaves / branching**level
        steps += [((place + 0.5) * share - 0.5, level) for place in range(branching**level)]
    across, level_of = np.array(steps).T
    height = max(leaves / (2.2 * depth), 1.0) if depth else 1.0
    return np.stack([across, height * (0.0 - level_of)], axis=1)


def place_prism(sides: int) -> Positions:
    """Return the places of `families.prism`: a polygon in a polygon.

    >>> np.hypot(*place_prism(3).T).round(2).tolist()
    [1.0, 1.0, 1.0, 0.4, 0.4, 0.4]
    """
    return np.concatenate([place_on_circle(sides), place_on_circle(sides, radius=0.4)])
