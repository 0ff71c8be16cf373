"""Mean, maximum, minimum and deviation over the messages of every state, with gradients, in one pass.

The messages of a row are those that a sparse matrix of ones names, and one more: the boundary condition, which is the
query where a node is its own source and 0 elsewhere. Of several equal extremes the first in the row gets the gradient,
the boundary the last. A row is written by one thread, in the backward pass one of the transpose, so that sums are the
same however many threads there are.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import kernel
from edgeorbit._parallel import run_all
from edgeorbit.models.neural.product import Matrix

SMALLEST_VARIANCE = 1e-6  # the original's
WORTH_A_THREAD = 1 << 20  # operations below which another thread costs more than it brings
MEAN, LARGEST, SMALLEST, DEVIATION = range(4)
BOUNDARY = -1  # where an extreme is found, if it is no message of the matrix


@kernel
def _forward(indptr, indices, x, query, is_source, share, out, where, start, stop):
    """Write the statistics of rows `start` to `stop`; `share` is what one message counts in a mean."""
    width = x.shape[1]
    for row in range(start, stop):
        first = indices[indptr[row]]
        for c in range(width):
            value = x[first, c]
            out[row, MEAN, c], out[row, DEVIATION, c] = value, value * value
            out[row, LARGEST, c], out[row, SMALLEST, c] = value, value
            where[row, 0, c], where[row, 1, c] = first, first
        for entry in range(indptr[row] + 1, indptr[row + 1]):
            other = indices[entry]
            for c in range(width):
                value = x[other, c]
                out[row, MEAN, c] += value
                out[row, DEVIATION, c] += value * value
                if value > out[row, LARGEST, c]:
                    out[row, LARGEST, c], where[row, 0, c] = value, other
                if value < out[row, SMALLEST, c]:
                    out[row, SMALLEST, c], where[row, 1, c] = value, other
        for c in range(width):
            value = query[c] if is_source[row] else np.float32(0)
            if value > out[row, LARGEST, c]:
                out[row, LARGEST, c], where[row, 0, c] = value, BOUNDARY
            if value < out[row, SMALLEST, c]:
                out[row, SMALLEST, c], where[row, 1, c] = value, BOUNDARY
            mean = (out[row, MEAN, c] + value) * share[row]
            variance = (out[row, DEVIATION, c] + value * value) * share[row] - mean * mean
            out[row, MEAN, c] = mean
            out[row, DEVIATION, c] = np.sqrt(max(variance, np.float32(SMALLEST_VARIANCE)))


@kernel
def _find_flows(found, gradient, share, flows, start, stop):
    """Write what flows to every message of a row, and what to its double: for the mean and for the deviation."""
    width = found.shape[2]
    least = np.float32(np.sqrt(SMALLEST_VARIANCE))
    for row in range(start, stop):
        for c in range(width):
            deviation, double = found[row, DEVIATION, c], np.float32(0)
            if deviation > least:
                double = gradient[row, DEVIATION, c] / deviation * np.float32(0.5) * share[row]
            flows[row, MEAN, c] = gradient[row, MEAN, c] * share[row] - np.float32(2) * found[row, MEAN, c] * double
            flows[row, LARGEST, c] = gradient[row, LARGEST, c]
            flows[row, SMALLEST, c] = gradient[row, SMALLEST, c]
            flows[row, DEVIATION, c] = double


@kernel
def _backward(indptr, indices, x, flows, where, out, start, stop):
    """Write rows `start` to `stop` of the gradient; the matrix is the transpose."""
    width = x.shape[1]
    for row in range(start, stop):
        for c in range(width):
            out[row, c] = 0
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            for c in range(width):
                flow = flows[other, MEAN, c] + np.float32(2) * x[row, c] * flows[other, DEVIATION, c]
                if where[other, 0, c] == row:
                    flow += flows[other, LARGEST, c]
                if where[other, 1, c] == row:
                    flow += flows[other, SMALLEST, c]
                out[row, c] += flow


class _Statistics(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        matrix: Matrix,
        x: Tensor,
        query: Tensor,
        is_source: npt.NDArray[np.bool_],
        share: npt.NDArray[np.float32],
    ) -> Tensor:
        """Aggregate the rows."""
        values, boundary = x.detach().contiguous().numpy(), query.detach().contiguous().numpy()
        rows, width = matrix.shape[0], values.shape[1]
        found, where = np.empty((rows, 4, width), values.dtype), np.empty((rows, 2, width), np.int32)
        arguments = matrix.indptr, matrix.indices, values, boundary, is_source, share, found, where
        run_all(_forward, [(*arguments, *part) for part in matrix.share_rows(width, WORTH_A_THREAD)])
        ctx.matrix, ctx.is_source, ctx.share, ctx.where = matrix, is_source, share, where
        out = torch.from_numpy(found.reshape(rows, 4 * width))
        ctx.save_for_backward(x, query, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor, Tensor, None, None]:
        """Go back by the transpose."""
        x, query, out = ctx.saved_tensors
        matrix, turned, width = ctx.matrix, ctx.matrix.transposed, x.shape[1]
        found, given = (array.contiguous().numpy().reshape(-1, 4, width) for array in (out, gradient))
        flows = np.empty_like(found)
        parts = matrix.share_rows(width, WORTH_A_THREAD)
        run_all(_find_flows, [(found, given, ctx.share, flows, *part) for part in parts])
        values = x.detach().contiguous().numpy()
        to_x = np.empty_like(values)
        arguments = turned.indptr, turned.indices, values, flows, ctx.where, to_x
        run_all(_backward, [(*arguments, *part) for part in turned.share_rows(width, WORTH_A_THREAD)])
        sources = np.flatnonzero(ctx.is_source)
        at, chosen = flows[sources], ctx.where[sources] == BOUNDARY
        to_query = (at[:, [LARGEST, SMALLEST]] * chosen).sum(axis=(0, 1)) + at[:, MEAN].sum(axis=0)
        to_query += 2 * query.detach().numpy() * at[:, DEVIATION].sum(axis=0)
        return None, torch.from_numpy(to_x), torch.from_numpy(to_query), None, None


def aggregate_rows(
    matrix: Matrix, x: Tensor, query: Tensor, is_source: npt.NDArray[np.bool_], share: npt.NDArray[np.float32]
) -> Tensor:
    """Return mean, maximum, minimum and deviation of the messages of every row, side by side.

    Parameters
    ----------
    matrix
        Ones at the rows of `x` that are messages; no row is empty.
    x
        What is sent.
    query
        The boundary condition at a source; it is 0 elsewhere.
    is_source
        Which rows are those of sources.
    share
        One divided by the number of messages of each row, the boundary condition among them.

    Shapes
    ------
    matrix (n, m), x (m, d), query (d,), is_source (n,), share (n,), result (n, 4 d)

    Examples
    --------
    >>> import scipy.sparse
    >>> matrix = Matrix.from_scipy(scipy.sparse.csr_array([[1, 1, 0], [0, 0, 1]]))
    >>> x, query = torch.tensor([[1.0], [-3.0], [5.0]]), torch.tensor([7.0])
    >>> is_source, share = np.array([False, True]), np.array([1 / 3, 1 / 2], np.float32)
    >>> [[round(value, 3) for value in row] for row in aggregate_rows(matrix, x, query, is_source, share).tolist()]
    [[-0.667, 1.0, -3.0, 1.7], [6.0, 7.0, 5.0, 1.0]]
    """
    found: Tensor = _Statistics.apply(matrix, x, query, is_source, share)
    return found
