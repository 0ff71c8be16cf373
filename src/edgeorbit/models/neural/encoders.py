"""Encoders: from a graph and its features to an embedding of every node."""

from collections.abc import Callable
from itertools import pairwise

import torch
from class_resolver import ClassResolver
from torch import Tensor, nn

from edgeorbit.models.neural.dropout import dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Features, Inputs
from edgeorbit.models.neural.layers import GCNLayer, SAGELayer


class Encoder(nn.Module):
    """Layers with normalisation, activation and dropout between them.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers
        The width of the features, of every layer, and the number of layers.
    dropout
        Share of values that are dropped after every layer but the last, in training.
    layer_norm
        Whether every layer but the last is normalised.
    """

    layer: Callable[[int, int], nn.Module]

    def __init__(
        self, in_channels: int, hidden_channels: int, num_layers: int, dropout: float, layer_norm: bool
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * num_layers]
        make = type(self).layer
        self.layers = nn.ModuleList(make(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(
            nn.LayerNorm(hidden_channels) if layer_norm else nn.Identity() for _ in range(num_layers - 1)
        )
        self.dropout = dropout

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings, shape (num_nodes, hidden_channels)."""
        hidden = self.apply_layer(0, inputs.x, inputs)
        for i, norm in enumerate(self.norms, 1):
            hidden = dropout(torch.relu(norm(hidden)), self.dropout, self.training)
            hidden = self.apply_layer(i, hidden, inputs)
        return hidden

    def apply_layer(self, number: int, x: Features, inputs: Inputs) -> Tensor:
        """Apply one layer."""
        out: Tensor = self.layers[number](x, inputs)
        return out


class GCNEncoder(Encoder):
    """Layers of `D^-1/2 (A + I) D^-1/2 X W`."""

    layer = GCNLayer


class SAGEEncoder(Encoder):
    """Layers that join a node with the mean of its neighbours."""

    layer = SAGELayer


class MLPEncoder(Encoder):
    """Layers that look at the features alone, and at no edge."""

    layer = FeatureLinear

    def apply_layer(self, number: int, x: Features, inputs: Inputs) -> Tensor:
        """Apply one layer."""
        out: Tensor = self.layers[number](x)
        return out


encoder_resolver: ClassResolver[Encoder] = ClassResolver(
    [GCNEncoder, SAGEEncoder, MLPEncoder], base=Encoder, suffix="Encoder"
)
