"""How many nodes lie at which distances from the two nodes of a pair: ELPH's structure features."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.pairwise.pairs import check_pairs
from edgeorbit.pairwise.sketches.neighbourhoods import NeighbourhoodSketches

Counts = npt.NDArray[np.float64]


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
