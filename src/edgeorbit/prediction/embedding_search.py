"""Candidates by embedding: for every node, those that are no neighbours and have the highest inner product with it.

The best few of many nodes are kept in a heap that kernels fill. Vectors are compared in whole numbers, so that a sum
does not depend on the order of its terms: all of them in small graphs, and in large ones by an inverted file.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError, MissingExtraError
from edgeorbit.graph.graph import Graph

NOBODY = np.int32(2**31 - 1)  # fills up lists that are shorter than others; no node has this number
SAMPLE = 64  # nodes per cell that k-means learns from; more do not move the centres much
LARGEST = 4  # size of the largest piece of a cell, in sizes of a cell
PROBED = 8  # size of what a node is compared with, in sizes of a cell
LONGEST = 1  # longest vectors that every node is compared with, in sizes of a cell
BLOCK = 1 << 22  # products that are held at a time
MAX_EXHAUSTIVE = 50_000  # nodes up to which all pairs are compared, which takes seconds
CELLS = 1 << 22  # inner products that are held at a time


@inlined
def _is_worse(score, node, other_score, other):
    return score < other_score or (score == other_score and node > other)


@kernel
def offer(scores, nodes, size, score, node):
    """Offer a node to a heap of `size` nodes, the worst of them first; return how many it holds then.

    The heap holds at most as many nodes as `scores` has places.
    """
    if size < len(scores):
        place = size
        while place > 0:
            parent = (place - 1) >> 1
            if not _is_worse(score, node, scores[parent], nodes[parent]):
                break
            scores[place], nodes[place] = scores[parent], nodes[parent]
            place = parent
        scores[place], nodes[place] = score, node
        return size + 1
    if not _is_worse(scores[0], nodes[0], score, node):
        return size
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _is_worse(scores[child + 1], nodes[child + 1], scores[child], nodes[child]):
            child += 1
        if not _is_worse(scores[child], nodes[child], score, node):
            break
        scores[place], nodes[place] = scores[child], nodes[child]
        place = child
    scores[place], nodes[place] = score, node
    return size


class FixedPoint:
    """Vectors whose entries are rounded to whole numbers, so small that float64 adds up their products exactly.

    So an inner product is the same number on every machine, in either direction and however a matrix product is
    cut into blocks, and nodes of equal embedding, which symmetric nodes have, get equal products.

    Parameters
    ----------
    vectors : floating array of shape (n, d)
        The vectors; they are rounded when they are asked for, and not copied.

    Examples
    --------
    >>> halves = FixedPoint(np.array([[1.0, 0.5]])).of(np.array([[0.5, -0.25]]))
    >>> bool(halves[0, 0] == -2 * halves[0, 1])
    True
    """

    def __init__(self, vectors: npt.NDArray[np.floating[Any]]) -> None:
        # Two bits below the 53 of a float64, for half the square of a length that is taken off in an inverted file.
        bits = min(24, (51 - int(np.ceil(np.log2(vectors.shape[1])))) // 2)
        largest = max(abs(float(vectors.max(initial=0))), abs(float(vectors.min(initial=0))))
        self.exponent = bits - int(np.frexp(largest)[1])

    def of(self, vectors: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
        """Return vectors, none of them with larger entries than those given at first, in whole numbers."""
        return np.rint(np.ldexp(vectors.astype(np.float64), self.exponent))


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


@kernel
def _select(indptr, indices, products, queries, members, marks, scores, kept, out, start, step):
    """Write the best members for `queries[start::step]` to the rows of `out`; `marks` is zero before and after."""
    for i in range(start, len(queries), step):
        u = queries[i]
        marks[u] = 1
        for j in range(indptr[u], indptr[u + 1]):
            marks[indices[j]] = 1
        size = 0
        for j in range(len(members)):
            # Most are worse than the worst so far; only the others are looked up among the neighbours.
            if size == len(scores) and products[i, j] < scores[0]:
                continue
            if marks[members[j]] == 0:
                size = offer(scores, kept, size, products[i, j], members[j])
        for j in range(size):
            out[i, j] = kept[j]
        marks[u] = 0
        for j in range(indptr[u], indptr[u + 1]):
            marks[indices[j]] = 0


def check_embedding(embedding: npt.ArrayLike, num_nodes: int) -> npt.NDArray[np.floating[Any]]:
    """Return an embedding as an array, after checking it.

    Raises
    ------
    InvalidParameterError
        If it has not one row of finite numbers per node.
    """
    array = np.asarray(embedding)
    if array.ndim != 2 or array.shape[0] != num_nodes or array.shape[1] == 0:
        raise InvalidParameterError(
            f"embedding has shape {array.shape}; give one row for each of the {num_nodes} nodes, "
            f"shape ({num_nodes}, d) with d at least 1"
        )
    if array.dtype.kind not in "fiu":
        raise InvalidParameterError(f"embedding is of type {array.dtype}; give real numbers, such as float32")
    # Minimum and maximum take no memory, and show every NaN and every infinite number.
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        node = next(i for i in range(num_nodes) if not np.isfinite(array[i]).all())
        raise InvalidParameterError(
            f"embedding of node {node} is not finite; give finite numbers, or search by neighbourhood alone"
        )
    return array


def nearest_non_neighbours(
    graph: Graph,
    embedding: npt.NDArray[np.floating[Any]],
    per_node: int,
    threads: int | None = None,
    *,
    max_exhaustive: int = MAX_EXHAUSTIVE,
) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Yield every node with the nodes, not adjacent to it, whose embeddings have the highest inner products with its.

    The inner product is what a dot decoder scores by, and of equal products the smaller node comes first. Entries are
    rounded to 20 bits or more of the largest one (with up to 1,024 channels), see `FixedPoint`.

    Parameters
    ----------
    graph
        The graph, whose edges are left out.
    embedding : array of shape (num_nodes, d)
        Finite numbers.
    per_node
        How many nodes to keep for each.
    threads
        Number of threads that select; by default one per core. Matrix products run on the threads of numpy.
    max_exhaustive
        In graphs of more nodes, nodes are compared only with those of the nearest cells of an inverted file, and some
        of the best are missed.

    Yields
    ------
    nodes : int32 array of length k
        Some of the nodes; each node comes once.
    nearest : int32 array of shape (k, per_node), or (k, num_nodes - 1) if that is less
        What was found for them, in no order; rows end with `NOBODY` if there are fewer.
    """
    n = graph.num_nodes
    per_node = min(per_node, max(1, n - 1))
    fixed = FixedPoint(embedding)
    if n <= max_exhaustive:
        groups = iter([Group(np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32))])
    else:
        groups = inverted_file(embedding, fixed, per_node)
    spaces = [
        (np.zeros(n, np.uint8), np.empty(per_node), np.empty(per_node, np.int32))
        for _ in range(resolve_threads(threads))
    ]
    for queries, members in groups:
        columns = fixed.of(embedding[members]).T
        height = max(1, CELLS // max(len(members), per_node))
        for low in range(0, len(queries), height):
            rows = queries[low : low + height]
            products = fixed.of(embedding[rows]) @ columns
            out = np.full((len(rows), per_node), NOBODY)
            step = min(len(rows), len(spaces))
            shared = graph.indptr, graph.indices, products, rows, members
            run_all(_select, [(*shared, *spaces[start], out, start, step) for start in range(step)])
            yield rows, out
