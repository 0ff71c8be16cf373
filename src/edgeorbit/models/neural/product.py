"""Sparse times dense, with gradients: what messages are passed with.

PyTorch's own product of a CSR matrix transposes the matrix anew in every backward pass, and scattering over edges
writes a message for each of them. Here both directions are one pass over CSR arrays, row by row, on all threads.

On other devices than the processor `embedding_bag` does the same: no message is written, and every row is added up in
order, so that a product is the same in every run, which sums by atomic additions are not.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit.models.neural import device
from edgeorbit.pairwise.pairs import share_work

WORTH_A_THREAD = 1 << 22  # multiplications below which another thread costs more than it brings


@kernel
def _multiply(indptr, indices, values, dense, out, start, stop):
    """Write rows `start` to `stop` of the product; without values, all entries are ones."""
    width = dense.shape[1]
    for row in range(start, stop):
        for column in range(width):
            out[row, column] = 0
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            if len(values) > 0:
                value = values[entry]
                for column in range(width):
                    out[row, column] += value * dense[other, column]
            else:
                for column in range(width):
                    out[row, column] += dense[other, column]


class Matrix:
    """A sparse matrix and its transpose, as CSR arrays.

    Parameters
    ----------
    indptr, indices, values
        The rows; `values` may be None, for ones.
    num_columns
        Number of columns.
    transposed
        The same for the transpose; by default the matrix is symmetric.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        values: npt.NDArray[np.float32] | None,
        num_columns: int,
        transposed: "Matrix | None" = None,
    ) -> None:
        self.indptr, self.indices = _read_only(indptr), _read_only(indices)
        self.values = _read_only(np.empty(0, np.float32) if values is None else values)
        self.shape = len(indptr) - 1, num_columns
        self.transposed = self if transposed is None else transposed
        self._placed: dict[torch.device, tuple[Tensor, Tensor]] = {}
        self._placed_values: dict[torch.device, Tensor] = {}

    @classmethod
    def from_scipy(cls, matrix: Any) -> "Matrix":
        """Take over a scipy sparse matrix, and transpose it once."""
        rows, columns = matrix.tocsr(), matrix.T.tocsr()
        found, turned = (
            cls(one.indptr.astype(np.int64), one.indices.astype(np.int32), one.data.astype(np.float32), one.shape[1])
            for one in (rows, columns)
        )
        found.transposed, turned.transposed = turned, found
        return found

    @classmethod
    def of_lists(
        cls,
        indptr: npt.NDArray[np.integer[Any]],
        indices: npt.NDArray[np.integer[Any]],
        values: npt.NDArray[np.floating[Any]] | None,
        num_columns: int,
    ) -> "Matrix":
        """Take over the arrays of a matrix that is not symmetric, and transpose it once."""
        import scipy.sparse

        held = np.ones(len(indices), np.float32) if values is None else values
        return cls.from_scipy(scipy.sparse.csr_array((held, indices, indptr), shape=(len(indptr) - 1, num_columns)))

    def with_values(self, values: npt.NDArray[np.float32]) -> "Matrix":
        """Return the matrix with other values of its entries."""
        turned = self.transposed
        found = Matrix(self.indptr, self.indices, values, self.shape[1])
        found.transposed = Matrix(turned.indptr, turned.indices, values[self._transposing], self.shape[0], found)
        found._placed, found.transposed._placed = self._placed, turned._placed  # where entries are stays the same
        return found

    @cached_property
    def _transposing(self) -> npt.NDArray[np.int64]:
        """For every entry of the transpose, where it is in this matrix."""
        import scipy.sparse

        numbers = np.arange(len(self.indices))
        found: npt.NDArray[np.int64] = (
            scipy.sparse.csr_array((numbers, self.indices, self.indptr), shape=self.shape).tocsc().data
        )
        return found

    def multiply(self, dense: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
        """Return the product with a dense matrix, of its type."""
        out = np.empty((self.shape[0], dense.shape[1]), dense.dtype)
        arguments = self.indptr, self.indices, self.values, dense, out
        run_all(_multiply, [(*arguments, *rows) for rows in self.share_rows(dense.shape[1], WORTH_A_THREAD)])
        return out

    def multiply_placed(self, dense: Tensor) -> Tensor:
        """Return the product with a dense matrix on its device, where the entries are kept for the next product."""
        if len(self.indices) == 0:
            return dense.new_zeros(self.shape[0], dense.shape[1])
        offsets, columns = self.placed(dense)
        values = None
        if len(self.values):
            if dense.device not in self._placed_values:
                self._placed_values[dense.device] = _as_tensor(self.values, dense)
            values = self._placed_values[dense.device].to(dense.dtype)
        return embedding_bag(
            columns, dense.contiguous(), offsets, mode="sum", include_last_offset=True, per_sample_weights=values
        )

    def placed(self, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return where rows start and the columns of entries, where a tensor is."""
        if like.device not in self._placed:
            kind = np.int32 if len(self.indices) < 2**31 else np.int64  # `embedding_bag` wants one type for both
            arrays = (array.astype(kind, copy=False) for array in (self.indptr, self.indices))
            offsets, columns = (_as_tensor(array, like) for array in arrays)
            self._placed[like.device] = offsets, columns
        return self._placed[like.device]

    def share_rows(self, width: int, worth_a_thread: int) -> list[tuple[int, int]]:
        """Return ranges of rows, one for each thread, if every entry takes `width` operations.

        Each has about as many entries and rows, so that neither hubs nor isolated nodes delay one thread.
        """
        wanted = 1 + len(self.indices) * width // worth_a_thread
        threads = min(resolve_threads(torch.get_num_threads()), wanted)
        return share_work(self.indptr + np.arange(len(self.indptr)), threads)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written, as those of a graph: a kernel is compiled for one sort of array only."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _as_tensor(array: npt.NDArray[Any], like: Tensor) -> Tensor:
    return torch.tensor(array, device=like.device)  # a copy: PyTorch warns of arrays that cannot be written


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Matrix, dense: Tensor) -> Tensor:
        ctx.matrix = matrix
        return torch.from_numpy(matrix.multiply(dense.detach().contiguous().numpy()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        return None, torch.from_numpy(ctx.matrix.transposed.multiply(gradient.contiguous().numpy()))


class _PlacedProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Matrix, dense: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix.multiply_placed(dense)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        return None, ctx.matrix.transposed.multiply_placed(gradient)


def multiply(matrix: Matrix, dense: Tensor) -> Tensor:
    """Return the product of a sparse and a dense matrix; gradients go to the dense one.

    Shapes
    ------
    matrix (n, m), dense (m, d), result (n, d)

    Examples
    --------
    >>> import scipy.sparse
    >>> multiply(Matrix.from_scipy(scipy.sparse.eye_array(2, 3)), torch.ones(3, 1)).tolist()
    [[1.0], [1.0]]
    """
    product: Tensor = (_Product if device.on_cpu(dense) else _PlacedProduct).apply(matrix, dense)
    return product
