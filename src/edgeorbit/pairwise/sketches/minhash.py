"""MinHash sketches of neighbourhoods: the smallest of many hashes of the members, whose matches estimate overlaps.

Two sets have the same smallest hash with the probability that is their Jaccard index J, so the share of matches among P
hashes has the mean J and the deviation sqrt(J (1 - J) / P). Every hash is a permutation of the 32-bit numbers: nodes
never collide, and sets without a common member never match.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import run_all
from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph

LARGEST = np.uint32(0xFFFFFFFF)

Minima = npt.NDArray[np.uint32]  # of shape (num_nodes, number of permutations)


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


# Without the casts numba would go on with 64-bit numbers, half as many at once.
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
