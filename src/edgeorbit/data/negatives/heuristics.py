"""Scores of one node with all others, by which hard negatives are chosen: RA, PageRank, similarity of features."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.convert import to_scipy
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pagerank import Rows, push_pagerank

if TYPE_CHECKING:
    import scipy.sparse

ALPHA, TOLERANCE = 0.15, 5e-5  # of PageRank: those of Li et al. 2023
CELLS = 2**22  # scores that are held at a time
UNIT = 2.0**-32  # scores are rounded to this, so that sums in another order are equal

Scored = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # nodes of positive score, and scores in units


class Heuristics:
    """Resource allocation, personalised PageRank and, for graphs with features, their cosine similarity.

    Parameters
    ----------
    graph
        The graph that neighbours are seen in.
    features
        Whether the similarity of features is one of the heuristics.
    """

    def __init__(self, graph: Graph, features: bool) -> None:
        import scipy.sparse

        self._graph = graph
        self._adjacency = to_scipy(graph).astype(np.float64)
        reciprocal = 1 / np.maximum(graph.degree, 1)
        self._by_degree = scipy.sparse.diags_array(reciprocal).tocsr() @ self._adjacency
        self._features = normalised(graph.x) if features else None

    def of(self, nodes: npt.NDArray[np.int64]) -> Iterator[Sequence[Scored]]:
        """Yield for every node its scores by each heuristic; scores that are not positive are left out."""
        size = max(1, CELLS // max(1, self._graph.num_nodes))
        for start in range(0, len(nodes), size):
            batch = nodes[start : start + size]
            pagerank = push_pagerank(self._graph, batch, alpha=ALPHA, tolerance=TOLERANCE)
            matrices = [_rows(self._adjacency[batch] @ self._by_degree), pagerank]
            if self._features is not None:
                matrices.append(_rows(self._features[batch] @ self._features.T))
            for i in range(len(batch)):
                yield [_scored(matrix, i) for matrix in matrices]


def normalised(x: "npt.NDArray[Any] | scipy.sparse.csr_array") -> "npt.NDArray[np.float64] | scipy.sparse.csr_array":
    """Return features whose rows have length 1, those of zeros excepted."""
    import scipy.sparse

    if isinstance(x, np.ndarray) and np.count_nonzero(x) > x.size // 10:
        length = np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
        return x / np.where(length > 0, length, 1)
    matrix = scipy.sparse.csr_array(x).astype(np.float64)
    length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return scipy.sparse.diags_array(1 / np.where(length > 0, length, 1)).tocsr() @ matrix


def _rows(matrix: "npt.NDArray[np.float64] | scipy.sparse.csr_array") -> Rows:
    if isinstance(matrix, np.ndarray):
        height, width = matrix.shape
        return Rows(np.arange(height + 1) * width, np.tile(np.arange(width), height), matrix.ravel())
    return Rows(matrix.indptr, matrix.indices, matrix.data)


def _scored(rows: Rows, row: int) -> Scored:
    here = slice(rows.indptr[row], rows.indptr[row + 1])
    score = np.rint(rows.values[here] / UNIT).astype(np.int64)
    return rows.indices[here][score > 0], score[score > 0]
