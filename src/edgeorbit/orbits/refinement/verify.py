"""Proof that a refinement round was exact: no hash value is trusted.

Hashing errs on one side only, it can leave nodes together that belong apart. So it is enough to check that all members
of a class see the same multiset of colours, by counting.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import kernel
from edgeorbit.orbits.refinement.partition import Partition
from edgeorbit.parallel import run_all


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
        for j in range(first_low, first_high):
            count[seen[indices[j]]] += 1
        while not is_start[place]:
            node = order[place]
            place += 1
            node_low, node_high = indptr[node], indptr[node + 1]
            if node_high - node_low != first_high - first_low:
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
