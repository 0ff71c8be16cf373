"""Scores of one node with all others, by which hard negatives are chosen: RA, PageRank, similarity of features."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.data.negatives.hard import Scored
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pagerank import push_pagerank

if TYPE_CHECKING:
    import scipy.sparse

ALPHA, TOLERANCE = 0.15, 5e-5  # of PageRank: those of Li et al. 2023
MOST_NODES = 1024  # whose scores are held at a time, ...
MOST_PASSAGES = 2**23  # ... unless they have more paths of two links than this
CELLS = 2**22  # similarities that are held at a time
UNIT = 2.0**-32  # scores are rounded to this, so that sums in another order are equal


@kernel
def _allocate(indptr, indices, batch, low, high, sums, reached, starts, nodes, scores):
    """Write the resource allocation of `batch[low:high]` with others to places from `starts`; return the counts."""
    counts = np.zeros(high - low, np.int64)
    for i in range(low, high):
        u, count = batch[i], 0
        for j in range(indptr[u], indptr[u + 1]):
            w = indices[j]
            weight = 1.0 / (indptr[w + 1] - indptr[w])
            for k in range(indptr[w], indptr[w + 1]):
                if sums[indices[k]] == 0:
                    reached[count] = indices[k]
                    count += 1
                sums[indices[k]] += weight
        end = starts[i]
        for j in range(count):
            score = np.int64(np.rint(sums[reached[j]] / UNIT))
            sums[reached[j]] = 0
            if score > 0:
                nodes[end], scores[end] = reached[j], score
                end += 1
        counts[i - low] = end - starts[i]
    return counts


class Heuristics:
    """Resource allocation, personalised PageRank and, for graphs with features, their cosine similarity.

    Parameters
    ----------
    graph
        The graph that neighbours are seen in.
    features
        Whether the similarity of features is one of the heuristics.
    threads
        Number of threads; by default one per core.
    """

    def __init__(self, graph: Graph, features: bool, threads: int | None = None) -> None:
        n = graph.num_nodes
        self._graph, self._threads = graph, resolve_threads(threads)
        # Of a node, how many paths of two links begin there.
        ends = np.append(0, np.cumsum(graph.degree[graph.indices]))
        self._passages = np.diff(ends[graph.indptr])
        self._features = normalised(graph.x) if features else None
        self._spaces = [(np.zeros(n), np.empty(n, np.int32)) for _ in range(self._threads)]

    def batches(self, nodes: npt.NDArray[np.int64]) -> Iterator[tuple[slice, list[Scored]]]:
        """Yield all nodes, some at a time, and their positive scores by each heuristic."""
        most = MOST_NODES if self._features is None else max(1, CELLS // max(1, self._graph.num_nodes))
        total = np.append(0, np.cumsum(self._passages[nodes]))
        low = 0
        while low < len(nodes):
            fitting = int(np.searchsorted(total, total[low] + MOST_PASSAGES, "right")) - 1
            high = min(len(nodes), low + most, max(low + 1, fitting))
            batch = nodes[low:high]
            pagerank = push_pagerank(self._graph, batch, alpha=ALPHA, tolerance=TOLERANCE, threads=self._threads)
            found = [self._allocation(batch), _scored(pagerank.indptr, pagerank.indices, pagerank.values)]
            if self._features is not None:
                found.append(_similar(self._features[batch] @ self._features.T))
            yield slice(low, high), found
            low = high

    def _allocation(self, batch: npt.NDArray[np.int64]) -> Scored:
        graph = self._graph
        starts = np.append(0, np.cumsum(np.minimum(self._passages[batch], graph.num_nodes)))
        nodes, scores = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int64)
        shared, out = (graph.indptr, graph.indices, batch), (starts, nodes, scores)
        parts = zip(self._spaces, split_range(len(batch), self._threads), strict=False)
        counts = np.concatenate(run_all(_allocate, [(*shared, *part, *space, *out) for space, part in parts]))
        filled = np.arange(len(nodes)) < np.repeat(starts[:-1] + counts, np.diff(starts))
        return Scored(np.append(0, np.cumsum(counts)), nodes[filled], scores[filled])


def normalised(x: "npt.NDArray[Any] | scipy.sparse.csr_array") -> "npt.NDArray[np.float64] | scipy.sparse.csr_array":
    """Return features whose rows have length 1, those of zeros excepted."""
    import scipy.sparse

    if isinstance(x, np.ndarray) and np.count_nonzero(x) > x.size // 10:
        length = np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
        return x / np.where(length > 0, length, 1)
    matrix = scipy.sparse.csr_array(x).astype(np.float64)
    length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return scipy.sparse.diags_array(1 / np.where(length > 0, length, 1)).tocsr() @ matrix


def _similar(matrix: "npt.NDArray[np.float64] | scipy.sparse.csr_array") -> Scored:
    if isinstance(matrix, np.ndarray):
        height, width = matrix.shape
        return _scored(np.arange(height + 1) * width, np.tile(np.arange(width), height), matrix.ravel())
    return _scored(matrix.indptr, matrix.indices, matrix.data)


def _scored(
    indptr: npt.NDArray[np.integer[Any]], nodes: npt.NDArray[np.integer[Any]], values: npt.NDArray[np.float64]
) -> Scored:
    """Return scores in units, without those that are not positive."""
    scores = np.rint(values / UNIT).astype(np.int64)
    positive = scores > 0
    kept = np.append(0, np.cumsum(positive))
    return Scored(kept[indptr], nodes[positive].astype(np.int32), scores[positive])
