"""Weights whose sums over neighbours are exact, so that no result depends on the order in which they are added."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph


def round_for_exact_sums(graph: Graph, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round the weights of nodes to multiples of a power of two on which float64 adds them up without error.

    Two pairs whose common neighbours have equal weights then have equal sums, whatever the numbers of the nodes are.
    Otherwise the last bit of a sum tells apart pairs that are the same, and breaks ties by chance. A weight changes by
    less than 2^-52 of the largest sum of absolute weights over the neighbours of a node.

    Parameters
    ----------
    graph
        The graph.
    weights : float64 array of length num_nodes
        A finite weight of every node.

    Examples
    --------
    >>> star = Graph.from_edges([[0, 1], [0, 2], [0, 3]])
    >>> a, b, c = round_for_exact_sums(star, np.array([0, 0.1, 0.2, 0.3]))[1:].tolist()
    >>> (0.1 + 0.2) + 0.3 == 0.1 + (0.2 + 0.3), (a + b) + c == a + (b + c)
    (False, True)
    """
    from edgeorbit.pairwise.triangles import sums_over_neighbours

    largest = float(sums_over_neighbours(graph, np.abs(weights)).max(initial=0.0))
    exponent = 52 - int(np.frexp(largest)[1])  # the largest sum is below 2^52 units
    return np.ldexp(np.rint(np.ldexp(weights, exponent)), -exponent)
