"""MinHash and HyperLogLog: two sketches of the neighbourhoods of all nodes, made hop after hop.

MinHash keeps the smallest of many hashes of the members. Two sets have the same smallest hash with the probability that
is their Jaccard index J, so the share of matches among P hashes has mean J and standard deviation sqrt(J (1 - J) / P).
Every hash is a permutation of the 32-bit numbers: nodes never collide, and sets without a common member never match.

HyperLogLog keeps the rarest hash in each of 2^p registers, from which the number of members follows by the estimator of
Ertl ("New cardinality estimation algorithms for HyperLogLog sketches", 2017). It needs neither a threshold to linear
counting nor the tables of measured biases of HyperLogLog++. Its standard deviation is about 1.04 / sqrt(2^p) of the
size, and less for few elements; its bias is at most about 1 / 2^p of the size.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import run_all
from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import mix_bits

SHIFT = 40  # the largest rank: sums of 2^-rank are exact as multiples of 2^-SHIFT, in any order
LEAST_P, MOST_P = 4, 16


class Permutations(NamedTuple):
    """Permutations of the 32-bit numbers: `x` becomes `mix(x * multiplier + offset)`, with odd multipliers."""

    multipliers: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.uint32]

    @classmethod
    def draw(cls, number: int, seed: int) -> "Permutations":
        """Draw so many permutations."""
        random = Random(seed, "MinHash permutations")
        multipliers, offsets = ((random.uniform(number) * 2**32).astype(np.uint32) for _ in range(2))
        return cls(multipliers | np.uint32(1), offsets)


# Without the casts numba would continue with 64-bit numbers, half as many at once.
@inlined
def _mix(x):
    """Return a permutation of the 32-bit numbers without visible order: MurmurHash3's last step."""
    x = np.uint32(x ^ (x >> np.uint32(16)))
    x = np.uint32(x * np.uint32(0x85EBCA6B))
    x = np.uint32(x ^ (x >> np.uint32(13)))
    x = np.uint32(x * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))


@kernel
def _hash_first(indptr, indices, multipliers, offsets, out, start, stop):
    """Write the smallest hashes of nodes and their neighbours, hashed anew each time: no slower than a table."""
    for node in range(start, stop):
        row = out[node]
        own = np.uint32(node)
        for i in range(len(row)):
            row[i] = _mix(np.uint32(np.uint32(own * multipliers[i]) + offsets[i]))
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            for i in range(len(row)):
                hashed = _mix(np.uint32(np.uint32(other * multipliers[i]) + offsets[i]))
                row[i] = min(row[i], hashed)


@kernel
def _merge_minima(indptr, indices, values, out, start, stop):
    for node in range(start, stop):
        row, own = out[node], values[node]
        for i in range(len(row)):
            row[i] = own[i]
        for entry in range(indptr[node], indptr[node + 1]):
            other = values[indices[entry]]
            for i in range(len(row)):
                row[i] = min(row[i], other[i])


def sketch_minima(graph: Graph, permutations: Permutations, out: Any, ranges: list[tuple[int, int]]) -> None:
    """Write the MinHash sketches of the neighbourhoods of all nodes, hop after hop.

    Parameters
    ----------
    graph
        The graph.
    permutations
        The permutations.
    out : uint32 array of shape (hops, num_nodes, number of permutations)
        Where to; `out[k - 1]` are those of all nodes within k hops, a node itself among them.
    ranges
        The ranges of nodes that threads take.
    """
    csr = graph.indptr, graph.indices.view(np.uint32)
    run_all(_hash_first, [(*csr, *permutations, out[0], *part) for part in ranges])
    for before, after in pairwise(out):
        run_all(_merge_minima, [(*csr, before, after, *part) for part in ranges])


def hash_nodes(num_nodes: int, p: int, seed: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return for every node the register that it falls into, and its rank there, which is r with probability 2^-r."""
    hashed = np.arange(num_nodes, dtype=np.uint64) + np.uint64(Random(seed, "HyperLogLog").uniform(1)[0] * 2**53)
    hashed = mix_bits.py_func(hashed * np.uint64(0x9E3779B97F4A7C15))  # as in SplitMix64
    rest = hashed >> np.uint64(p) | np.uint64(1 << (SHIFT - 1))
    lowest = rest & (~rest + np.uint64(1))
    rank = np.frexp(lowest.astype(np.float64))[1]  # exact for a power of two
    return (hashed & np.uint64((1 << p) - 1)).astype(np.uint32), rank.astype(np.uint8)


@kernel
def _fill_first(indptr, indices, places, ranks, out, start, stop):
    for node in range(start, stop):
        row = out[node]
        for i in range(len(row)):
            row[i] = 0
        row[places[node]] = ranks[node]
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            place = places[other]
            row[place] = max(row[place], ranks[other])


@kernel
def _merge_registers(indptr, indices, values, out, start, stop):
    for node in range(start, stop):
        row, own = out[node], values[node]
        for i in range(len(row)):
            row[i] = own[i]
        for entry in range(indptr[node], indptr[node + 1]):
            other = values[indices[entry]]
            for i in range(len(row)):
                row[i] = max(row[i], other[i])


@kernel
def union_size(first, second, empty_weights):
    """Estimate the size of the union of two sets; whole numbers are summed, so that the order does not matter."""
    total, empty = np.uint64(0), np.uint64(0)
    for i in range(len(first)):
        rank = max(first[i], second[i])
        total += np.uint64(1) << np.uint64(SHIFT - rank)
        empty += np.uint64(rank == 0)
    total -= empty << np.uint64(SHIFT)
    size = len(first)
    return size * size / (2 * np.log(2.0)) / (empty_weights[empty] + total / 2.0**SHIFT)


@kernel
def _estimate_sizes(registers, empty_weights, out, start, stop):
    for node in range(start, stop):
        for hop in range(len(registers)):
            row = registers[hop, node]
            out[hop, node] = union_size(row, row, empty_weights)


def weigh_empty(p: int) -> npt.NDArray[np.float64]:
    """Return by the number of empty registers what they add to the sum of 2^-rank over all others.

    It is `m sigma(empty / m)` for m = 2^p registers, with Ertl's `sigma(x) = x + sum of x^(2^k) 2^(k-1) over k >= 1`.
    """
    number = 1 << p
    power = np.arange(number + 1) / number
    found, factor = power.copy(), 1.0
    for _ in range(p + 6):  # then even the largest power below 1, of (m - 1) / m, has vanished
        power = power * power
        found += power * factor
        factor *= 2
    found[-1] = np.inf
    return number * found


def sketch_registers(
    graph: Graph, hashed: tuple[npt.NDArray[Any], npt.NDArray[Any]], out: Any, ranges: list[tuple[int, int]]
) -> None:
    """Write the HyperLogLog sketches of the neighbourhoods of all nodes, hop after hop.

    Parameters
    ----------
    graph
        The graph.
    hashed
        What `hash_nodes` returned.
    out : uint8 array of shape (hops, num_nodes, 2^p)
        Where to; `out[k - 1]` are those of all nodes within k hops, a node itself among them.
    ranges
        The ranges of nodes that threads take.
    """
    csr = graph.indptr, graph.indices.view(np.uint32)
    run_all(_fill_first, [(*csr, *hashed, out[0], *part) for part in ranges])
    for before, after in pairwise(out):
        run_all(_merge_registers, [(*csr, before, after, *part) for part in ranges])


def estimate_sizes(
    registers: npt.NDArray[np.uint8], empty_weights: npt.NDArray[np.float64], ranges: list[tuple[int, int]]
) -> npt.NDArray[np.float64]:
    """Return the estimated sizes of sets, from registers of shape (hops, num_nodes, 2^p) to shape (hops, num_nodes)."""
    out = np.empty(registers.shape[:2])
    run_all(_estimate_sizes, [(registers, empty_weights, out, *part) for part in ranges])
    return out
