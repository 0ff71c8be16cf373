"""An order of nodes that isomorphic components share, so that they are drawn alike."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import refine

MAX_MARKS = 64  # nodes singled out per component; beyond, ties are broken by node number


def order_nodes(graph: Graph, component: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return the nodes sorted by component, and within components by colours that no two of its nodes share.

    Colours that several nodes of a component share are told apart by singling one of them out and refining again. For
    trees and for nearly all other graphs it does not matter which one, and isomorphic components come out in the same
    order. Where it does matter, the order is one of several, and the drawing as good.

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
