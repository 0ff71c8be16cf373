"""Random walks over a graph: at every step to a neighbour, each as likely as the others, the same on every machine."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit.graph.graph import Graph

STEP = np.uint64(0x9E37_79B9_7F4A_7C15)
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


@inlined
def bits_at(state):
    """Return 64 random bits for a state; the states of a stream are multiples of `STEP` apart (SplitMix64)."""
    z = (state ^ (state >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@inlined
def below(bits, bound):
    """Return a number from 0 to `bound` - 1; bounds are below 2^32."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


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
