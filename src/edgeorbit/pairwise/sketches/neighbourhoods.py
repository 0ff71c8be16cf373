"""Sketches of all neighbourhoods of a graph, and the overlaps of those of node pairs."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import check_pairs
from edgeorbit.pairwise.sketches.hyperloglog import (
    LEAST_P,
    MOST_P,
    estimate_sizes,
    hash_nodes,
    sketch_registers,
    union_size,
    weigh_empty,
)
from edgeorbit.pairwise.sketches.minhash import Permutations, sketch_minima

PAIRS_PER_THREAD = 512  # below this a second thread costs more than it saves
NODES_PER_THREAD = 512


@kernel
def _overlap(minima, registers, empty_weights, first, second, start, stop, out):
    for pair in range(start, stop):
        for i in range(len(minima)):
            for j in range(len(minima)):
                here, there = minima[i, first[pair]], minima[j, second[pair]]
                same = np.uint32(0)
                for k in range(len(here)):
                    same += np.uint32(here[k] == there[k])
                if same > 0:  # most pairs of a large graph have nothing in common
                    size = union_size(registers[i, first[pair]], registers[j, second[pair]], empty_weights)
                    out[pair, i, j] = same / len(here) * size
                else:
                    out[pair, i, j] = 0.0


def check_sketch(hops: int, minhash: int, hll_p: int) -> None:
    """Raise `InvalidParameterError` unless there are sketches of this sort."""
    if hops < 1:
        raise InvalidParameterError(f"hops must be at least 1, not {hops}")
    if minhash < 1:
        raise InvalidParameterError(f"minhash must be at least 1, not {minhash}")
    if not LEAST_P <= hll_p <= MOST_P:
        raise InvalidParameterError(f"hll_p must be from {LEAST_P} to {MOST_P}, not {hll_p}")


def sketch_memory(num_nodes: int, hops: int, minhash: int, hll_p: int) -> int:
    """Return the bytes that sketches take, which is also the most that making them takes beside the graph.

    >>> sketch_memory(400_000, hops=2, minhash=128, hll_p=8) // 2**20
    592
    """
    return num_nodes * hops * (4 * minhash + (1 << hll_p) + 8)


class NeighbourhoodSketches:
    """MinHash and HyperLogLog sketches of the nodes within 1, 2, ... hops of every node, the node itself among them.

    They are those of the given graph alone. The overlap of two sets is the estimate of their Jaccard index times that
    of the size of their union (Chamberlain et al. 2023). Neither depends on the number of threads.

    Parameters
    ----------
    graph
        The graph.
    hops
        The number of hops.
    minhash
        Number of hashes of a MinHash sketch, 4 bytes each.
    hll_p
        A HyperLogLog sketch has 2 to this power registers, 1 byte each; from 4 to 16.
    seed
        Decides all hashes.
    threads
        Number of threads; by default one per core.

    Attributes
    ----------
    minima : uint32 array of shape (hops, num_nodes, minhash)
        The MinHash sketches.
    registers : uint8 array of shape (hops, num_nodes, 2^hll_p)
        The HyperLogLog sketches.
    sizes : float64 array of shape (hops, num_nodes)
        The estimated numbers of nodes within 1, 2, ... hops.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range.
    LimitExceededError
        If the sketches do not fit into the memory that is available.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> sketches = NeighbourhoodSketches(square)
    >>> sketches.sizes.round().tolist()
    [[3.0, 3.0, 3.0, 3.0], [4.0, 4.0, 4.0, 4.0]]
    >>> sketches.overlaps([[0, 1]]).round().tolist()
    [[[2.0, 3.0], [3.0, 4.0]]]
    """

    def __init__(
        self,
        graph: Graph,
        *,
        hops: int = 2,
        minhash: int = 128,
        hll_p: int = 8,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        check_sketch(hops, minhash, hll_p)
        require_sketch_memory(graph, hops, minhash, hll_p)
        self.graph, self.hops = graph, hops
        ranges = _share_nodes(graph, threads)
        self.minima = np.empty((hops, graph.num_nodes, minhash), np.uint32)
        sketch_minima(graph, Permutations.draw(minhash, seed), self.minima, ranges)
        self.registers = np.empty((hops, graph.num_nodes, 1 << hll_p), np.uint8)
        sketch_registers(graph, hash_nodes(graph.num_nodes, hll_p, seed), self.registers, ranges)
        self._empty_weights = weigh_empty(hll_p)
        self.sizes = estimate_sizes(self.registers, self._empty_weights, ranges)

    def overlaps(self, pairs: npt.ArrayLike, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Return for pairs (u, v) how many nodes are within i hops of u and within j hops of v.

        Parameters
        ----------
        pairs : integer array of shape (k, 2)
            Node numbers.
        threads
            Number of threads; by default one per core.

        Returns
        -------
        float64 array of shape (k, hops, hops)
            The entry for i and j is at `[:, i - 1, j - 1]`. It does not change by a bit if i and j, and u and v, do.
        """
        first, second = check_pairs(self.graph, pairs)
        out = np.empty((len(first), self.hops, self.hops))
        parts = split_range(len(first), min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD))
        arguments = self.minima, self.registers, self._empty_weights, first, second
        run_all(_overlap, [(*arguments, *part, out) for part in parts])
        return out


def _share_nodes(graph: Graph, threads: int | None) -> list[tuple[int, int]]:
    """Return ranges of nodes for threads, each with about as many neighbours and nodes."""
    parts = min(resolve_threads(threads), 1 + (graph.num_nodes + len(graph.indices)) // NODES_PER_THREAD)
    work = graph.indptr + np.arange(len(graph.indptr))
    bounds = np.searchsorted(work, np.linspace(0, work[-1], parts + 1)[1:-1]).tolist()
    cuts = [0, *bounds, graph.num_nodes]
    return [(low, high) for low, high in pairwise(cuts) if low < high]


def require_sketch_memory(graph: Graph, hops: int, minhash: int, hll_p: int) -> None:
    """Refuse sketches of a graph that do not fit into the memory that is available, with what makes them smaller."""
    needed, available = sketch_memory(graph.num_nodes, hops, minhash, hll_p), available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{graph.name}: sketches of {hops} hops take {size_in_words(needed)} of memory and "
            f"{size_in_words(available)} are available; make them smaller with --set minhash={max(1, minhash // 2)} "
            f"or --set hll_p={max(LEAST_P, hll_p - 1)}, or take fewer hops"
        )
