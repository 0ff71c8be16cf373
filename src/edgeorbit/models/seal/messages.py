"""Messages over the disjoint union of subgraphs, node by node or once for all nodes that a layer cannot distinguish.

After l layers two nodes of any two subgraphs are equal if l rounds of colour refinement, from labels and degrees (and
the very node, where features count), leave them in one colour. Subgraphs of a batch overlap, and have many leaves: on
CiteSeer with 3 hops a batch of 81,000 nodes has 31,000, 53,000 and 59,000 colours in its three layers. So the products
with the weights of wide layers are those of the colours, and give the same numbers.

Sort pooling then takes of every subgraph the first k nodes in the order of one channel, as a row of fixed length. Nodes
that are equal there are ordered by the rows that are pooled, so that the result does not depend on node numbers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Features
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import gather
from edgeorbit.orbits.refine import refine_by_round
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs
from edgeorbit.pairwise.pairs import share_work

WIDE = 128  # channels from which on the products with weights cost more than refinement
NORMALISED_PER_THREAD, SORTED_PER_THREAD = 50_000, 20_000  # nodes; for fewer a second thread costs more than it saves


@kernel
def _normalise(indptr, indices, new_indptr, new_indices, values, start, stop):
    """Write rows `start` to `stop` of `D^-1/2 (A + I) D^-1/2`; the first entry of each is its own."""
    for row in range(start, stop):
        at = indptr[row] + row
        new_indptr[row + 1] = indptr[row + 1] + row + 1
        degree = indptr[row + 1] - indptr[row] + 1
        new_indices[at] = row
        values[at] = 1.0 / degree
        for entry in range(indptr[row], indptr[row + 1]):
            other = indices[entry]
            at += 1
            new_indices[at] = other
            values[at] = 1.0 / np.sqrt(degree * (indptr[other + 1] - indptr[other] + 1.0))


def normalised_adjacency(subgraphs: Subgraphs) -> Matrix:
    """Return the matrix that a graph convolution averages by: `D^-1/2 (A + I) D^-1/2`, D the degrees with the loop."""
    size, entries = len(subgraphs.nodes), len(subgraphs.indices) + len(subgraphs.nodes)
    indptr, indices = np.zeros(size + 1, np.int64), np.empty(entries, np.int32)
    values = np.empty(entries, np.float32)
    parts = min(resolve_threads(torch.get_num_threads()), 1 + size // NORMALISED_PER_THREAD)
    arrays = subgraphs.indptr, subgraphs.indices, indptr, indices, values
    run_all(_normalise, [(*arrays, start, stop) for start, stop in split_range(size, parts)])
    return Matrix(indptr, indices, values, size)


def project_features(x: Features, weight: Tensor, nodes: npt.NDArray[np.int32]) -> Tensor:
    """Return `x[nodes] @ weight.T`, where nodes may repeat, without a product for what is not asked for.

    Shapes
    ------
    x (m, f), weight (d, f), nodes (n,), result (n, d)
    """
    asked = np.zeros(x.shape[0], bool)
    asked[nodes] = True
    used = np.flatnonzero(asked)
    if 2 * len(used) < x.shape[0]:
        number = np.empty(x.shape[0], np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        x, nodes = _take_rows(x, used), number[nodes]
    dense = multiply(x, weight.T.contiguous()) if isinstance(x, Matrix) else x @ weight.T
    return gather(dense, nodes)


def _take_rows(x: Features, rows: npt.NDArray[np.int64]) -> Features:
    if not isinstance(x, Matrix):
        return x[torch.from_numpy(rows)]
    import scipy.sparse

    values = x.values if len(x.values) else np.ones(len(x.indices), np.float32)
    return Matrix.from_scipy(scipy.sparse.csr_array((values, x.indices, x.indptr), shape=x.shape)[rows])


class Plan(NamedTuple):
    """The steps of message passing.

    Attributes
    ----------
    labels, nodes : int32 arrays
        What the rows begin with: a label, and a node of the graph.
    steps : list of Matrix
        For each layer what averages rows of the layer before to its own; the rows of the last are all nodes.
    parents : list of int32 arrays or None
        For each layer the row of the layer before that each of its own was part of; None if it is the same.
    """

    labels: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    steps: list[Matrix]
    parents: list[npt.NDArray[np.int32] | None]


def plan_messages(subgraphs: Subgraphs, num_labels: int, num_layers: int, *, wide: bool, features: bool) -> Plan:
    """Return the steps for layers of which the last has one channel.

    Parameters
    ----------
    subgraphs
        The union.
    num_labels
        Bound of labels; larger ones become the last.
    num_layers
        Number of layers.
    wide
        Whether layers are so wide that alike nodes are looked for.
    features
        Whether nodes of the graph differ by more than their labels.
    """
    adjacency = normalised_adjacency(subgraphs)
    labels = np.minimum(subgraphs.labels, num_labels - 1)
    if not wide or num_layers == 1 or not len(labels):
        return Plan(labels, subgraphs.nodes, [adjacency] * num_layers, [None] * num_layers)
    degrees = np.diff(subgraphs.indptr)
    keys = labels * (degrees.max() + 1) + degrees
    if features:
        keys += subgraphs.nodes * (keys.max() + 1)
    union, threads = Graph(subgraphs.indptr, subgraphs.indices), torch.get_num_threads()
    rounds = [found.labels for found in refine_by_round(union, num_layers - 1, keys, threads=threads)]
    rounds += [rounds[-1]] * (num_layers - len(rounds))  # stable earlier
    ones = [_one_of_each(colours) for colours in rounds]
    everyone = np.arange(len(labels), dtype=np.int32)
    steps, parents = [], []
    for before, chosen in zip(rounds, [*ones[1:], everyone], strict=True):
        steps.append(_fold(adjacency, chosen, before))
        parents.append(before[chosen])
    return Plan(labels[ones[0]], subgraphs.nodes[ones[0]], steps, parents)


def _one_of_each(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return a node of every colour."""
    chosen = np.empty(int(colours.max()) + 1, np.int32)
    chosen[colours[::-1]] = np.arange(len(colours) - 1, -1, -1, dtype=np.int32)
    return chosen


@kernel
def _fold_rows(indptr, indices, values, chosen, colours, new_indptr, new_indices, new_values):
    at = 0
    for row in range(len(chosen)):
        node = chosen[row]
        for entry in range(indptr[node], indptr[node + 1]):
            new_indices[at] = colours[indices[entry]]
            new_values[at] = values[entry]
            at += 1
        new_indptr[row + 1] = at


def _fold(adjacency: Matrix, chosen: npt.NDArray[np.int32], colours: npt.NDArray[np.int32]) -> Matrix:
    """Return the rows of chosen nodes, with colours instead of their neighbours."""
    import scipy.sparse

    entries = int((adjacency.indptr[chosen + 1] - adjacency.indptr[chosen]).sum())
    indptr, indices = np.zeros(len(chosen) + 1, np.int64), np.empty(entries, np.int32)
    values = np.empty(entries, np.float32)
    _fold_rows(*(adjacency.indptr, adjacency.indices, adjacency.values, chosen, colours, indptr, indices, values))
    shape = len(chosen), int(colours.max()) + 1
    return Matrix.from_scipy(scipy.sparse.csr_array((values, indices, indptr), shape=shape))


@kernel
def _comes_first(rows, one, other):
    """Tell whether a row comes before another one, from large to small, the first channel first."""
    for channel in range(rows.shape[1]):
        if rows[one, channel] != rows[other, channel]:
            return rows[one, channel] > rows[other, channel]
    return False


@kernel
def _order(offsets, keys, rows, chosen, low, high):
    """Write the numbers of the first nodes of subgraphs `low` to `high`, and that of no node behind them."""
    k = chosen.shape[1]
    for pair in range(low, high):
        begin, end = offsets[pair], offsets[pair + 1]
        order = np.argsort(-keys[begin:end], kind="mergesort") + begin
        kept = min(k, len(order))
        i = 0
        while i < kept:
            stop = i + 1
            while stop < len(order) and keys[order[stop]] == keys[order[i]]:
                stop += 1
            if stop > i + 1:
                # The first channel tells most of them apart; among what it leaves, nodes move one by one.
                tied = order[i:stop].copy()
                tied = tied[np.argsort(-rows[tied, 0], kind="mergesort")]
                for j in range(1, len(tied)):
                    node, at = tied[j], j
                    while at > 0 and _comes_first(rows, node, tied[at - 1]):
                        tied[at] = tied[at - 1]
                        at -= 1
                    tied[at] = node
                order[i:stop] = tied
            i = stop
        for i in range(k):
            chosen[pair, i] = order[i] if i < kept else len(keys)


def sort_order(
    offsets: npt.NDArray[np.int64], keys: npt.NDArray[np.float32], rows: npt.NDArray[np.float32], k: int
) -> npt.NDArray[np.int64]:
    """Return the numbers of the k nodes of each subgraph with the largest keys, largest first.

    Shapes
    ------
    offsets (b + 1,), keys (n,), rows (n, c), result (b, k)

    Where a subgraph has fewer than k nodes, the number is n.

    Examples
    --------
    >>> keys = np.array([1, 3, 2, 5, 5], np.float32)
    >>> rows = np.array([[0], [0], [0], [1], [2]], np.float32)
    >>> sort_order(np.array([0, 3, 5]), keys, rows, 2).tolist()
    [[1, 2], [4, 3]]
    """
    chosen = np.empty((len(offsets) - 1, k), np.int64)
    parts = min(resolve_threads(torch.get_num_threads()), 1 + len(keys) // SORTED_PER_THREAD)
    run_all(_order, [(offsets, keys, rows, chosen, *part) for part in share_work(offsets, parts)])
    return chosen


def sort_pool(offsets: npt.NDArray[np.int64], keys: Tensor, rows: Tensor, k: int) -> Tensor:
    """Return the rows of the first k nodes of every subgraph in the order of their keys, zeros where there are fewer.

    Shapes
    ------
    offsets (b + 1,), keys (n,), rows (n, c), result (b, k, c)
    """
    arrays = keys.detach().contiguous().numpy(), rows.detach().contiguous().numpy()
    chosen = torch.from_numpy(sort_order(offsets, *arrays, k))
    padded = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
    return padded.index_select(0, chosen.view(-1)).view(len(chosen), k, rows.shape[1])
