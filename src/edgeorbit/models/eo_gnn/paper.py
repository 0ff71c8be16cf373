"""EO-GNN by the equations of the paper."""

import torch
from torch import Tensor

from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.decoder import OrbitDecoder
from edgeorbit.models.eo_gnn.encoder import OrbitEncoder, OrbitSettings
from edgeorbit.models.eo_gnn.family import OrbitModel
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork


class PaperNetwork(LinkNetwork):
    """The encoder with D1 and D2, and the three-term decoder."""

    def __init__(self, in_channels: int, settings: OrbitSettings) -> None:
        super().__init__()
        self.width = settings.hidden_channels
        self.encoder = OrbitEncoder(in_channels, settings, layer_norm=False)
        self.decoder = OrbitDecoder(self.width, settings.role_channels, settings.left_out - {"d1", "d2"})

    def encode(self, inputs: Inputs) -> Tensor:
        """Return the embedding of every node, followed by that of its role."""
        return torch.cat(self.encoder(inputs), dim=1)

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        x, roles = embedding.tensor_split([self.width], dim=1)
        return self.decoder.score(x, roles, pairs, inputs.graph)


class EOGNNPaper(OrbitModel):
    """EO-GNN by the paper's equations: orbit-aware dropout, noisy roles in every layer, a three-term decoder.

    It differs from the paper in one thing: colours, orbit sizes and roles are those of the very graph that messages are
    passed on, without the links of the batch. Taken from all training links they tell the answer in training, and
    nothing like it in use.
    """

    name = "eo-gnn-paper"

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return PaperNetwork(in_channels, self.settings)
