"""Lattices, of triangles or of squares."""

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import families
from edgeorbit.graph.graph import Graph

SHAPES = {
    "triangular": families.triangular_lattice,
    "square": lambda rows, columns: families.grid(rows + 1, columns + 1),
}


def rewired_lattice(shape: str = "triangular", rows: int = 50, columns: int = 80) -> Graph:
    """A lattice of triangles or squares; swaps take its symmetry away and keep every degree.

    >>> rewired_lattice().num_edges, rewired_lattice("square", 2, 3).num_nodes
    (6090, 12)
    """
    if shape not in SHAPES:
        raise InvalidParameterError(f"a lattice of shape {shape!r} is unknown; choose from {', '.join(SHAPES)}")
    return SHAPES[shape](rows, columns)
