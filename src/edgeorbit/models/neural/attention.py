"""Attention over neighbours, with gradients: what GAT passes messages with.

Coefficients of edges are never stored: both directions are computed row by row from two numbers per node and head, and
in the backward pass again from the largest logit and the sum of every row. So memory is that of the embeddings however
many edges there are, and a row is written by one thread, so that sums are the same however many threads there are.

On other devices than the CPU PyTorch does it, which does store them, and a message for every edge.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import run_all
from edgeorbit.models.neural import device
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.neural.rows import sum_segments

WORTH_A_THREAD = 1 << 20  # multiplications below which another thread costs more than it brings


@inlined
def _coefficient(source, target, slope, top):
    """Return what a node counts for another before it is normalised, and 1 if its logit is above 0, 0 if not."""
    logit = source + target
    above = int(logit > 0)
    return np.exp((logit if above else slope * logit) - top), above


@kernel
def _forward(indptr, indices, x, source, target, slope, out, upper, share, largest, scale, start, stop):
    """Write rows `start` to `stop` of the weighted means.

    Beside them stand, of logits above 0, their part of the means (`upper`) and of the coefficients (`share`); the
    largest logits; and what normalises coefficients.
    """
    heads = source.shape[1]
    width = x.shape[1] // heads
    sums, totals = np.empty((2, width), x.dtype), np.empty(2, x.dtype)  # of logits up to 0, and above
    for row in range(start, stop):
        for head in range(heads):
            low, mine = head * width, target[row, head]
            highest = source[row, head]
            for entry in range(indptr[row], indptr[row + 1]):
                highest = max(highest, source[indices[entry], head])
            top = highest + mine if highest + mine > 0 else slope * (highest + mine)  # larger sums, larger logits
            weight, above = _coefficient(source[row, head], mine, slope, top)
            theirs = x[row, low : low + width]
            totals[above], totals[1 - above] = weight, 0
            for channel in range(width):
                sums[above, channel] = weight * theirs[channel]
                sums[1 - above, channel] = 0
            for entry in range(indptr[row], indptr[row + 1]):
                other = indices[entry]
                weight, above = _coefficient(source[other, head], mine, slope, top)
                totals[above] += weight
                theirs, part = x[other, low : low + width], sums[above]
                for channel in range(width):
                    part[channel] += weight * theirs[channel]
            normal = np.float32(1) / (totals[0] + totals[1])
            for channel in range(width):
                upper[row, low + channel] = normal * sums[1, channel]
                out[row, low + channel] = normal * (sums[0, channel] + sums[1, channel])
            share[row, head], largest[row, head], scale[row, head] = normal * totals[1], top, normal


@kernel
def _backward(indptr, indices, x, source, target, slope, largest, scale, flow, flow_out, to_x, to_source, start, stop):
    """Write rows `start` to `stop` of the gradients of the values and of the sources.

    With `a_ij` the coefficient of j in the mean of i, and `flow_i` the gradient of that mean, the logit of (i, j) has
    the gradient `a_ij (flow_i . x_j - flow_i . out_i)`. Summed over all i, the inner product with `x_j` is taken once.
    The arrays are those of the transpose, where a node finds those that look at it; those with a mean of their own come
    first.
    """
    heads = source.shape[1]
    width = x.shape[1] // heads
    sums, offsets = np.empty((2, width), x.dtype), np.empty(2, x.dtype)
    for row in range(start, stop):
        for head in range(heads):
            low, mine = head * width, source[row, head]
            sums[:], offsets[:] = 0, 0
            if row < len(target):
                weight, above = _coefficient(mine, target[row, head], slope, largest[row, head])
                weight *= scale[row, head]
                offsets[above] = weight * flow_out[row, head]
                theirs = flow[row, low : low + width]
                for channel in range(width):
                    sums[above, channel] = weight * theirs[channel]
            for entry in range(indptr[row], indptr[row + 1]):
                other = indices[entry]
                weight, above = _coefficient(mine, target[other, head], slope, largest[other, head])
                weight *= scale[other, head]
                offsets[above] += weight * flow_out[other, head]
                theirs, part = flow[other, low : low + width], sums[above]
                for channel in range(width):
                    part[channel] += weight * theirs[channel]
            change = -(offsets[1] + slope * offsets[0])
            for channel in range(width):
                to_x[row, low + channel] = sums[0, channel] + sums[1, channel]
                change += x[row, low + channel] * (sums[1, channel] + slope * sums[0, channel])
            to_source[row, head] = change


def _array(x: Tensor) -> Any:
    return x.detach().contiguous().numpy()


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
        values, *logits = (_array(tensor) for tensor in (x, source, target))
        slope, num_rows = values.dtype.type(slope), matrix.shape[0]
        out, upper = (np.empty((num_rows, values.shape[1]), values.dtype) for _ in range(2))
        share, largest, scale = (np.empty((num_rows, source.shape[1]), values.dtype) for _ in range(3))
        arguments = matrix.indptr, matrix.indices, values, *logits, slope, out, upper, share, largest, scale
        run_all(_forward, [(*arguments, *part) for part in matrix.share_rows(values.shape[1], WORTH_A_THREAD)])
        ctx.matrix, ctx.slope, ctx.rows = matrix, slope, (largest, scale)
        found = torch.from_numpy(out)
        ctx.save_for_backward(x, source, target, found, torch.from_numpy(upper), torch.from_numpy(share))
        return found

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor, Tensor, Tensor, None]:
        x, source, target, out, upper, share = ctx.saved_tensors
        by_head = (*target.shape, -1)
        turned = ctx.matrix.transposed
        flow_out, flow_upper = ((gradient * sums).view(by_head).sum(dim=-1) for sums in (out, upper))
        given = [_array(tensor) for tensor in (x, source, target)]
        to_x, to_source = np.empty_like(given[0]), np.empty_like(given[1])
        arguments = (
            *(turned.indptr, turned.indices, *given, ctx.slope, *ctx.rows),
            *(_array(gradient), _array(flow_out), to_x, to_source),
        )
        run_all(_backward, [(*arguments, *part) for part in turned.share_rows(x.shape[1], WORTH_A_THREAD)])
        # Of a node that looks, all is known from what it saw: below 0 logits change by the slope, above by one.
        to_target = (1 - float(ctx.slope)) * (flow_upper - share * flow_out)
        return None, torch.from_numpy(to_x), torch.from_numpy(to_source), to_target, None


def _attend_placed(adjacency: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
    """Compute by tensors, of which some have a row for every entry of the matrix."""
    (num_nodes, heads), entries = target.shape, len(adjacency.indices)
    offsets, columns = adjacency.placed(x)
    columns, rows = columns.long(), device.place(np.repeat(np.arange(num_nodes), np.diff(adjacency.indptr)), x)
    own, other = leaky_relu(source[:num_nodes] + target, slope), leaky_relu(source[columns] + target[rows], slope)
    with torch.no_grad():  # a softmax does not depend on what is taken off all logits
        top = own.scatter_reduce(0, rows[:, None].expand(entries, heads), other, "amax")
    own, other = torch.exp(own - top), torch.exp(other - top[rows])
    messages = other[:, :, None] * x[columns].view(entries, heads, x.shape[1] // heads)
    sums = sum_segments(messages.view(entries, x.shape[1]), offsets, rows).view(num_nodes, heads, -1)
    total = own + sum_segments(other, offsets, rows)
    means: Tensor = (own[:, :, None] * x[:num_nodes].view(num_nodes, heads, -1) + sums) / total[:, :, None]
    return means.view(num_nodes, -1)


def attend(adjacency: Matrix, x: Tensor, source: Tensor, target: Tensor, slope: float) -> Tensor:
    """Return for every node a weighted mean over itself and its neighbours, for each head.

    Node j counts for node i by the softmax of `leaky_relu(source_j + target_i)`.

    Parameters
    ----------
    adjacency
        Ones where there is an edge, without a diagonal; node i is row i and column i, and there may be more columns.
    x
        What is averaged, head after head.
    source, target
        The two parts of the logits.
    slope
        Of the leaky ReLU below zero.

    Shapes
    ------
    adjacency (n, m), x (m, heads * width), source (m, heads), target (at least n, heads), result (n, heads * width)

    Examples
    --------
    >>> import scipy.sparse
    >>> edge = Matrix.from_scipy(scipy.sparse.csr_array([[0, 1], [1, 0]]))
    >>> attend(edge, torch.tensor([[1.0], [3.0]]), torch.zeros(2, 1), torch.zeros(2, 1), 0.2).tolist()
    [[2.0], [2.0]]
    """
    target = target[: adjacency.shape[0]]
    if not device.on_cpu(x):
        return _attend_placed(adjacency, x, source, target, slope)
    out: Tensor = _Attention.apply(adjacency, x, source, target, slope)
    return out
