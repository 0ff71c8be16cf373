"""Rows of a tensor, with gradients: summed over lists of numbers, and gathered, each any number of times."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding_bag

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.neural import device
from edgeorbit.models.neural.product import Matrix, multiply

WORK_PER_THREAD = 1 << 22  # additions; below this a second thread costs more than it saves


@kernel
def _add_rows(indptr, indices, weights, given, out):
    """Add row i of `given` to every row of `out` that list i names, times its weight if there are weights."""
    width = given.shape[1]
    for i in range(len(indptr) - 1):
        row = given[i]
        for entry in range(indptr[i], indptr[i + 1]):
            target = out[indices[entry]]
            if len(weights) > 0:
                weight = weights[entry]
                for column in range(width):
                    target[column] += weight * row[column]
            else:
                for column in range(width):
                    target[column] += row[column]


class _Lists(NamedTuple):
    """Lists of row numbers below `num_rows` in CSR form; without weights, all are ones."""

    indptr: npt.NDArray[np.integer[Any]]
    indices: npt.NDArray[np.integer[Any]]
    weights: npt.NDArray[np.floating[Any]] | None
    num_rows: int

    def sum_rows(self, x: Tensor) -> Tensor:
        """Return for every list the sum of its rows; this takes half the time of a sparse matrix product."""
        if len(self.indices) == 0:
            return x.new_zeros(len(self.indptr) - 1, x.shape[1])
        kind = np.int32 if len(self.indices) < 2**31 else np.int64  # the kernel wants one type for both
        lists = (self.indptr.astype(kind, copy=False), self.indices.astype(kind, copy=False))
        offsets, rows = (torch.from_numpy(part) for part in lists)
        weights = None if self.weights is None else torch.from_numpy(self.weights).to(x.dtype)
        return embedding_bag(
            rows, x.contiguous(), offsets, mode="sum", include_last_offset=True, per_sample_weights=weights
        )

    def give_back(self, gradient: Tensor) -> Tensor:
        """Return for every row the sum of the gradients of the lists that it is in."""
        given = gradient.detach().numpy()
        work = len(self.indices) * given.shape[1]
        parts = max(1, min(resolve_threads(torch.get_num_threads()), work // WORK_PER_THREAD, given.shape[1] // 16))
        # Every thread takes some columns of all lists: none waits for another, and sums are added in one order.
        columns = [np.ascontiguousarray(given[:, low:high]) for low, high in split_range(given.shape[1], parts)]
        sums = [np.zeros((self.num_rows, part.shape[1]), part.dtype) for part in columns]
        weights = np.empty(0, given.dtype) if self.weights is None else self.weights.astype(given.dtype, copy=False)
        lists = self.indptr, self.indices, weights
        run_all(_add_rows, [(*lists, *both) for both in zip(columns, sums, strict=True)])
        return torch.from_numpy(np.concatenate(sums, axis=1))


class _SumRows(torch.autograd.Function):
    """The sums and their gradient.

    The gradient of `embedding_bag` itself takes some twenty times as long.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, lists: _Lists) -> Tensor:
        """Sum the rows."""
        ctx.lists = lists
        return lists.sum_rows(x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """Sum the gradients of the lists."""
        return ctx.lists.give_back(gradient), None


def sum_rows(
    indptr: npt.NDArray[np.integer[Any]],
    indices: npt.NDArray[np.integer[Any]],
    x: Tensor,
    weights: npt.NDArray[np.floating[Any]] | None = None,
) -> Tensor:
    """Return for every list the sum of the rows of `x` that it names, times their weights if there are any.

    Parameters
    ----------
    indptr, indices : integer arrays
        Lists of row numbers in CSR form, as `edgeorbit.pairwise.common_neighbours.common_neighbours` returns them.
    x : floating tensor of shape (num_rows, channels)
        The rows, on any device; gradients flow to them.
    weights : floating array as long as `indices`, optional
        What each row is multiplied by; gradients do not flow to it.

    Returns
    -------
    Tensor of shape (number of lists, channels)
        The sums; zeros for an empty list.

    Raises
    ------
    InvalidParameterError
        If `x` is no matrix, or has no row for some number of the lists, or there is not one weight for each entry.

    Examples
    --------
    >>> x = torch.tensor([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    >>> sum_rows(np.array([0, 2, 2]), np.array([0, 2]), x).tolist()
    [[101.0, 202.0], [0.0, 0.0]]
    >>> sum_rows(np.array([0, 2, 2]), np.array([0, 2]), x, np.array([1.0, 0.5])).tolist()
    [[51.0, 102.0], [0.0, 0.0]]
    """
    if x.dim() != 2:
        raise InvalidParameterError(f"x has shape {tuple(x.shape)}; give a row per node, shape (num_nodes, channels)")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(x):
        raise InvalidParameterError(
            f"lists name nodes from {indices.min()} to {indices.max()}, and x has {len(x)} rows; give a row per node"
        )
    if weights is not None and weights.shape != indices.shape:
        raise InvalidParameterError(
            f"weights have shape {weights.shape} and lists {indices.shape}; give a weight for each entry"
        )
    if not device.on_cpu(x):
        lists = indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False)
        values = None if weights is None else weights.astype(np.float32, copy=False)
        return multiply(Matrix(*lists, values, len(x), symmetric=False), x)
    sums: Tensor = _SumRows.apply(x, _Lists(indptr, indices, weights, len(x)))
    return sums


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
        return table.index_select(0, torch.tensor(rows, device=table.device))
    starts, order = np.zeros(len(table) + 2, np.int64), np.empty(len(rows), np.int32)
    _group(rows, starts, order)
    back = Matrix(starts[:-1], order, None, len(rows))
    return multiply(Matrix(np.arange(len(rows) + 1), rows, None, len(table), back), table)


@kernel
def _add_to(out, rows, given, start, stop):
    for i in range(start, stop):
        target, row = out[rows[i]], given[i]
        for column in range(len(row)):
            target[column] += row[column]


def add_to_rows(out: Tensor, rows: npt.NDArray[np.int32], given: Tensor) -> None:
    """Add to different rows of a tensor, in place.

    >>> out = torch.zeros(3, 1)
    >>> add_to_rows(out, np.array([2, 0], np.int32), torch.tensor([[1.0], [2.0]]))
    >>> out.tolist()
    [[2.0], [0.0], [1.0]]
    """
    if not device.on_cpu(out):
        out.index_add_(0, device.place(rows, out), given)
        return
    parts = min(resolve_threads(torch.get_num_threads()), 1 + given.numel() // WORK_PER_THREAD)
    arguments = out.numpy(), rows, given.contiguous().numpy()
    run_all(_add_to, [(*arguments, *part) for part in split_range(len(rows), parts)])
