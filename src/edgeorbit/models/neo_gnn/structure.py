"""The structural half of Neo-GNN: how much the neighbourhoods of two nodes overlap, by learned weights of nodes."""

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural import device
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import sum_segments
from edgeorbit.pairwise.overlaps import sum_overlaps
from edgeorbit.pairwise.walk_rows import BYTES_PER_ENTRY, WalkRows, walk_rows

ENTRIES_AT_ONCE = 1 << 24  # of rows that are compared, where overlaps are listed


class OverlapScore(nn.Module):
    """Scores pairs by `g(z_u . z_v)`, with `z = S diag(x)` and `S = A + beta A^2 + ...`.

    What a node counts is learned from its row of S alone: `x_w = f_node(sum of f_edge(S_wj) over j)`. Common
    neighbours, resource allocation and Adamic-Adar are such scores.

    Parameters
    ----------
    hops, beta
        The highest power of the adjacency matrix, and the weight of every step beyond the first.
    edge_channels, node_channels, overlap_channels
        Width of the hidden layers of f_edge, f_node and g.
    """

    def __init__(self, hops: int, beta: float, edge_channels: int, node_channels: int, overlap_channels: int) -> None:
        super().__init__()
        self.hops, self.beta = hops, beta
        # A number, its edge_channels hidden ones and their gradients, for every entry.
        self.bytes_per_entry = BYTES_PER_ENTRY + 4 * (2 + 4 * edge_channels)
        self.f_edge, self.f_node, self.g = (_map(width) for width in (edge_channels, node_channels, overlap_channels))

    def forward(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        rows = inputs.derive(self.find_rows)
        weights = self.weigh_nodes(rows).square()
        on_cpu = device.on_cpu(weights)
        overlaps = sum_overlaps(rows, pairs, weights) if on_cpu else sum_listed_overlaps(rows, pairs, weights)
        logits: Tensor = self.g(overlaps[:, None]).squeeze(-1)
        return logits

    def find_rows(self, graph: Graph) -> WalkRows:
        """Return S, of the very graph that messages are passed on."""
        return walk_rows(
            graph,
            hops=self.hops,
            beta=self.beta,
            bytes_per_entry=self.bytes_per_entry,
            threads=torch.get_num_threads(),
        )

    def weigh_nodes(self, rows: WalkRows) -> Tensor:
        """Return what every node counts, shape (num_nodes,)."""
        like = next(self.f_edge.parameters())
        entries: Tensor = self.f_edge(device.place(rows.values, like)[:, None])
        if device.on_cpu(like):
            lengths = torch.from_numpy(rows.indptr).diff()
            sums = torch.segment_reduce(entries, "sum", lengths=lengths, unsafe=True)  # 0 for an empty row
        else:
            nodes = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
            sums = sum_segments(entries, *(device.place(array, like) for array in (rows.indptr, nodes)))
        weights: Tensor = self.f_node(sums).squeeze(-1)
        return weights


def sum_listed_overlaps(rows: WalkRows, pairs: Tensor, weight: Tensor) -> Tensor:
    """Return what `sum_overlaps` does, on the device of the weights; the common nodes of all pairs are listed for it.

    >>> square = walk_rows(Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), hops=1)
    >>> weight = torch.tensor([1.0, 10.0, 100.0, 1000.0])
    >>> sum_listed_overlaps(square, torch.tensor([[0, 2], [0, 1]]), weight).tolist()
    [1010.0, 0.0]
    """
    import scipy.sparse

    num_nodes = len(rows.indptr) - 1
    matrix = scipy.sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=(num_nodes, num_nodes))
    ends = pairs.numpy()
    # Rows of both ends are copied before they are compared, so that pairs are taken some at a time.
    bounds = np.cumsum(np.diff(rows.indptr)[ends].sum(axis=1)) // ENTRIES_AT_ONCE
    parts = np.split(ends, np.flatnonzero(np.diff(bounds)) + 1)
    found = scipy.sparse.vstack([matrix[part[:, 0]].multiply(matrix[part[:, 1]]).tocsr() for part in parts])
    sums: Tensor = multiply(Matrix.from_scipy(found), weight.double()[:, None]).squeeze(1).to(weight.dtype)
    return sums


def _map(width: int) -> nn.Module:
    """Make a network from numbers to numbers, of one hidden layer."""
    return nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, 1))
