"""Attention over neighbours, with gradients: what GAT passes messages with.

Coefficients of edges are never stored: both directions are computed row by row from two numbers per node and head, and
in the backward pass again from the largest logit and the sum of every row. So memory is that of the embeddings however
many edges there are, and a row is written by one thread, so that sums are the same however many threads there are.

On other devices than the processor PyTorch does it, which does store them, and a message for every edge.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from edgeorbit.compiled import inlined, kernel
from edgeorbit.models.neural import device
from edgeorbit.models.neural.inner_product import LANES, inner_product
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.neural.row_sums import sum_segments
from edgeorbit.parallel import run_all

WORTH_A_THREAD = 1 << 20  # multiplications below which another thread costs more than it brings


@inlined
def _logit(source, target, slope):
    logit = source + target
    return logit if logit > 0 else slope * logit


@kernel
def _forward(indptr, indices, x, source, target, slope, out, largest, total, start, stop):
    """Write rows `start` to `stop` of the weighted means, and the largest logit and the sum of each row."""
    heads = source.shape[1]
    width = x.shape[1] // heads
    for row in range(start, stop):
        for head in range(heads):
            top = _logit(source[row, head], target[row, head], slope)
            for entry in range(indptr[row], indptr[row + 1]):
                top = max(top, _logit(source[indices[entry], head], target[row, head], slope))
            mean = out[row, head * width : (head + 1) * width]
            weight = np.exp(_logit(source[row, head], target[row, head], slope) - top)
            own = x[row, head * width : (head + 1) * width]
            for channel in range(width):
                mean[channel] = weight * own[channel]
            weights = weight
            for entry in range(indptr[row], indptr[row + 1]):
                other = indices[entry]
                weight = np.exp(_logit(source[other, head], target[row, head], slope) - top)
                weights += weight
                theirs = x[other, head * width : (head + 1) * width]
                for channel in range(width):
                    mean[channel] += weight * theirs[channel]
            scale = np.float32(1) / weights
            for channel in range(width):
                mean[channel] *= scale
            largest[row, head], total[row, head] = top, weights


@kernel
def _backward(
    indptr, indices, x, source, target, slope, largest, total, flow, flow_out, to_x, to_source, to_target, start, stop
):
    """Write rows `start` to `stop` of the gradients.

    With `a_ij` the coefficient of j in the mean of i, and `flow_i` the gradient of that mean, the logit of (i, j) has
    the gradient `a_ij (flow_i . x_j - flow_i . out_i)`. The matrix is symmetric, so a node finds in its own row both
    the nodes that it looks at and those that look at it.
    """
    heads = source.shape[1]
    width = x.shape[1] // heads
    sums = np.empty(LANES, np.float32)
    for row in range(start, stop):
        for head in range(heads):
            low, high = head * width, (head + 1) * width
            own, own_flow, gradient = x[row, low:high], flow[row, low:high], to_x[row, low:high]
            logit = _logit(source[row, head], target[row, head], slope)
            weight = np.exp(logit - largest[row, head]) / total[row, head]
            change = weight * (inner_product(own_flow, own, sums) - flow_out[row, head])
            change = change if logit > 0 else slope * change
            as_source, as_target = change, change
            for channel in range(width):
                gradient[channel] = weight * own_flow[channel]
            for entry in range(indptr[row], indptr[row + 1]):
                other = indices[entry]
                theirs, their_flow = x[other, low:high], flow[other, low:high]
                # The other node looks at this one.
                logit = _logit(source[row, head], target[other, head], slope)
                weight = np.exp(logit - largest[other, head]) / total[other, head]
                change = weight * (inner_product(their_flow, own, sums) - flow_out[other, head])
                as_source += change if logit > 0 else slope * change
                for channel in range(width):
                    gradient[channel] += weight * their_flow[channel]
                # This node looks at the other one.
                logit = _logit(source[other, head], target[row, head], slope)
                weight = np.exp(logit - largest[row, head]) / total[row, head]
                change = weight * (inner_product(own_flow, theirs, sums) - flow_out[row, head])
                as_target += change if logit > 0 else slope * change
            to_source[row, head], to_target[row, head] = as_source, as_target


def _array(x: Tensor) -> Any:
    return x.detach().contiguous().numpy()


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
        values, *logits = (_array(tensor) for tensor in (x, source, target))
        out, largest, total = np.empty_like(values), np.empty_like(logits[0]), np.empty_like(logits[0])
        arguments = matrix.indptr, matrix.indices, values, *logits, np.float32(slope), out, largest, total
        run_all(_forward, [(*arguments, *part) for part in matrix.share_rows(values.shape[1], WORTH_A_THREAD)])
        ctx.matrix, ctx.slope, ctx.rows = matrix, np.float32(slope), (largest, total)
        found = torch.from_numpy(out)
        ctx.save_for_backward(x, source, target, found)
        return found

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor, Tensor, Tensor, None]:
        x, source, target, out = ctx.saved_tensors
        flow_out = (gradient * out).view(len(x), source.shape[1], -1).sum(dim=-1)
        given = [_array(tensor) for tensor in (x, source, target)]
        to_x, to_source, to_target = (np.empty_like(array) for array in given)
        arguments = (
            *(ctx.matrix.indptr, ctx.matrix.indices, *given, ctx.slope, *ctx.rows),
            *(_array(gradient), _array(flow_out), to_x, to_source, to_target),
        )
        run_all(_backward, [(*arguments, *part) for part in ctx.matrix.share_rows(x.shape[1], WORTH_A_THREAD)])
        return None, torch.from_numpy(to_x), torch.from_numpy(to_source), torch.from_numpy(to_target), None


def _attend_placed(adjacency: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
    """Compute by tensors, of which some have a row for every entry of the matrix."""
    (num_nodes, heads), entries = source.shape, len(adjacency.indices)
    offsets, columns = adjacency.placed(x)
    columns, rows = columns.long(), device.place(np.repeat(np.arange(num_nodes), np.diff(adjacency.indptr)), x)
    own, other = leaky_relu(source + target, slope), leaky_relu(source[columns] + target[rows], slope)
    with torch.no_grad():  # a softmax does not depend on what is taken off all logits
        top = own.scatter_reduce(0, rows[:, None].expand(entries, heads), other, "amax")
    own, other = torch.exp(own - top), torch.exp(other - top[rows])
    messages = other[:, :, None] * x[columns].view(entries, heads, x.shape[1] // heads)
    sums = sum_segments(messages.view(entries, x.shape[1]), offsets, rows).view(num_nodes, heads, -1)
    total = own + sum_segments(other, offsets, rows)
    means: Tensor = (own[:, :, None] * x.view(num_nodes, heads, -1) + sums) / total[:, :, None]
    return means.view(num_nodes, -1)


def attend(adjacency: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
    """Return for every node a weighted mean over itself and its neighbours, for each head.

    Node j counts for node i by the softmax of `leaky_relu(source_j + target_i)`.

    Parameters
    ----------
    adjacency
        Ones where there is an edge; symmetric, without a diagonal.
    x
        What is averaged, head after head.
    source, target
        The two parts of the logits.
    slope
        Of the leaky ReLU below zero.

    Shapes
    ------
    adjacency (n, n), x (n, heads * width), source and target (n, heads), result (n, heads * width)

    Examples
    --------
    >>> import scipy.sparse
    >>> edge = Matrix.from_scipy(scipy.sparse.csr_array([[0, 1], [1, 0]]))
    >>> attend(edge, torch.tensor([[1.0], [3.0]]), torch.zeros(2, 1), torch.zeros(2, 1), 0.2).tolist()
    [[2.0], [2.0]]
    """
    if not device.on_cpu(x):
        return _attend_placed(adjacency, x, source, target, slope)
    out: Tensor = _Attention.apply(adjacency, x, source, target, slope)
    return out
