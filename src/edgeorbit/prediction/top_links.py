"""The likeliest missing links of a graph, without scoring all pairs of its nodes."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_among, are_edges, pair_keys
from edgeorbit.models.base import Scorer

BATCH = 1 << 18  # pairs that are scored at a time
FEW = 1 << 22  # non-edges that may all be scored where there are too few candidates
SOURCES = np.array(["exact", "neighbourhood", "embedding", "both", "given"])  # by the origins of candidates
GIVEN = 4

Batches = Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]
SLACK = 1 << 16  # pairs that wait at least, before the worst are thrown out


class TopLinks(NamedTuple):
    """The likeliest missing links.

    Attributes
    ----------
    pairs : int64 array of shape (k, 2)
        Node numbers `(u, v)` with `u < v`, best first.
    scores : float64 array of length k
        Their scores.
    num_scored : int
        How many pairs were scored.
    source : string array of length k
        How each was found: by `neighbourhood`, by `embedding`, by `both`, or `exact` if every non-edge was scored.
    """

    pairs: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    num_scored: int
    source: npt.NDArray[np.str_]


def top_links(
    score: Scorer,
    graph: Graph,
    count: int,
    *,
    exact: bool = False,
    embedding: npt.NDArray[np.floating[Any]] | None = None,
    per_node: int = 100,
    exclude: npt.NDArray[np.int64] | None = None,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
) -> TopLinks:
    """Return the pairs of highest score that are no edges.

    Unless it is told to be exact, it scores candidates only: for every node the `per_node` nodes at distance two with
    the highest resource allocation, and with an embedding the `per_node` nodes with the highest inner product;
    `edgeorbit.prediction.candidates.find_candidates` says what is certain to be among them. Of equal scores the pair
    that comes first in ascending order is the better one; the result does not depend on threads, nor on batches unless
    the scores do. Memory is at most 10 bytes for `per_node` times the nodes, beside the best links so far, a batch of
    pairs, a few bytes per node and thread, and with an embedding some blocks of 32 MB and, in graphs of up to 50,000
    nodes, the embedding in double precision.

    Parameters
    ----------
    score
        Function from node pairs of shape (k, 2) to k scores, higher for likelier links. It gets each pair once, the
        smaller node first.
    graph
        All known edges; none of them is returned.
    count
        How many links. There are fewer if the graph has fewer non-edges, or if it has fewer candidates and more than
        four million non-edges; up to so many, all of them are scored if candidates are too few.
    exact
        Score every pair that is no edge.
    embedding : array of shape (num_nodes, d), optional
        An embedding of every node.
    per_node
        Candidates kept per node by neighbourhood, and as many by embedding.
    exclude : int64 array of shape (k, 2), optional
        Pairs of node numbers, in either order, that are not scored.
    progress
        Called with the numbers of pairs scored and to score, after every batch.
    threads
        Number of threads of the search; by default one per core.

    Raises
    ------
    InvalidParameterError
        If `count` or `per_node` is no whole number from 1, the embedding has not one row of finite numbers per node, or
        the scorer does not return one number for each pair.

    Examples
    --------
    >>> from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
    >>> wheel = Graph.from_edges([[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [2, 3], [3, 4]])
    >>> found = top_links(lambda pairs: common_neighbour_sums(wheel, pairs), wheel, 2)
    >>> found.pairs.tolist(), found.scores.tolist()
    ([[1, 3], [2, 4]], [2.0, 2.0])
    """
    if not isinstance(count, int | np.integer) or count < 1:
        raise InvalidParameterError(f"count must be a whole number from 1, not {count}")
    total, batches = candidate_batches(
        graph, count, exact=exact, embedding=embedding, per_node=per_node, threads=threads
    )
    return _best(score, _without(batches, exclude, graph), total, count, progress)


def candidate_batches(
    graph: Graph,
    count: int,
    *,
    exact: bool = False,
    embedding: npt.NDArray[np.floating[Any]] | None = None,
    per_node: int = 100,
    threads: int | None = None,
) -> tuple[int, Batches]:
    """Return how many pairs `top_links` scores, and these pairs with their origins; see there for the parameters."""
    num_non_edges = graph.num_nodes * (graph.num_nodes - 1) // 2 - graph.num_edges
    if not exact:
        from edgeorbit.prediction.candidates import find_candidates

        candidates = find_candidates(graph, per_node, embedding, threads=threads)
        total = len(candidates)
        if total >= min(count, num_non_edges) or num_non_edges > max(FEW, count):
            return total, candidates.batches(BATCH)
    return num_non_edges, _non_edges(graph)


def best_of(
    score: Scorer,
    graph: Graph,
    pairs: npt.NDArray[np.int64],
    count: int,
    *,
    exclude: npt.NDArray[np.int64] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TopLinks:
    """Return those of given pairs that have the highest scores; edges, loops and repeated pairs are left out.

    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> pairs = np.array([[3, 0], [0, 1], [2, 0], [1, 1], [0, 3]])
    >>> best_of(lambda pairs: pairs.sum(axis=1), path, pairs, 5).pairs.tolist()
    [[0, 3], [0, 2]]
    """
    ordered = np.sort(pairs, axis=1)
    ordered = ordered[(ordered[:, 0] != ordered[:, 1]) & ~are_edges(graph, ordered)]
    ordered = ordered[np.unique(pair_keys(ordered[:, 0], ordered[:, 1], graph.num_nodes), return_index=True)[1]]
    parts = (
        (ordered[low : low + BATCH], np.full(len(ordered[low : low + BATCH]), GIVEN, np.uint8))
        for low in range(0, len(ordered), BATCH)
    )
    return _best(score, _without(parts, exclude, graph), len(ordered), count, progress)


def _without(batches: Batches, exclude: npt.NDArray[np.int64] | None, graph: Graph) -> Batches:
    """Yield batches without the pairs that are excluded."""
    if exclude is None or not len(exclude):
        yield from batches
        return
    excluded = np.unique(pair_keys(exclude[:, 0], exclude[:, 1], graph.num_nodes))
    for pairs, origins in batches:
        kept = ~are_among(pair_keys(pairs[:, 0], pairs[:, 1], graph.num_nodes), excluded)
        yield pairs[kept], origins[kept]


def _best(
    score: Scorer, batches: Batches, total: int, count: int, progress: Callable[[int, int], None] | None
) -> TopLinks:
    best, done = BestPairs(count), 0
    for pairs, origins in batches:
        if len(pairs):
            best.offer(pairs, checked_scores(score(pairs), pairs), origins)
            done += len(pairs)
            if progress is not None:
                progress(done, total)
    pairs, scores, origins = best.ranked()
    return TopLinks(pairs, scores, done, SOURCES[origins])


def checked_scores(scores: Any, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return scores as float64, if there is one number for each pair."""
    found = np.asarray(scores)
    if found.shape != (len(pairs),) or found.dtype.kind not in "fiub":
        raise InvalidParameterError(
            f"the scorer returned {found.dtype} of shape {found.shape} for {len(pairs)} pairs; "
            f"it must return one number for each, shape ({len(pairs)},)"
        )
    found = found.astype(np.float64)
    if np.isnan(found).any():
        u, v = pairs[np.isnan(found)][0].tolist()
        raise InvalidParameterError(f"the scorer gave NaN to nodes {u} and {v}; scores must be numbers to be ranked")
    return found


def _non_edges(graph: Graph) -> Batches:
    """Yield all pairs `(u, v)` with `u < v` that are no edges, in ascending order."""
    n, degree = graph.num_nodes, graph.degree
    low = 0
    while low < n - 1:
        width = n - 1 - low  # of the nodes that come after the first of this batch
        high = min(n - 1, low + max(1, BATCH // width))
        free = ~np.tri(high - low, width, -1, bool)
        begin, end = graph.indptr[[low, high]]
        rows = np.repeat(np.arange(high - low), degree[low:high])
        columns = graph.indices[begin:end] - np.int64(low + 1)
        later = columns >= rows
        free[rows[later], columns[later]] = False
        u, v = np.nonzero(free)
        for start in range(0, len(u), BATCH):
            part = slice(start, start + BATCH)
            yield np.stack([u[part] + low, v[part] + low + 1], axis=1), np.zeros(len(u[part]), np.uint8)
        low = high


class BestPairs:
    """Keeps the pairs of highest score; of equal scores those that come first as `(u, v)`.

    Parameters
    ----------
    count
        How many to keep.

    Examples
    --------
    >>> best = BestPairs(2)
    >>> best.offer(np.array([[0, 1], [2, 3], [0, 2]]), np.array([0.5, 1.0, 0.5]), np.zeros(3, np.uint8))
    >>> best.ranked()[0].tolist()
    [[2, 3], [0, 1]]
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._least = -np.inf  # what a pair must have to be among the best so far
        self._waiting = [(np.empty(0, np.int64), np.empty(0), np.empty(0, np.uint8))]
        self._held = 0

    def offer(
        self, pairs: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], origins: npt.NDArray[np.uint8]
    ) -> None:
        """Take up new pairs `(u, v)`, their scores, and where they come from."""
        chosen = scores >= self._least
        # One number for both nodes, in the order of the pairs: node numbers have 31 bits.
        self._waiting.append((pairs[chosen, 0] << 31 | pairs[chosen, 1], scores[chosen], origins[chosen]))
        self._held += len(self._waiting[-1][0])
        if self._held > 2 * self._count + SLACK:
            self._discard()

    def ranked(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """Return pairs, scores and origins of the best, best first."""
        self._discard()
        ((keys, scores, origins),) = self._waiting
        order = np.lexsort((keys, -scores))
        pairs = np.stack([keys >> 31, keys & (2**31 - 1)], axis=1)
        return pairs[order], scores[order], origins[order]

    def _discard(self) -> None:
        """Join what was taken up, and throw out all but the best."""
        keys, scores, origins = (np.concatenate(arrays) for arrays in zip(*self._waiting, strict=True))
        if len(keys) > self._count:
            self._least = np.partition(scores, len(scores) - self._count)[len(scores) - self._count]
            better, equal = np.flatnonzero(scores > self._least), np.flatnonzero(scores == self._least)
            first = np.argpartition(keys[equal], self._count - len(better) - 1)[: self._count - len(better)]
            kept = np.concatenate([better, equal[first]])
            keys, scores, origins = keys[kept], scores[kept], origins[kept]
        self._waiting, self._held = [(keys, scores, origins)], len(keys)
