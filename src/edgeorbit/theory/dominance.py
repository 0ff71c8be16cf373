"""Automorphism-dominant nodes, of which theorem 4.2 speaks: most of their neighbours have their own colour."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring


def dominant_nodes(graph: Graph, colouring: Colouring) -> npt.NDArray[np.bool_]:
    """Tell for every node whether more of its neighbours have its colour than have another.

    In a tree an edge between two nodes of one stable colour can only be its very middle, so that only the two nodes of
    a tree of one edge are dominant: a lobster has no such node.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> from edgeorbit.graph.toys import lobster
    >>> from edgeorbit.orbits.refine import refine
    >>> int(dominant_nodes(cycle(8), refine(cycle(8))).sum())
    8
    >>> int(dominant_nodes(lobster(), refine(lobster())).sum())
    0
    """
    edges = graph.edges
    ends = colouring.labels[edges]
    same = np.bincount(edges[ends[:, 0] == ends[:, 1]].ravel(), minlength=graph.num_nodes)
    return 2 * same > graph.degree
