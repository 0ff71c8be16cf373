"""Sparse times dense, with gradients: what messages are passed with.

PyTorch's own product of a CSR matrix transposes the matrix anew in every backward pass, and scattering over edges
writes a message for each of them. Here both directions are one pass over CSR arrays, row by row, on all threads.

On other devices than the CPU `embedding_bag` does the same: no message is written, and every row is added up in
order, so that a product is the same in every run, which sums by atomic additions are not.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit.models.neural import device
from edgeorbit.pairwise.pairs import share_work

WORTH_A_THREAD = 1 << 22  # multiplications below which another thread costs more than it brings


@kernel
def _multiply(indptr, indices, values, left, right, own, dense, out, start, stop):
    """Write rows `start` to `stop` of the product; without values, all entries are ones.

    With factors, the entry of row i and column j is multiplied by `left[i] * right[j]`. The first `own` rows have a
    one on the diagonal beside their entries.
    """
    width = dense.shape[1]
    for row in range(start, stop):
        target = out[row]
        for column in range(width):
            target[column] = 0
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            given = dense[other]
            if len(values) > 0 and len(right) > 0:
                _add(given, values[entry] * right[other], target)
            elif len(values) > 0:
                _add(given, values[entry], target)
            elif len(right) > 0:
                _add(given, right[other], target)
            else:
                for column in range(width):
                    target[column] += given[column]
        if row < own:
            _add(dense[row], right[row] if len(right) > 0 else 1, target)
        if len(left) > 0:
            factor = left[row]
            for column in range(width):
                target[column] *= factor


@inlined
def _add(given, weight, target):
    for column in range(len(target)):
        target[column] += weight * given[column]


@kernel
def _select(indptr, indices, values, rows, place, new_indptr, new_indices, new_values, start, stop):
    """Copy the given rows `start` to `stop`; with places, columns are renumbered."""
    for number in range(start, stop):
        end = new_indptr[number]
        for entry in range(indptr[rows[number]], indptr[rows[number] + 1]):
            new_indices[end] = place[indices[entry]] if len(place) > 0 else indices[entry]
            if len(values) > 0:
                new_values[end] = values[entry]
            end += 1


@kernel
def _transpose(indptr, indices, values, turned, rows, new_values):
    """Write the transpose, whose rows' entries are ascending; `turned`, two longer than its rows, is all 0 before."""
    for column in indices:
        turned[column + 2] += 1
    for i in range(2, len(turned)):
        turned[i] += turned[i - 1]
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            at = turned[indices[entry] + 1]
            rows[at] = row
            if len(values) > 0:
                new_values[at] = values[entry]
            turned[indices[entry] + 1] = at + 1


class Matrix:
    """A sparse matrix and its transpose, as CSR arrays.

    Parameters
    ----------
    indptr, indices, values
        The rows; `values` may be None, for ones.
    num_columns
        Number of columns.
    transposed
        The same for the transpose; if it is not given, a symmetric matrix is its own.
    symmetric
        Whether the matrix is symmetric; if it is not, its transpose is made when it is needed.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        values: npt.NDArray[np.float32] | None,
        num_columns: int,
        transposed: "Matrix | None" = None,
        *,
        symmetric: bool = True,
    ) -> None:
        self.indptr, self.indices = _read_only(indptr), _read_only(indices)
        self.values = _read_only(np.empty(0, np.float32) if values is None else values)
        self.shape = len(indptr) - 1, num_columns
        self._transposed = self if transposed is None and symmetric else transposed
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
        found._transposed, turned._transposed = turned, found
        return found

    @property
    def transposed(self) -> "Matrix":
        """The transpose."""
        if self._transposed is None:
            turned, rows = np.zeros(self.shape[1] + 2, np.int64), np.empty(len(self.indices), np.int32)
            values = np.empty_like(self.values)
            _transpose(self.indptr, self.indices, self.values, turned, rows, values)
            self._transposed = Matrix(turned[:-1], rows, values if len(values) else None, self.shape[0], self)
        return self._transposed

    def head(self, num_rows: int, num_columns: int) -> "Matrix":
        """Return the first rows, whose entries lie in the first columns; nothing is copied."""
        end = self.indptr[num_rows]
        values = self.values[:end] if len(self.values) else None
        return Matrix(self.indptr[: num_rows + 1], self.indices[:end], values, num_columns, symmetric=False)

    def select(
        self, rows: npt.NDArray[np.int32], place: npt.NDArray[np.int32] | None = None, num_columns: int | None = None
    ) -> "Matrix":
        """Return the given rows; with a place for every column, columns are renumbered."""
        lengths = self.indptr[rows + np.int64(1)] - self.indptr[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.empty(indptr[-1], np.int32)
        values = np.empty(indptr[-1] if len(self.values) else 0, np.float32)
        place = np.empty(0, np.int32) if place is None else place
        threads = min(resolve_threads(torch.get_num_threads()), 1 + len(indices) // (WORTH_A_THREAD >> 4))
        arguments = self.indptr, self.indices, self.values, rows, place, indptr, indices, values
        run_all(_select, [(*arguments, *part) for part in share_work(indptr + np.arange(len(indptr)), threads)])
        columns = self.shape[1] if num_columns is None else num_columns
        return Matrix(indptr, indices, values if len(self.values) else None, columns, symmetric=False)

    def with_values(self, values: npt.NDArray[np.float32]) -> "Matrix":
        """Return the matrix with other values of its entries."""
        turned = self.transposed
        found = Matrix(self.indptr, self.indices, values, self.shape[1])
        back = Matrix(turned.indptr, turned.indices, values[self._transposing], self.shape[0], found)
        found._transposed, found._placed, back._placed = (
            back,
            self._placed,
            turned._placed,
        )  # entries stay where they are
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

    def multiply(
        self,
        dense: npt.NDArray[np.floating[Any]],
        left: npt.NDArray[np.floating[Any]] | None = None,
        right: npt.NDArray[np.floating[Any]] | None = None,
        own: int = 0,
    ) -> npt.NDArray[np.floating[Any]]:
        """Return the product with a dense matrix, of its type; `scaled_product` has the factors and `own`."""
        out, nothing = np.empty((self.shape[0], dense.shape[1]), dense.dtype), np.empty(0, dense.dtype)
        factors = [nothing if given is None else given for given in (left, right)]
        arguments = self.indptr, self.indices, self.values, *factors, own, dense, out
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
    def forward(ctx: Any, matrix: Matrix, dense: Tensor, left: Tensor | None, right: Tensor | None, own: int) -> Tensor:
        before, after = _factors(left, dense), _factors(right, dense)
        ctx.matrix, ctx.factors, ctx.own = matrix, (before, after), own
        return torch.from_numpy(matrix.multiply(dense.detach().contiguous().numpy(), before, after, own))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor, None, None, None]:
        left, right = ctx.factors
        turned = ctx.matrix.transposed
        return (
            None,
            torch.from_numpy(turned.multiply(gradient.contiguous().numpy(), right, left, ctx.own)),
            None,
            None,
            None,
        )


def _factors(given: Tensor | None, dense: Tensor) -> npt.NDArray[np.floating[Any]] | None:
    """Return factors as an array of the type of what they are multiplied with."""
    return None if given is None else given.detach().to(dense.dtype).contiguous().numpy().reshape(-1)


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
    return scaled_product(matrix, dense)


def scaled_product(
    matrix: Matrix, dense: Tensor, left: Tensor | None = None, right: Tensor | None = None, *, own: bool = False
) -> Tensor:
    """Return `diag(left) (M + I) diag(right) X` in one pass; gradients go to X.

    Parameters
    ----------
    matrix
        M; node i is row i and column i, and there may be more columns than rows.
    dense
        X.
    left, right
        Factors of the rows and of the columns, or None for ones; longer ones are cut.
    own
        Whether there is an `I`, of ones on the diagonal.

    Shapes
    ------
    matrix (n, m), dense (m, d), left (n, 1), right (m, 1), result (n, d)

    Examples
    --------
    >>> import scipy.sparse
    >>> edge = Matrix.from_scipy(scipy.sparse.csr_array([[0, 1], [1, 0]]))
    >>> scaled_product(edge, torch.tensor([[1.0], [3.0]]), torch.tensor([[1.0], [0.5]]), own=True).tolist()
    [[4.0], [2.0]]
    """
    num_rows = matrix.shape[0]
    left = None if left is None else left[:num_rows]
    if device.on_cpu(dense):
        product: Tensor = _Product.apply(matrix, dense, left, right, num_rows if own else 0)
        return product
    scaled = dense if right is None else right * dense
    sums: Tensor = _PlacedProduct.apply(matrix, scaled)
    sums = sums + scaled[:num_rows] if own else sums
    return sums if left is None else left * sums
