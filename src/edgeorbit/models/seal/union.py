"""The disjoint union of subgraphs, ready for messages: its normalised adjacency, and what its nodes begin with."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.models.neural.inputs import Features
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import gather
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs

NODES_PER_THREAD = 50_000  # below this a second thread costs more than it saves


@kernel
def _normalise(indptr, indices, new_indptr, new_indices, values, start, stop):
    """Write rows `start` to `stop` of `D^-1/2 (A + I) D^-1/2`; the first entry of each is its own."""
    for row in range(start, stop):
        at = indptr[row] + row
        new_indptr[row + 1] = indptr[row + 1] + row + 1
        degree = indptr[row + 1] - indptr[row] + 1
        new_indices[at] = row
        values[at] = 1.0 / degree
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            at += 1
            new_indices[at] = other
            values[at] = 1.0 / np.sqrt(degree * (indptr[other + 1] - indptr[other] + 1.0))


def normalised_adjacency(subgraphs: Subgraphs) -> Matrix:
    """Return the matrix that a graph convolution averages by: `D^-1/2 (A + I) D^-1/2`, D the degrees with the loop."""
    size, entries = len(subgraphs.nodes), len(subgraphs.indices) + len(subgraphs.nodes)
    indptr, indices = np.zeros(size + 1, np.int64), np.empty(entries, np.int32)
    values = np.empty(entries, np.float32)
    parts = min(resolve_threads(torch.get_num_threads()), 1 + size // NODES_PER_THREAD)
    arrays = subgraphs.indptr, subgraphs.indices, indptr, indices, values
    run_all(_normalise, [(*arrays, start, stop) for start, stop in split_range(size, parts)])
    return Matrix(indptr, indices, values, size)


def project_features(x: Features, weight: Tensor, nodes: npt.NDArray[np.int32]) -> Tensor:
    """Return `x[nodes] @ weight.T`, where nodes may repeat, without a product for what is not asked for.

    Shapes
    ------
    x (m, f), weight (d, f), nodes (n,), result (n, d)
    """
    asked = np.zeros(x.shape[0], bool)
    asked[nodes] = True
    used = np.flatnonzero(asked)
    if 2 * len(used) < x.shape[0]:
        number = np.empty(x.shape[0], np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        x, nodes = _take_rows(x, used), number[nodes]
    dense = multiply(x, weight.T.contiguous()) if isinstance(x, Matrix) else x @ weight.T
    return gather(dense, nodes)


def _take_rows(x: Features, rows: npt.NDArray[np.int64]) -> Features:
    if not isinstance(x, Matrix):
        return x[torch.from_numpy(rows)]
    import scipy.sparse

    values = x.values if len(x.values) else np.ones(len(x.indices), np.float32)
    return Matrix.from_scipy(scipy.sparse.csr_array((values, x.indices, x.indptr), shape=x.shape)[rows])
