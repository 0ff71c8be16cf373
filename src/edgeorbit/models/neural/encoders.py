"""Encoders: from a graph and its features to an embedding of every node."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from class_resolver import ClassResolver
from torch import Tensor, nn

from edgeorbit.models.neural.dropout import dropout
from edgeorbit.models.neural.encodings import NodeEncoding
from edgeorbit.models.neural.inputs import FeatureLinear, Features, Inputs
from edgeorbit.models.neural.layers import (
    ChebLayer,
    GATLayer,
    GCNLayer,
    GINLayer,
    Joined,
    LINKXLayer,
    MixHopLayer,
    SAGELayer,
)


class Encoder(nn.Module):
    """Layers, each with normalisation and dropout, and activation between them.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers
        The width of the features, of every layer, and the number of layers.
    dropout
        Share of values that are dropped after every layer, in training; without `layer_norm` not after the last, as in
        the papers.
    layer_norm
        Whether what every layer returns is normalised, unless it is made of a single channel: then it differs from node
        to node by its scale, which a norm would erase.
    **options
        Further arguments of every layer.
    """

    layer: Callable[..., nn.Module]

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        **options: Any,
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * num_layers]
        make = type(self).layer
        self.layers = nn.ModuleList(make(a, b, **options) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(
            nn.LayerNorm(hidden_channels) if layer_norm and width > 1 else nn.Identity() for width in widths[:-1]
        )
        self.dropout = dropout
        self.last_dropout = dropout if layer_norm else 0.0

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings, shape (num_nodes, hidden_channels)."""
        hidden = self.apply_layer(0, self.features(inputs), inputs)
        for i, norm in enumerate(list(self.norms)[:-1], 1):
            hidden = dropout(torch.relu(norm(hidden)), self.dropout, self.training)
            hidden = self.apply_layer(i, hidden, inputs)
        return dropout(self.norms[-1](hidden), self.last_dropout, self.training)

    def features(self, inputs: Inputs) -> Features | Joined:
        """Return what the first layer is given."""
        return inputs.x

    def apply_layer(self, number: int, x: Features | Joined, inputs: Inputs) -> Tensor:
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

    def apply_layer(self, number: int, x: Features | Joined, inputs: Inputs) -> Tensor:
        """Apply one layer."""
        out: Tensor = self.layers[number](x)
        return out


class GATEncoder(Encoder):
    """Layers of attention over a node and its neighbours."""

    layer = GATLayer


class GINEncoder(Encoder):
    """Layers of a network over the sum of a node and its neighbours."""

    layer = GINLayer

    def __init__(
        self, in_channels: int, hidden_channels: int, num_layers: int, dropout: float, layer_norm: bool
    ) -> None:
        super().__init__(in_channels, hidden_channels, num_layers, dropout, layer_norm, inner_norm=layer_norm)


class MixHopEncoder(Encoder):
    """Layers that join several powers of GCN's average."""

    layer = MixHopLayer


class ChebEncoder(Encoder):
    """Layers of Chebyshev polynomials of the normalised Laplacian."""

    layer = ChebLayer


class LINKXEncoder(Encoder):
    """A layer over features and rows of the adjacency matrix, and `num_layers` layers over what it found.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers, dropout, layer_norm
        As for every encoder; `num_layers` counts the layers after the first.
    num_nodes
        The number of nodes, each of which has weights of its own.
    """

    layer = FeatureLinear

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        *,
        num_nodes: int,
    ) -> None:
        super().__init__(hidden_channels, hidden_channels, num_layers + 1, dropout, layer_norm)
        self.layers[0] = LINKXLayer(num_nodes, in_channels, hidden_channels)

    def apply_layer(self, number: int, x: Features | Joined, inputs: Inputs) -> Tensor:
        """Apply one layer; only the first looks at edges."""
        out: Tensor = self.layers[0](x, inputs) if number == 0 else self.layers[number](x)
        return out


class EncodedGCNEncoder(GCNEncoder):
    """Layers of a GCN, the first over features that are joined with an encoding of every node.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers, dropout, layer_norm
        As for every encoder.
    encoding
        What is joined with the features.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        *,
        encoding: NodeEncoding,
    ) -> None:
        super().__init__(in_channels + encoding.channels, hidden_channels, num_layers, dropout, layer_norm)
        self.encoding = encoding

    def features(self, inputs: Inputs) -> Joined:
        """Return the features, joined with the encoding."""
        return Joined(inputs.x, self.encoding(inputs))


encoder_resolver: ClassResolver[Encoder] = ClassResolver(
    [
        GCNEncoder,
        SAGEEncoder,
        MLPEncoder,
        GATEncoder,
        GINEncoder,
        MixHopEncoder,
        ChebEncoder,
        LINKXEncoder,
        EncodedGCNEncoder,
    ],
    base=Encoder,
    suffix="Encoder",
)
