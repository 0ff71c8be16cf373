"""The first layer of LINKX: a node's features, and its row of the adjacency matrix, each through weights of its own."""

from typing import Any

from torch import Tensor, nn
from torch_geometric.nn.models.linkx import SparseLinear

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.neural.inputs import FeatureLinear, Features, Inputs
from edgeorbit.models.neural.product import multiply


class AdjacencyLinear(SparseLinear):
    """PyG's `SparseLinear`: `A W + b`, with a row of weights for every node."""

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Add up the weights of the neighbours of every node."""
        return multiply(edge_index.adjacency, kwargs["weight"])


class LINKXLayer(nn.Module):
    """What PyG's `LINKX` computes before its last network: `H_A + H_X + [H_A, H_X] W`, `H_A = A W_A`, `H_X = X W_X`.

    In training the target links are missing from A, as they are from all messages.
    """

    def __init__(self, num_nodes: int, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.edge_lin = AdjacencyLinear(num_nodes, out_channels)
        self.node_lin = FeatureLinear(in_channels, out_channels)
        self.cat_lin1 = nn.Linear(out_channels, out_channels)
        self.cat_lin2 = nn.Linear(out_channels, out_channels)

    def forward(self, x: Features, inputs: Inputs) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels).

        Raises
        ------
        InvalidParameterError
            If the graph has not the nodes that the weights belong to.
        """
        if inputs.graph.num_nodes != self.edge_lin.in_channels:
            raise InvalidParameterError(
                f"{inputs.graph.name} has {inputs.graph.num_nodes} nodes and the weights belong to "
                f"{self.edge_lin.in_channels}; give the graph that the model was trained on"
            )
        edges, nodes = self.edge_lin(inputs), self.node_lin(x)
        out: Tensor = edges + self.cat_lin1(edges) + nodes + self.cat_lin2(nodes)
        return out
