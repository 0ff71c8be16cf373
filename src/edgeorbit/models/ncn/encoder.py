"""The encoder of NCN: features are mapped once, and messages are passed without weights."""

import torch
from torch import Tensor, nn

from edgeorbit.models.ncn.settings import NCNSettings
from edgeorbit.models.neural.dropout import drop_features, dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Inputs
from edgeorbit.models.neural.layers import average
from edgeorbit.models.neural.product import multiply


class PureEncoder(nn.Module):
    """Layers of `D^-1/2 (A + I) D^-1/2 H`, or of `A H`, over `H = X W + b`.

    Parameters
    ----------
    in_channels
        Width of the features.
    settings
        See `NCNSettings`.
    """

    def __init__(self, in_channels: int, settings: NCNSettings) -> None:
        super().__init__()
        self.settings = settings
        self.first = FeatureLinear(in_channels, settings.hidden_channels)
        self.weights = nn.Parameter(torch.ones(settings.num_layers)) if settings.jumping else None

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings, shape (num_nodes, hidden_channels)."""
        settings = self.settings
        hidden = self.first(drop_features(inputs.x, settings.feature_dropout, self.training))
        hidden = dropout(hidden, settings.dropout, self.training)
        layers = []
        for number in range(settings.num_layers):
            passed = average(inputs, hidden) if settings.convolution == "gcn" else multiply(inputs.adjacency, hidden)
            if number == settings.num_layers - 1:
                passed = dropout(passed, settings.last_dropout, self.training)
            hidden = passed + hidden if settings.residual else passed
            layers.append(hidden)
        if self.weights is None:
            return layers[-1]
        return torch.stack([weight * layer for weight, layer in zip(self.weights, layers, strict=True)]).sum(dim=0)
