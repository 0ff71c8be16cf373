"""Sum, sum of squares, maximum and minimum over the rows of a sparse matrix of ones, with gradients, in one pass.

Of several equal maxima the first in the row gets the gradient. A row is written by one thread, in the backward pass
one of the transpose, so that sums are the same however many threads there are.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgeorbit.compiled import kernel
from edgeorbit.models.neural.product import Matrix
from edgeorbit.parallel import run_all

WORTH_A_THREAD = 1 << 20  # operations below which another thread costs more than it brings


@kernel
def _forward(indptr, indices, x, sums, squares, largest, smallest, where_largest, where_smallest, start, stop):
    width = x.shape[1]
    for row in range(start, stop):
        first = indices[indptr[row]]
        for c in range(width):
            value = x[first, c]
            sums[row, c], squares[row, c] = value, value * value
            largest[row, c], smallest[row, c] = value, value
            where_largest[row, c], where_smallest[row, c] = first, first
        for entry in range(indptr[row] + 1, indptr[row + 1]):
            other = indices[entry]
            for c in range(width):
                value = x[other, c]
                sums[row, c] += value
                squares[row, c] += value * value
                if value > largest[row, c]:
                    largest[row, c], where_largest[row, c] = value, other
                if value < smallest[row, c]:
                    smallest[row, c], where_smallest[row, c] = value, other


@kernel
def _backward(
    indptr,
    indices,
    x,
    to_sums,
    to_squares,
    to_largest,
    to_smallest,
    where_largest,
    where_smallest,
    out,
    start,
    stop,
):
    """Write rows `start` to `stop` of the gradient; the matrix is the transpose."""
    width = x.shape[1]
    for row in range(start, stop):
        for c in range(width):
            out[row, c] = 0
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            for c in range(width):
                flow = to_sums[other, c] + np.float32(2) * x[row, c] * to_squares[other, c]
                if where_largest[other, c] == row:
                    flow += to_largest[other, c]
                if where_smallest[other, c] == row:
                    flow += to_smallest[other, c]
                out[row, c] += flow


class Statistics(NamedTuple):
    """What rows are told of their messages, each of shape (rows, channels)."""

    sums: Tensor
    squares: Tensor
    largest: Tensor
    smallest: Tensor


class _Statistics(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Matrix, x: Tensor) -> tuple[Tensor, ...]:
        """Aggregate the rows."""
        values = x.detach().contiguous().numpy()
        shape = matrix.shape[0], values.shape[1]
        found = [np.empty(shape, np.float32) for _ in range(4)]
        places = [np.empty(shape, np.int32) for _ in range(2)]
        shares = matrix.share_rows(shape[1], WORTH_A_THREAD)
        run_all(_forward, [(matrix.indptr, matrix.indices, values, *found, *places, *part) for part in shares])
        ctx.matrix, ctx.places = matrix, places
        ctx.save_for_backward(x)
        return tuple(torch.from_numpy(array) for array in found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        """Go back by the transpose."""
        (x,) = ctx.saved_tensors
        turned, values = ctx.matrix.transposed, x.detach().contiguous().numpy()
        out = np.empty_like(values)
        flows = [gradient.contiguous().numpy() for gradient in gradients]
        arguments = turned.indptr, turned.indices, values, *flows, *ctx.places, out
        run_all(_backward, [(*arguments, *part) for part in turned.share_rows(values.shape[1], WORTH_A_THREAD)])
        return None, torch.from_numpy(out)


def aggregate_rows(matrix: Matrix, x: Tensor) -> Statistics:
    """Return sum, sum of squares, maximum and minimum of the rows of `x` that every row of the matrix names.

    Parameters
    ----------
    matrix
        Ones; no row is empty.
    x
        What is aggregated.

    Shapes
    ------
    matrix (n, m), x (m, d), results (n, d)

    Examples
    --------
    >>> import scipy.sparse
    >>> matrix = Matrix.from_scipy(scipy.sparse.csr_array([[1, 1, 0], [0, 0, 1]]))
    >>> [part.tolist() for part in aggregate_rows(matrix, torch.tensor([[1.0], [-3.0], [5.0]]))]
    [[[-2.0], [5.0]], [[10.0], [25.0]], [[1.0], [5.0]], [[-3.0], [5.0]]]
    """
    return Statistics(*_Statistics.apply(matrix, x))
