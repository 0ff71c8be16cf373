"""The structural half of Neo-GNN: how much the neighbourhoods of two nodes overlap, by learned weights of nodes."""

import torch
from torch import Tensor, nn

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.pairwise.overlaps import sum_overlaps
from edgeorbit.pairwise.walk_rows import BYTES_PER_ENTRY, WalkRows, walk_rows


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
        overlaps = sum_overlaps(rows, pairs, self.weigh_nodes(rows).square())
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
        entries: Tensor = self.f_edge(torch.from_numpy(rows.values)[:, None])
        lengths = torch.from_numpy(rows.indptr).diff()
        sums = torch.segment_reduce(entries, "sum", lengths=lengths, unsafe=True)  # 0 for an empty row
        weights: Tensor = self.f_node(sums).squeeze(-1)
        return weights


def _map(width: int) -> nn.Module:
    """Make a network from numbers to numbers, of one hidden layer."""
    return nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, 1))
