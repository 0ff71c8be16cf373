"""Powers of the adjacency matrix as sparse rows, and how much the rows of two nodes overlap, with gradients.

Every row is spread from its node one step at a time, once to count what it reaches and once to write it. Overlaps are
never listed: both directions read the rows of the pairs again, so that memory is that of the pairs alone. In the
backward pass a thread owns a range of nodes, so that sums are the same for any number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import kernel
from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import order_by
from edgeorbit.pairwise.walks import take_step

BYTES_PER_ENTRY = 8  # a node number and a weight
ROWS_PER_THREAD = 256  # below this a second thread costs more than it saves
WORK_PER_THREAD = 100_000  # entries; below this a second thread costs more than it saves


class WalkRows(NamedTuple):
    """A symmetric sparse matrix in CSR form.

    Attributes
    ----------
    indptr : int64 array of length num_nodes + 1
        Where the row of every node starts.
    indices : int32 array
        The nodes that are reached, ascending in each row.
    values : float32 array
        The weights of the walks to them.
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


@kernel
def _spread_rows(indptr, indices, hops, beta, low, high, counts, offsets, out_indices, out_values):
    """Count what the rows `low` to `high` reach or, if there are offsets, write it."""
    num_nodes = len(indptr) - 1
    here, there, total = np.zeros(num_nodes), np.zeros(num_nodes), np.zeros(num_nodes)
    now, then = np.empty(num_nodes, np.uint32), np.empty(num_nodes, np.uint32)
    reached = np.empty(num_nodes, np.uint32)
    for row in range(low, high):
        here[row], now[0], num_now, num_reached = 1.0, row, 1, 0
        factor = 1.0
        for _ in range(hops):
            num_now = take_step(indptr, indices, here, now, num_now, there, then)
            here, there, now, then = there, here, then, now
            for i in range(num_now):
                node = now[i]
                if total[node] == 0.0:
                    reached[num_reached] = node
                    num_reached += 1
                total[node] += factor * here[node]
            factor *= beta
        for i in range(num_now):
            here[now[i]] = 0.0
        if len(offsets) > 0:
            place = offsets[row]
            for node in np.sort(reached[:num_reached]):
                out_indices[place] = node
                out_values[place] = total[node]
                place += 1
        else:
            counts[row] = num_reached
        for i in range(num_reached):
            total[reached[i]] = 0.0


def walk_rows(
    graph: Graph,
    *,
    hops: int = 2,
    beta: float = 0.1,
    bytes_per_entry: int = BYTES_PER_ENTRY,
    threads: int | None = None,
) -> WalkRows:
    """Return the sum over lengths l = 1 to `hops` of `beta^(l-1) A^l`.

    Parameters
    ----------
    graph
        The graph.
    hops
        The length of the longest walks, at least 1.
    beta
        The weight of every step beyond the first, above 0.
    bytes_per_entry
        What the caller needs for every entry, counted before anything is written.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Raises
    ------
    InvalidParameterError
        If `hops` is below 1, or `beta` is not above 0 and finite.
    LimitExceededError
        If the entries need more memory than there is.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> rows = walk_rows(path, hops=2, beta=0.5)
    >>> rows.indptr.tolist(), rows.indices.tolist(), rows.values.tolist()
    ([0, 3, 6, 9], [0, 1, 2, 0, 1, 2, 0, 1, 2], [0.5, 1.0, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 0.5])
    """
    if hops < 1:
        raise InvalidParameterError(f"hops must be at least 1, not {hops}")
    if not 0 < beta < float("inf"):
        raise InvalidParameterError(f"beta must be above 0 and finite, not {beta}")
    n = graph.num_nodes
    ranges = split_range(n, min(resolve_threads(threads), 1 + n // ROWS_PER_THREAD))
    arguments = graph.indptr, graph.indices.view(np.uint32), hops, float(beta)
    counts, nothing = np.zeros(n, np.int64), (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
    run_all(_spread_rows, [(*arguments, *part, counts, *nothing) for part in ranges])
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    _require_memory(graph, hops, int(indptr[-1]), bytes_per_entry)
    out = indptr, np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    run_all(_spread_rows, [(*arguments, *part, counts, *out) for part in ranges])
    return WalkRows(*out)


def _require_memory(graph: Graph, hops: int, entries: int, bytes_per_entry: int) -> None:
    available = available_memory()
    if available is not None and entries * bytes_per_entry > available:
        raise LimitExceededError(
            f"{graph.name}: walks of up to {hops} steps join {entries} pairs of nodes, which takes about "
            f"{size_in_words(entries * bytes_per_entry)} of memory, and {size_in_words(available)} are available; "
            "lower hops"
        )


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
        A sparse matrix, as `edgeorbit.pairwise.overlaps.walk_rows` returns it.
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
    >>> from edgeorbit.pairwise.overlaps import walk_rows
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
