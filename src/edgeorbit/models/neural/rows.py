"""Rows of a tensor, with gradients: summed over lists of numbers, and gathered, each any number of times."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from edgeorbit._compiled import kernel
from edgeorbit.models.neural import device
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.pairwise.aggregation import aggregate


def sum_rows(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    x: Tensor,
    weights: npt.NDArray[np.float32] | None = None,
) -> Tensor:
    """Return for every list the sum of the rows of `x` that it names, times their weights if there are any.

    Parameters
    ----------
    indptr, indices
        Lists of row numbers in CSR form.
    x
        The rows; gradients flow to them.
    weights
        For every entry of the lists.

    Examples
    --------
    >>> x = torch.tensor([[1.0], [10.0], [100.0]])
    >>> sum_rows(np.array([0, 2, 2]), np.array([0, 2], np.int32), x).tolist()
    [[101.0], [0.0]]
    """
    if device.on_cpu(x):
        return aggregate(indptr, indices, x, weights)
    return multiply(Matrix.of_lists(indptr, indices, weights, len(x)), x)


class _SegmentSums(torch.autograd.Function):
    """Sums of rows that follow each other; the gradient of a sum is that of each of its rows."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, offsets: Tensor, segment: Tensor) -> Tensor:
        ctx.save_for_backward(segment)
        numbers = torch.arange(len(rows), device=rows.device, dtype=offsets.dtype)
        return embedding_bag(numbers, rows.contiguous(), offsets, mode="sum", include_last_offset=True)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (segment,) = ctx.saved_tensors
        return gradient[segment], None, None


def sum_segments(rows: Tensor, offsets: Tensor, segment: Tensor) -> Tensor:
    """Return the sums of segments of rows, in an order that is the same in every run.

    Parameters
    ----------
    rows
        Of shape (n, d); gradients flow to them.
    offsets
        Where each of k segments starts and, at the end, n.
    segment
        For every row the number of its segment.

    Examples
    --------
    >>> rows = torch.tensor([[1.0], [2.0], [4.0]])
    >>> sum_segments(rows, torch.tensor([0, 2, 2, 3]), torch.tensor([0, 0, 2])).tolist()
    [[3.0], [0.0], [4.0]]
    """
    if len(rows) == 0:
        return rows.new_zeros(len(offsets) - 1, rows.shape[1])
    sums: Tensor = _SegmentSums.apply(rows, offsets, segment)
    return sums


@kernel
def _group(rows, starts, order):
    """List the places of each number together, ascending; those of number i begin at `starts[i]`."""
    for row in rows:
        starts[row + 2] += 1
    for i in range(2, len(starts)):
        starts[i] += starts[i - 1]
    for place in range(len(rows)):
        row = rows[place]
        order[starts[row + 1]] = place
        starts[row + 1] += 1


def gather(table: Tensor, rows: npt.NDArray[np.int32]) -> Tensor:
    """Return rows of a table, of which each may be asked for many times; their gradients are added by row.

    Shapes
    ------
    table (m, d), rows (n,), result (n, d)

    Examples
    --------
    >>> gather(torch.tensor([[1.0], [2.0]]), np.array([1, 0, 1], np.int32)).tolist()
    [[2.0], [1.0], [2.0]]
    """
    if not (table.requires_grad and torch.is_grad_enabled()):
        return table.index_select(0, torch.tensor(rows))
    starts, order = np.zeros(len(table) + 2, np.int64), np.empty(len(rows), np.int32)
    _group(rows, starts, order)
    back = Matrix(starts[:-1], order, None, len(rows))
    return multiply(Matrix(np.arange(len(rows) + 1), rows, None, len(table), back), table)
