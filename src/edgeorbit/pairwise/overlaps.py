"""How much the rows of two nodes overlap, weighted by what every common node counts, with gradients.

Nothing is listed: both directions go over the rows of the pairs anew, so that memory is that of the pairs alone. In the
backward pass a thread owns a range of nodes, so that sums are the same however many threads there are.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError
from edgeorbit.pairwise.pairs import order_by
from edgeorbit.pairwise.walk_rows import WalkRows

WORK_PER_THREAD = 100_000  # entries; below this a second thread costs more than it saves


@kernel
def _load(indptr, indices, values, dense, old, new):
    """Write the row `new` into a dense vector, and clear what the row `old` left there, if there is one."""
    if old >= 0:
        for k in range(np.uint64(indptr[old]), np.uint64(indptr[old + 1])):
            dense[indices[k]] = 0
    for k in range(np.uint64(indptr[new]), np.uint64(indptr[new + 1])):
        dense[indices[k]] = values[k]


@kernel
def _forward(indptr, indices, values, longer, shorter, order, weight, out, low, high):
    dense = np.zeros(len(indptr) - 1, np.float32)
    loaded = np.int64(-1)
    for i in range(low, high):
        pair = order[i]
        if longer[pair] != loaded:
            _load(indptr, indices, values, dense, loaded, np.int64(longer[pair]))
            loaded = np.int64(longer[pair])
        total = 0.0
        node = np.int64(shorter[pair])
        for k in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
            other = indices[k]
            total += np.float64(dense[other] * values[k]) * weight[other]
        out[pair] = total


@kernel
def _backward(indptr, indices, values, longer, shorter, order, flow, out, low, high):
    """Add up the gradients of the weights of nodes `low` to `high`, pair after pair."""
    dense = np.zeros(len(indptr) - 1, np.float32)
    loaded = np.int64(-1)
    for i in range(len(order)):
        pair = order[i]
        if longer[pair] != loaded:
            _load(indptr, indices, values, dense, loaded, np.int64(longer[pair]))
            loaded = np.int64(longer[pair])
        node = np.int64(shorter[pair])
        begin, end = indptr[node], indptr[node + 1]
        while begin < end:
            middle = (begin + end) >> 1
            if indices[middle] < low:
                begin = middle + 1
            else:
                end = middle
        for k in range(np.uint64(begin), np.uint64(indptr[node + 1])):
            other = indices[k]
            if other >= high:
                break
            out[other] += np.float64(dense[other] * values[k]) * flow[pair]


class _Work(NamedTuple):
    """The arguments that both kernels share, and how many entries they look at."""

    arrays: tuple[npt.NDArray[Any], ...]
    entries: int


class _Overlap(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, work: _Work) -> Tensor:
        """Sum over the common nodes."""
        ctx.work, ctx.num_nodes = work, len(weight)
        given, out = weight.detach().double().numpy(), np.empty(len(work.arrays[-1]))
        parts = split_range(len(out), _threads(work.entries))
        run_all(_forward, [(*work.arrays, given, out, *part) for part in parts])
        return torch.from_numpy(out).to(weight.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """Sum over the pairs that a node is common to."""
        flow, out = gradient.double().contiguous().numpy(), np.zeros(ctx.num_nodes)
        parts = split_range(len(out), _threads(ctx.work.entries))
        run_all(_backward, [(*ctx.work.arrays, flow, out, *part) for part in parts])
        return torch.from_numpy(out).to(gradient.dtype), None


def _threads(entries: int) -> int:
    return min(resolve_threads(torch.get_num_threads()), 1 + entries // WORK_PER_THREAD)


def sum_overlaps(rows: WalkRows, pairs: Tensor, weight: Tensor) -> Tensor:
    """Return for every pair (u, v) the sum over nodes w of `rows[u, w] rows[v, w] weight[w]`.

    The result is the same, to the bit, for (v, u).

    Parameters
    ----------
    rows
        A sparse matrix, as `edgeorbit.pairwise.walk_rows.walk_rows` returns it.
    pairs : int64 tensor of shape (k, 2)
        Node numbers.
    weight : floating tensor of shape (num_nodes,)
        What every node counts; gradients flow to it.

    Raises
    ------
    InvalidParameterError
        If there is not one weight per row, or a pair names a node without a row.

    Examples
    --------
    >>> from edgeorbit.graph.graph import Graph
    >>> from edgeorbit.pairwise.walk_rows import walk_rows
    >>> square = walk_rows(Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), hops=1)
    >>> sum_overlaps(square, torch.tensor([[0, 2], [0, 1]]), torch.tensor([1.0, 10.0, 100.0, 1000.0])).tolist()
    [1010.0, 0.0]
    """
    num_nodes = len(rows.indptr) - 1
    if weight.shape != (num_nodes,):
        raise InvalidParameterError(f"weight has shape {tuple(weight.shape)}; give one for each of {num_nodes} nodes")
    if len(pairs) and not 0 <= int(pairs.min()) <= int(pairs.max()) < num_nodes:
        raise InvalidParameterError(
            f"pairs name nodes from {int(pairs.min())} to {int(pairs.max())}, and there are {num_nodes}"
        )
    first, second = np.ascontiguousarray(pairs.numpy().T, np.int32)
    lengths = np.diff(rows.indptr)
    turned = lengths[second] > lengths[first]  # the longer row is loaded, once for all its pairs
    longer, shorter = np.where(turned, second, first), np.where(turned, first, second)
    arrays = rows.indptr, rows.indices.view(np.uint32), rows.values, longer, shorter, order_by(longer)
    sums: Tensor = _Overlap.apply(weight, _Work(arrays, int(lengths[shorter].sum() + len(shorter))))
    return sums
