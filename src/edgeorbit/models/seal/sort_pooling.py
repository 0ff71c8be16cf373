"""Sort pooling: of every subgraph the first k nodes in the order of one channel, as a row of fixed length.

Nodes that are equal there are ordered by the rows that are pooled, so that the result depends on what the nodes are and
not on how they are numbered.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range

NODES_PER_THREAD = 20_000  # below this a second thread costs more than it saves


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
    parts = min(resolve_threads(torch.get_num_threads()), 1 + len(keys) // NODES_PER_THREAD)
    cuts = [0, *np.searchsorted(offsets, [high for _, high in split_range(len(keys), parts)][:-1]), len(chosen)]
    run_all(_order, [(offsets, keys, rows, chosen, int(low), int(high)) for low, high in pairwise(cuts) if low < high])
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
