"""Random walks over a graph: at every step to a neighbour, each as likely as the others."""

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings.random_bits import STEP, below, bits_at


@kernel
def _walk(indptr, indices, starts, state, walks):
    for i in range(len(starts)):
        node = starts[i]
        walks[i, 0] = node
        for step in range(1, walks.shape[1]):
            state += STEP
            first = indptr[node]
            node = np.int64(indices[first + below(bits_at(state), indptr[node + 1] - first)])
            walks[i, step] = node


def random_walks(graph: Graph, starts: npt.NDArray[np.int64], length: int, seed: int) -> npt.NDArray[np.int32]:
    """Return a walk from each of the given nodes.

    Parameters
    ----------
    graph
        The graph.
    starts
        Node numbers; none of these nodes may be isolated.
    length
        Nodes of a walk.
    seed
        From 0 to 2^64 - 1.

    Returns
    -------
    int32 array of shape (len(starts), length)

    Examples
    --------
    >>> random_walks(Graph.from_edges([[0, 1]]), np.array([0, 1]), 4, seed=0).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    """
    walks = np.empty((len(starts), length), np.int32)
    _walk(graph.indptr, graph.indices, starts, np.uint64(seed), walks)
    return walks
