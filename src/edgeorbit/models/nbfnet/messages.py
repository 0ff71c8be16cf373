"""One iteration of the neural Bellman-Ford algorithm, and the kernels that aggregate its messages, with gradients.

The messages of a row are those that a sparse matrix of ones names, and one more: the boundary condition, which is the
query where a node is its own source and 0 elsewhere. Of several equal extremes the first in the row gets the gradient,
the boundary the last. A row is written by one thread, in the backward pass one of the transpose, so that sums are the
same for any number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import gather

AGGREGATES = ("pna", "sum")
SMALLEST_VARIANCE = 1e-6  # the original's
WORTH_A_THREAD = 1 << 20  # operations below which another thread costs more than it brings
MEAN, LARGEST, SMALLEST, DEVIATION = range(4)
BOUNDARY = -1  # where an extreme is found, if it is no message of the matrix
SMALLEST_SCALE = 1e-2  # the original's, of what is divided by
ROWS_PER_THREAD = 20_000  # below this a second thread costs more than it saves


class Messages(NamedTuple):
    """Which nodes send messages to which in an iteration, and what else they need.

    Attributes
    ----------
    matrix : Matrix
        For every state after the iteration, ones at the states before it of the node itself and of its neighbours.
    own : int32 array or None
        For every state, that of the same node before; None if they stand in the same order.
    share : float32 array
        For every state, one divided by the number of its messages, that of the boundary condition among them.
    scale : float32 array
        The logarithm of that number, divided by its mean over all nodes.
    is_source : bool array
        For every state, whether its node is its source.
    """

    matrix: Matrix
    own: npt.NDArray[np.int32] | None
    share: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    is_source: npt.NDArray[np.bool_]


class BellmanFordLayer(nn.Module):
    """Aggregates messages `h_j * r` of a node and its neighbours, and the boundary condition, and maps them.

    The boundary condition is the query at the source, and 0 elsewhere. `pna` aggregates by mean, maximum, minimum and
    deviation, each of them plain, times the logarithm of the degree, and divided by it.

    Parameters
    ----------
    channels
        Width of the states.
    aggregate
        `pna` or `sum`.
    layer_norm, shortcut
        Whether the result is normalised, and whether the state before is added to it.
    """

    def __init__(self, channels: int, aggregate: str, layer_norm: bool, shortcut: bool) -> None:
        super().__init__()
        self.channels, self.aggregate, self.shortcut = channels, aggregate, shortcut
        self.relation = nn.Parameter(torch.randn(channels))
        self.linear = nn.Linear(channels * (13 if aggregate == "pna" else 2), channels)
        self.norm = nn.LayerNorm(channels) if layer_norm else nn.Identity()

    def forward(self, before: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map states of shape (columns, channels) to states of shape (rows, channels)."""
        own = before if messages.own is None else gather(before, messages.own)
        make = self.map_statistics if self.aggregate == "pna" else self.map_sum
        hidden: Tensor = torch.relu(self.norm(make(before * self.relation, own, messages, query)))
        return hidden + own if self.shortcut else hidden

    def map_sum(self, sent: Tensor, own: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map the state of a node and the sum of its messages."""
        boundary = torch.outer(torch.from_numpy(messages.is_source).to(query.dtype), query)
        mapped: Tensor = self.linear(torch.cat([own, multiply(messages.matrix, sent) + boundary], dim=1))
        return mapped

    def map_statistics(self, sent: Tensor, own: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map the state of a node and twelve statistics of its messages.

        The three scales are applied after the linear map, to a quarter of the numbers.
        """
        found = aggregate_rows(messages.matrix, sent, query, messages.is_source, messages.share)
        to_own, *to_scales = self.linear.weight.split([self.channels, *[4 * self.channels] * 3], dim=1)
        mapped = found @ torch.cat(to_scales).T
        return add_scales(torch.addmm(self.linear.bias, own, to_own.T), mapped, messages.scale)


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


@kernel
def _add(base, mapped, scale, out, start, stop):
    width = base.shape[1]
    for row in range(start, stop):
        times, over = scale[row], np.float32(1) / max(scale[row], np.float32(SMALLEST_SCALE))
        for c in range(width):
            scaled = times * mapped[row, width + c] + over * mapped[row, 2 * width + c]
            out[row, c] = base[row, c] + mapped[row, c] + scaled


@kernel
def _spread(gradient, scale, out, start, stop):
    width = gradient.shape[1]
    for row in range(start, stop):
        times, over = scale[row], np.float32(1) / max(scale[row], np.float32(SMALLEST_SCALE))
        for c in range(width):
            out[row, c] = gradient[row, c]
        for c in range(width):
            out[row, width + c] = times * gradient[row, c]
        for c in range(width):
            out[row, 2 * width + c] = over * gradient[row, c]


class _Scales(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, base: Tensor, mapped: Tensor, scale: npt.NDArray[np.float32]) -> Tensor:
        """Add them up."""
        given = base.detach().contiguous().numpy(), mapped.detach().contiguous().numpy()
        ctx.scale, out = scale, np.empty_like(given[0])
        run_all(_add, [(*given, scale, out, *part) for part in _parts(len(out))])
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        """Scale what flows back."""
        given = gradient.contiguous().numpy()
        out = np.empty((len(given), 3 * given.shape[1]), given.dtype)
        run_all(_spread, [(given, ctx.scale, out, *part) for part in _parts(len(out))])
        return gradient, torch.from_numpy(out), None


def _parts(rows: int) -> list[tuple[int, int]]:
    return split_range(rows, min(resolve_threads(torch.get_num_threads()), 1 + rows // ROWS_PER_THREAD))


def add_scales(base: Tensor, mapped: Tensor, scale: npt.NDArray[np.float32]) -> Tensor:
    """Return `base` plus the first third of the columns of `mapped`, the second times `scale`, the last divided by it.

    Shapes
    ------
    base (n, d), mapped (n, 3 d), scale (n,), result (n, d)

    Examples
    --------
    >>> base, mapped = torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0, 20.0, 30.0], [10.0, 20.0, 30.0]])
    >>> add_scales(base, mapped, np.array([1, 2], np.float32)).tolist()
    [[61.0], [67.0]]
    """
    out: Tensor = _Scales.apply(base, mapped, scale)
    return out
