"""Walks between the nodes of pairs, estimated by noise that is sent along the edges and compared."""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.product import Matrix


@kernel
def _compare(noise, pairs, low, high, out):
    """Write for every length the product of the two nodes' noise, each half of the way; both halves in either order."""
    for i in range(low, high):
        u, v = pairs[i, 0], pairs[i, 1]
        for length in range(2, out.shape[1] + 2):
            near = length // 2
            far = length - near
            here, there, back, forth = noise[near, u], noise[far, v], noise[far, u], noise[near, v]
            total = np.float32(0)
            for channel in range(len(here)):
                total += here[channel] * there[channel] + back[channel] * forth[channel]
            out[i, length - 2] = total / 2


class PropagatedNoise:
    """Random signs at every node, and what half of the longest walks makes of them.

    The product of `A_hat^i eps` at u and `A_hat^j eps` at v has the mean `(A_hat^(i+j))_uv`, because the signs of
    different nodes are independent; its variance falls with the number of channels. Signs come from a fixed seed.

    Parameters
    ----------
    graph
        The graph.
    max_length
        Length of the longest walks.
    channels
        Number of signs at every node.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> PropagatedNoise(square, max_length=3, channels=4096).walks(np.array([[0, 2], [0, 1]])).round(1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    def __init__(self, graph: Graph, max_length: int, channels: int) -> None:
        signs = Random(0, "propagated noise").uniform(graph.num_nodes * channels) < 0.5
        scale = (np.maximum(graph.degree, 1) ** -0.5).astype(np.float32)[:, None]
        adjacency = Matrix(graph.indptr, graph.indices, None, graph.num_nodes)
        noise = [np.where(signs, 1, -1).astype(np.float32).reshape(-1, channels) * np.float32(channels**-0.5)]
        for _ in range((max_length + 1) // 2):
            noise.append(scale * adjacency.multiply(scale * noise[-1]))
        self.max_length = max_length
        self.noise = np.stack(noise)

    def walks(self, pairs: npt.NDArray[np.int64], threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return estimates of what `edgeorbit.pairwise.short_walks` counts, shape (k, max_length - 1)."""
        out = np.empty((len(pairs), self.max_length - 1))
        parts = split_range(len(pairs), resolve_threads(threads))
        run_all(_compare, [(self.noise, pairs, low, high, out) for low, high in parts])
        return out
