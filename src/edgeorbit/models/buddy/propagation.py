"""Embeddings of nodes from features that are propagated along the edges, without weights between the steps.

Features are mapped before they are propagated: the same by the associative law, but sparse features stay sparse, and no
more is kept than embeddings.
"""

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.dropout import dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Inputs
from edgeorbit.models.neural.product import Matrix, multiply


def normalise_adjacency(graph: Graph) -> Matrix:
    """Return `D^-1/2 (A + I) D^-1/2`, D the degrees with the self-loop: what GCN multiplies by.

    As a matrix it takes 8 bytes an entry, and saves the passes that scale embeddings before and after every product.

    >>> normalise_adjacency(Graph.from_edges([[0, 1]])).multiply(np.eye(2, dtype=np.float32)).round(3).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    import scipy.sparse

    num_nodes = graph.num_nodes
    scale = (graph.degree + 1.0) ** -0.5
    ones = np.ones(len(graph.indices))
    adjacency = scipy.sparse.csr_array((ones, graph.indices, graph.indptr), shape=(num_nodes, num_nodes))
    looped = (adjacency + scipy.sparse.eye_array(num_nodes, format="csr")).tocsr()
    values = np.repeat(scale, np.diff(looped.indptr)) * scale[looped.indices]
    return Matrix(
        *(looped.indptr.astype(np.int64), looped.indices.astype(np.int32), values.astype(np.float32)), num_nodes
    )


class Propagated(nn.Module):
    """`A_hat X W + b`, with GCN's average `A_hat`: BUDDY without SIGN.

    Parameters
    ----------
    in_channels, out_channels
        Width of the features and of the embedding.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.map = FeatureLinear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings of shape (num_nodes, out_channels)."""
        return multiply(inputs.derive(normalise_adjacency), self.map(inputs.x)) + self.bias


class SIGN(nn.Module):
    """Embeddings from `E, A_hat E, ..., A_hat^k E` with `E = X W`, each through layers of its own, then joined.

    With identity features E is a learned embedding of every node, as the original has it on graphs without features.
    Other features the original propagates as they are, with a W for every power; here all powers share one, so that
    what is propagated is never wider than the embedding.

    Parameters
    ----------
    in_channels, out_channels
        Width of the features and of the embedding.
    steps
        The largest power k.
    rate
        Share of values that are dropped in training.
    """

    def __init__(self, in_channels: int, out_channels: int, steps: int, rate: float) -> None:
        super().__init__()
        self.map = FeatureLinear(in_channels, out_channels, bias=False)
        nn.init.xavier_uniform_(self.map.weight)  # the original's choice for the embedding of nodes
        self.layers = nn.ModuleList(nn.Linear(out_channels, out_channels) for _ in range(steps + 1))
        self.norms = nn.ModuleList(nn.BatchNorm1d(out_channels) for _ in range(steps + 1))
        self.final = nn.Linear((steps + 1) * out_channels, out_channels)
        self.rate = rate

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings of shape (num_nodes, out_channels)."""
        x = self.map(inputs.x)
        found = []
        for power, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            if power > 0:
                x = multiply(inputs.derive(normalise_adjacency), x)
            found.append(dropout(torch.relu(norm(layer(x))), self.rate, self.training))
        out: Tensor = self.final(torch.cat(found, dim=1))
        return out
