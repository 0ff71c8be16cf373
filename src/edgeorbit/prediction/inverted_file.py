"""An inverted file: embeddings in cells by k-means, so that a node is compared with those of a few cells alone."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import MissingExtraError
from edgeorbit.prediction.fixed_point import FixedPoint
from edgeorbit.randomness import Random

SAMPLE = 64  # nodes per cell that k-means learns from; more do not move the centres much
LARGEST = 4  # size of the largest piece of a cell, in sizes of a cell
PROBED = 8  # size of what a node is compared with, in sizes of a cell
LONGEST = 1  # longest vectors that every node is compared with, in sizes of a cell
BLOCK = 1 << 22  # products that are held at a time


class Group(NamedTuple):
    """Nodes that are searched for together, and the nodes that they are compared with, each of them once."""

    queries: npt.NDArray[np.int32]
    members: npt.NDArray[np.int32]


def inverted_file(embedding: npt.NDArray[np.floating[Any]], fixed: FixedPoint, per_node: int) -> Iterator[Group]:
    """Yield all nodes in groups, each with the nodes that are likely to have high inner products with them.

    About the square root of n cells are found by k-means on a sample. A node is compared with its own cell, with the
    cells whose centres have the highest inner products with the centre of its own, until there are eight cells of
    average size, and with the longest vectors of all. Cells of more than four times the average size are cut into
    pieces, so that time and memory keep bounded if many embeddings are alike.

    Parameters
    ----------
    embedding : array of shape (n, d)
        Finite numbers.
    fixed
        How they are rounded.
    per_node
        How many of the compared nodes are wanted; there are at least four times as many, or all.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    """
    n = len(embedding)
    size = int(np.ceil(np.sqrt(n)))
    centres = fixed.of(_centres(embedding, fixed.exponent, max(1, n // size)))
    cell, length = _assign(embedding, fixed, centres)
    longest = np.argsort(-length, kind="stable")[: LONGEST * size].astype(np.int32)

    pieces, owner = [], []
    order = np.argsort(cell, kind="stable").astype(np.int32)
    bounds = np.searchsorted(cell[order], np.arange(len(centres) + 1))
    for i in range(len(centres)):
        nodes = order[bounds[i] : bounds[i + 1]]
        if len(nodes):
            parts = np.array_split(nodes, int(np.ceil(len(nodes) / (LARGEST * size))))
            pieces += parts
            owner += [i] * len(parts)
    sizes = np.array([len(piece) for piece in pieces])
    wanted = max(PROBED * size, 4 * per_node)
    middles = centres[owner]
    for i, piece in enumerate(pieces):
        affinity = middles @ middles[i]
        affinity[i] = np.inf
        nearest = np.argsort(-affinity, kind="stable")
        enough = 1 + int(np.searchsorted(np.cumsum(sizes[nearest]), wanted))
        members = np.concatenate([pieces[j] for j in nearest[:enough]])
        # The nearest first: what comes later seldom gets among the best, which makes the choice quick.
        yield Group(piece, np.append(members, longest[~np.isin(longest, members)]))


def _centres(embedding: npt.NDArray[np.floating[Any]], exponent: int, count: int) -> npt.NDArray[np.float64]:
    """Return centres of cells by k-means; the sample and the start are always the same."""
    try:
        from sklearn.cluster import MiniBatchKMeans
    except ModuleNotFoundError:
        raise MissingExtraError(
            f"the embedding search in a graph of {len(embedding):,} nodes needs scikit-learn; pip install scikit-learn"
        ) from None
    chosen = np.sort(Random(0, "inverted file").permutation(len(embedding))[: SAMPLE * count])
    # Scaled to entries of at most 1, because k-means squares them.
    sample = np.ldexp(embedding[chosen].astype(np.float64), exponent - 24).astype(np.float32)
    # A random start ends as well as k-means++ in a tenth of the time. The number of steps is fixed, since a test for
    # convergence could depend on the order in which threads add.
    means = MiniBatchKMeans(
        count,
        init="random",
        random_state=0,
        n_init=1,
        max_iter=5,
        batch_size=4096,
        max_no_improvement=None,
        compute_labels=False,
    ).fit(sample)
    centres: npt.NDArray[np.float64] = np.ldexp(means.cluster_centers_.astype(np.float64), 24 - exponent)
    return centres


def _assign(
    embedding: npt.NDArray[np.floating[Any]], fixed: FixedPoint, centres: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the nearest centre of every vector, the first of equally near ones, and the square of its length."""
    cell, length = np.empty(len(embedding), np.int64), np.empty(len(embedding))
    half_square = (centres**2).sum(axis=1) / 2
    height = max(1, BLOCK // max(centres.shape))
    for low in range(0, len(embedding), height):
        vectors = fixed.of(embedding[low : low + height])
        cell[low : low + height] = np.argmax(vectors @ centres.T - half_square, axis=1)
        length[low : low + height] = (vectors**2).sum(axis=1)
    return cell, length
