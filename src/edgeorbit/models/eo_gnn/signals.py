"""What message passing cannot see of a node pair: whether, by how many ways, and how closely its nodes are connected.

On sparse graphs the weights of walks are exact; on dense ones, where that costs too much, they are estimated by noise
that is sent along the edges and compared: the inner product of `A_hat^i eps` at one node and `A_hat^j eps` at the other
is, on average, the weight of the walks of length i + j between them.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit._randomness import Random
from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.product import Matrix
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
from edgeorbit.pairwise.walks import short_walks, walking_work

WORK_PER_PAIR = 20_000  # neighbours visited, above which walks are estimated
# Weights of walks that count as none, on the scale of logarithms: a counted walk through hubs weighs little and tells
# much, an estimate of the same size is noise.
SMALLEST_COUNTED, SMALLEST_ESTIMATED = 1e-5, 1e-3

Signals = npt.NDArray[np.float32]


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
        """Return estimates of what `edgeorbit.pairwise.walks` counts, shape (k, max_length - 1)."""
        out = np.empty((len(pairs), self.max_length - 1))
        parts = split_range(len(pairs), resolve_threads(threads))
        run_all(_compare, [(self.noise, pairs, low, high, out) for low, high in parts])
        return out


class PairSignals:
    """Signals of the node pairs of one graph; they do not depend on the order of a pair.

    Parameters
    ----------
    graph
        The graph, without the links in question.
    max_length
        Length of the longest walks.
    noise_channels
        Width of the noise where walks are estimated.
    threads
        Number of threads.
    """

    def __init__(self, graph: Graph, max_length: int, noise_channels: int, threads: int | None = None) -> None:
        self.graph, self.max_length, self.noise_channels, self.threads = graph, max_length, noise_channels, threads

    def walks(self, pairs: npt.NDArray[np.int64]) -> Signals:
        """Return sums over common neighbours and, for every length, how much walks weigh and whether there are any."""
        degree = self.graph.degree
        scales = np.stack([np.ones(len(degree)), 1 / np.maximum(degree, 1), 1 / np.log(np.maximum(degree, 2))], axis=1)
        sums = common_neighbour_sums(self.graph, pairs, scales, threads=self.threads)
        found = self._weights(pairs, sums[:, 1])
        smallest = np.where(np.arange(2, self.max_length + 1) <= self.counted, SMALLEST_COUNTED, SMALLEST_ESTIMATED)
        weights, reached = 1 + np.log(found + smallest) / 3, found > smallest / 10
        return np.concatenate([np.log1p(sums), weights, reached], axis=1).astype(np.float32)

    def components(self, pairs: npt.NDArray[np.int64]) -> Signals:
        """Return whether both nodes are in one component, and how large the smaller and the larger one are."""
        root = self._roots[pairs]
        sizes = np.sort(np.log(self._sizes[root]), axis=1)
        return np.stack([root[:, 0] == root[:, 1], *sizes.T], axis=1).astype(np.float32)

    def degrees(self, pairs: npt.NDArray[np.int64]) -> Signals:
        """Return the sum and the difference of the logarithms of both degrees."""
        degree = np.log1p(self.graph.degree[pairs])
        return np.stack([degree.sum(axis=1), np.abs(degree[:, 0] - degree[:, 1])], axis=1).astype(np.float32)

    def _weights(self, pairs: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the weights of walks by length, given the sum of `1 / degree` over common neighbours."""
        found = np.empty((len(pairs), self.max_length - 1))
        if self.counted == 2:
            found[:, 0] = shares / np.sqrt(np.maximum(self.graph.degree, 1)[pairs].prod(axis=1))
        elif self.counted > 2:
            found[:, : self.counted - 1] = short_walks(self.graph, pairs, max_length=self.counted, threads=self.threads)
        if self.counted < self.max_length:
            estimated = slice(self.counted - 1, None)
            found[:, estimated] = np.maximum(self._noise.walks(pairs)[:, estimated], 0)
        return found

    @cached_property
    def counted(self) -> int:
        """The longest walks that are counted; 1 if all are estimated, because even short ones take too long."""
        lengths = range(self.max_length, 1, -1)
        return next((length for length in lengths if walking_work(self.graph, 1, length) <= WORK_PER_PAIR), 1)

    @cached_property
    def _noise(self) -> PropagatedNoise:
        return PropagatedNoise(self.graph, self.max_length, self.noise_channels)

    @cached_property
    def _roots(self) -> npt.NDArray[np.int32]:
        edges = self.graph.edges.astype(np.int32, copy=False)
        return smallest_members(self.graph.num_nodes, *(np.ascontiguousarray(end) for end in edges.T))

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.bincount(self._roots, minlength=self.graph.num_nodes)
