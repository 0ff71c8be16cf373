"""Proof that a refinement round was exact: no hash value is trusted.

Hashing errs on one side only, it can leave nodes together that belong apart. So it is enough to check that all members
of a class see the same multiset of colours, by counting.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import run_all
from edgeorbit.orbits._refinement.partition import Partition

FEW = 4  # up to so many neighbours, sorting their colours is faster than counting them


@kernel
def _members_agree(indptr, indices, order, is_start, seen, low, high):
    """Tell whether, for every class in `order[low:high]`, all members have the same multiset of neighbours' `seen`."""
    count = np.zeros(len(seen), np.int32)
    place = low
    while place < high:
        first = order[place]
        place += 1
        if is_start[place]:
            continue
        first_low, first_high = indptr[first], indptr[first + 1]
        degree = first_high - first_low
        if degree <= FEW:
            end = _few_agree(indptr, indices, order, is_start, seen, place - 1, degree)
            if end < 0:
                return False
            place = end
            continue
        for j in range(first_low, first_high):
            count[seen[indices[j]]] += 1
        while not is_start[place]:
            node = order[place]
            place += 1
            node_low, node_high = indptr[node], indptr[node + 1]
            if node_high - node_low != degree:
                return False
            # Degrees are equal, so the multisets differ iff some colour runs out.
            missing = False
            for j in range(node_low, node_high):
                colour = seen[indices[j]]
                count[colour] -= 1
                missing |= count[colour] < 0
            if missing:
                return False
            for j in range(node_low, node_high):
                count[seen[indices[j]]] += 1
        for j in range(first_low, first_high):
            count[seen[indices[j]]] = 0
    return True


@kernel
def _few_agree(indptr, indices, order, is_start, seen, place, degree):
    """Compare the sorted colours of all members of the class at `place`; return where it ends, or -1 if they differ."""
    first = _sorted_few(indices, indptr[order[place]], degree, seen)
    place += 1
    while not is_start[place]:
        node = order[place]
        place += 1
        if indptr[node + 1] - indptr[node] != degree or _sorted_few(indices, indptr[node], degree, seen) != first:
            return -1
    return place


@kernel
def _sorted_few(indices, low, degree, seen):
    """Return up to four colours in ascending order; a sorting network has no branches to guess wrong."""
    a = seen[indices[low]] if degree > 0 else -1
    b = seen[indices[low + 1]] if degree > 1 else -1
    c = seen[indices[low + 2]] if degree > 2 else -1
    d = seen[indices[low + 3]] if degree > 3 else -1
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    return a, b, c, d


def members_agree(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.uint32],
    partition: Partition,
    seen: npt.NDArray[np.int32],
    chunks: list[tuple[int, int]],
) -> bool:
    """Tell whether all members of each class have the same multiset of neighbour colours.

    With `seen = partition.colour` this proves the partition equitable (stable under refinement); with the colours of
    the round before, it proves that the last round split everything it had to.

    Parameters
    ----------
    indptr, indices
        CSR arrays of the graph.
    partition
        The classes to check.
    seen
        The colours that are counted.
    chunks
        Ranges of `partition.order`, each beginning and ending with a class, one thread each.
    """
    calls = [(indptr, indices, partition.order, partition.is_start, seen, low, high) for low, high in chunks]
    return all(run_all(_members_agree, calls))
