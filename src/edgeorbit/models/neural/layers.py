"""PyTorch Geometric's layers, with messages passed by our own sparse product."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn import GCNConv, SAGEConv

from edgeorbit.models.neural.inputs import FeatureLinear, Features, Inputs
from edgeorbit.models.neural.product import Matrix, multiply


class GCNLayer(GCNConv):
    """PyG's `GCNConv`: `D^-1/2 (A + I) D^-1/2 X W + b`, D the degrees with the self-loop."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels, normalize=False)
        self.lin = FeatureLinear(in_channels, out_channels, bias=False)
        torch.nn.init.xavier_uniform_(self.lin.weight)  # PyG's choice for this layer

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Pass messages on the graph of the inputs, which stand in the place of PyG's `edge_index`."""
        scale = (edge_index.degree + 1).rsqrt()
        x = scale * kwargs["x"]
        out: Tensor = scale * (multiply(edge_index.adjacency, x) + x)
        return out


class SAGELayer(SAGEConv):
    """PyG's `SAGEConv` with mean aggregation: `mean of neighbours W_l + b + X W_r`."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels)
        self.lin_l = FeatureLinear(in_channels, out_channels)
        self.lin_r = FeatureLinear(in_channels, out_channels, bias=False)

    def forward(self, x: Features, edge_index: Inputs, size: Any = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels); what is smaller goes through the product."""
        mapped_first = isinstance(x, Matrix) or self.in_channels > self.out_channels
        if mapped_first:
            weighted = self.lin_l(x) - self.lin_l.bias
            out = self.propagate(edge_index, x=weighted) + self.lin_l.bias
        else:
            out = self.lin_l(self.propagate(edge_index, x=x))
        result: Tensor = out + self.lin_r(x)
        return result

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Return the mean over neighbours; 0 for a node without any."""
        return multiply(edge_index.adjacency, kwargs["x"]) / edge_index.degree.clamp(min=1)
