"""Rows of a table, each asked for any number of times, with gradients that are added up by row and not scattered."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit.compiled import kernel
from edgeorbit.models.neural.product import Matrix, multiply


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
