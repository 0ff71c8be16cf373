"""Eigenvectors of the normalised Laplacian: slow waves over a graph, which tell where a node lies in it."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import LimitExceededError
from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph

DENSE = 1000  # nodes up to which all eigenvectors are computed: it takes less than a second, and converges always
TOLERANCE = 1e-4  # of eigenvalues, relative; an encoding needs no more, and it takes a quarter less time (Pubmed)
NEARLY = 1 - 1e-3  # entries of this share of the largest one count as equally large


def laplacian_eigenvectors(graph: Graph, channels: int) -> npt.NDArray[np.float32]:
    """Return the eigenvectors of the smallest positive eigenvalues of `I - D^-1/2 A D^-1/2`.

    The eigenvalue 0 belongs to the components of the graph, one eigenvector each, which tell nothing but the component
    and the degree; they are left out, however many there are.

    Parameters
    ----------
    graph
        The graph.
    channels
        How many eigenvectors; columns are 0 where the graph has fewer.

    Returns
    -------
    float32 array of shape (num_nodes, channels)
        Columns of mean square 1, by ascending eigenvalue. The first node at which a column is (nearly) largest has a
        positive entry. Rows of isolated nodes are 0.

    Raises
    ------
    LimitExceededError
        If the eigenvectors of a large graph do not converge.

    Notes
    -----
    Where an eigenvalue is multiple, as in a graph of identical parts, its eigenvectors are one basis out of many: the
    same in every run, but not the same for every numbering of the nodes.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
    >>> np.abs(laplacian_eigenvectors(path, 1)).ravel().astype(float).round(3).tolist()
    [1.414, 0.0, 1.414, 0.0]
    """
    out = np.zeros((graph.num_nodes, channels), np.float32)
    nodes = np.flatnonzero(graph.degree)  # the others are components of their own
    if not len(nodes):
        return out
    matrix, trivial = _averaging(graph, nodes)
    wanted = min(channels, len(nodes) - trivial.shape[1])
    if wanted == 0:
        return out
    vectors = _leading(matrix, trivial, wanted)
    largest = np.abs(vectors) >= NEARLY * np.abs(vectors).max(axis=0)
    vectors *= np.sign(vectors[largest.argmax(axis=0), np.arange(wanted)])
    out[nodes, :wanted] = vectors * np.sqrt(graph.num_nodes)
    return out


def _averaging(graph: Graph, nodes: npt.NDArray[np.int64]) -> tuple[Any, Any]:
    """Return `D^-1/2 A D^-1/2` for the given nodes, and its eigenvectors of eigenvalue 1: a column per component."""
    import scipy.sparse

    root = np.sqrt(graph.degree[nodes].astype(np.float64))
    adjacency = scipy.sparse.csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr))
    scale = scipy.sparse.diags_array(1 / root)
    matrix = scipy.sparse.csr_array(scale @ adjacency[nodes][:, nodes] @ scale)
    edges = graph.edges
    parts = smallest_members(graph.num_nodes, edges[:, 0].copy(), edges[:, 1].copy())[nodes]
    names, part = np.unique(parts, return_inverse=True)
    length = np.sqrt(np.bincount(part, root**2))
    columns = (root / length[part], (np.arange(len(nodes)), part))
    return matrix, scipy.sparse.csr_array(columns, shape=(len(nodes), len(names)))


def _leading(matrix: Any, trivial: Any, count: int) -> npt.NDArray[np.float64]:
    """Return the eigenvectors of the largest eigenvalues, largest first, without the trivial ones."""
    size = len(matrix.indptr) - 1
    if size <= DENSE or count >= size - 1:
        # The trivial ones are moved to the far end of the spectrum, -2, and so come last.
        dense = matrix.toarray() - 3 * (trivial @ trivial.T).toarray()
        vectors: npt.NDArray[np.float64] = np.linalg.eigh(dense)[1][:, ::-1]
        return vectors[:, :count].copy()
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    across = trivial.T.tocsr()
    moved = LinearOperator((size, size), lambda x: matrix @ x - 3 * (trivial @ (across @ x)), dtype=np.float64)
    start = Random(0, "start of the eigenvectors").uniform(size) - 0.5  # ARPACK's own would be drawn anew every time
    try:
        values, vectors = eigsh(moved, count, which="LA", v0=start, ncv=min(size, 2 * count + 20), tol=TOLERANCE)
    except ArpackNoConvergence:
        raise LimitExceededError(
            f"{count} eigenvectors of a graph of {size} nodes with edges did not converge; take fewer encoding_channels"
        ) from None
    return vectors[:, np.argsort(-values, kind="stable")].copy()
