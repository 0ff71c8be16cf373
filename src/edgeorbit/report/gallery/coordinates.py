"""Natural places for the nodes of lattices and balanced trees, in the order in which `graph.families` numbers them."""

import numpy as np

from edgeorbit.report.layout.shapes import place_on_circle
from edgeorbit.report.layout.stress import Positions


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
