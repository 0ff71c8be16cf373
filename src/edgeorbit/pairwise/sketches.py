"""Sketches of the neighbourhoods of all nodes: a few bytes each, from which sizes and overlaps are estimated.

`NeighbourhoodSketches` has a MinHash and a HyperLogLog sketch for every node and hop and compares those of node pairs;
`structure_counts` derives how many nodes lie at which distances from a pair: ELPH's structure features.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise._minhash_hyperloglog import (
    LEAST_P,
    MOST_P,
    Permutations,
    estimate_sizes,
    hash_nodes,
    sketch_minima,
    sketch_registers,
    union_size,
    weigh_empty,
)
from edgeorbit.pairwise.pairs import check_pairs, share_work

PAIRS_PER_THREAD = 512  # below this a second thread costs more than it saves
NODES_PER_THREAD = 512

Counts = npt.NDArray[np.float64]


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
    return share_work(graph.indptr + np.arange(len(graph.indptr)), parts)


def require_sketch_memory(graph: Graph, hops: int, minhash: int, hll_p: int) -> None:
    """Refuse sketches of a graph that do not fit into the memory that is available, with what makes them smaller."""
    needed, available = sketch_memory(graph.num_nodes, hops, minhash, hll_p), available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{graph.name}: sketches of {hops} hops take {size_in_words(needed)} of memory and "
            f"{size_in_words(available)} are available; make them smaller with --set minhash={max(1, minhash // 2)} "
            f"or --set hll_p={max(LEAST_P, hll_p - 1)}, or take fewer hops"
        )


class StructureCounts(NamedTuple):
    """Estimated numbers of nodes by their distances from pairs (u, v), up to some number of hops.

    The two nodes of a pair are counted like their own neighbours, as in ELPH: u is at distance 1 from u. Where a count
    is small, its estimate may be negative.

    Attributes
    ----------
    joint : array of shape (k, hops, hops)
        `joint[:, i - 1, j - 1]` nodes are i from u and j from v: A_uv[i, j] of the paper.
    alone : array of shape (k, 2, hops)
        `alone[:, 0, i - 1]` nodes are i from u and further than all hops from v, and `alone[:, 1, i - 1]` the other way
        round: B_uv[i] and B_vu[i] of the paper.
    """

    joint: Counts
    alone: Counts


def structure_counts(
    sketches: NeighbourhoodSketches, pairs: npt.ArrayLike, *, threads: int | None = None
) -> StructureCounts:
    """Estimate how many nodes lie at which distances from the nodes of pairs.

    Overlaps count the nodes within i and j hops, so their differences count those at distance i and j:
    `A[i, j] = O[i, j] - O[i-1, j] - O[i, j-1] + O[i-1, j-1]`, and with the size S of a neighbourhood
    `B[i] = (S[i] - O[i, hops]) - (S[i-1] - O[i-1, hops])`. These are ELPH's sums, written as differences.

    Parameters
    ----------
    sketches
        The sketches of a graph.
    pairs : integer array of shape (k, 2)
        Node numbers.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Examples
    --------
    >>> from edgeorbit import Graph
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> counts = structure_counts(NeighbourhoodSketches(path), [[0, 2]])
    >>> (counts.joint.round() + 0.0).tolist()  # node 1, then 0; then 2, and none
    [[[1.0, 1.0], [1.0, 0.0]]]
    >>> (counts.alone.round() + 0.0).tolist()  # of node 2, node 3 at distance 1 and node 4 at distance 2
    [[[0.0, 0.0], [1.0, 1.0]]]
    """
    nodes = check_pairs(sketches.graph, pairs)
    overlaps = sketches.overlaps(nodes.T, threads)
    within = np.pad(overlaps, ((0, 0), (1, 0), (1, 0)))
    # Added before they are taken off, so that the order of a pair makes no difference to rounding.
    joint = within[:, 1:, 1:] + within[:, :-1, :-1] - (within[:, :-1, 1:] + within[:, 1:, :-1])
    seen = np.stack([overlaps[:, :, -1], overlaps[:, -1, :]], axis=1)
    beyond = sketches.sizes[:, nodes].transpose(2, 1, 0) - seen
    return StructureCounts(joint, np.diff(beyond, axis=2, prepend=0))


def num_structure_features(hops: int, *, zero_one: bool = False) -> int:
    """Return how many features `structure_features` makes.

    >>> num_structure_features(2), num_structure_features(2, zero_one=True)
    (6, 8)
    """
    return hops**2 + 2 * (hops if zero_one else 1)


def structure_features(counts: StructureCounts, *, zero_one: bool = False) -> npt.NDArray[np.float32]:
    """Return counts in a form that does not depend on the order of a pair.

    Of the two counts that trade places with the nodes, their sum and their difference without its sign are told.

    Parameters
    ----------
    counts
        The counts.
    zero_one
        Whether the counts of nodes that are near to one node, at less than all hops, and far from the other are told:
        (0, 1) and (1, 0) in ELPH's words. They are zero wherever the two nodes are linked in the graph of the sketches,
        because then a neighbour of one is at most 2 from the other: in training they give the answer away.

    Returns
    -------
    float32 array of shape (k, `num_structure_features(hops, zero_one=zero_one)`)

    Examples
    --------
    >>> counts = StructureCounts(np.array([[[1.0, 4.0], [2.0, 3.0]]]), np.array([[[0.0, 5.0], [0.0, 7.0]]]))
    >>> structure_features(counts).tolist()
    [[1.0, 3.0, 6.0, 2.0, 12.0, 2.0]]
    """
    joint, alone = counts
    hops = joint.shape[1]
    above = np.triu_indices(hops, 1)
    upper, lower = joint[:, *above], joint[:, *above[::-1]]
    first, second = (alone[:, side, 0 if zero_one else hops - 1 :] for side in range(2))
    parts = [np.diagonal(joint, axis1=1, axis2=2)]
    for one, other in ((upper, lower), (first, second)):
        parts += [one + other, np.abs(one - other)]
    return np.concatenate(parts, axis=1).astype(np.float32)
