"""NCN."""

from typing import ClassVar

from torch import Tensor

from edgeorbit.graph.graph import Graph
from edgeorbit.models.ncn.decoder import CommonNeighbourDecoder
from edgeorbit.models.ncn.encoder import PureEncoder
from edgeorbit.models.ncn.settings import PRESETS, NCNSettings
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel


class NCNNetwork(LinkNetwork):
    """An encoder of nodes, and a decoder that looks at common neighbours."""

    def __init__(self, in_channels: int, settings: NCNSettings, decoder: type[CommonNeighbourDecoder]) -> None:
        super().__init__()
        self.encoder = PureEncoder(in_channels, settings)
        self.decoder = decoder(settings)

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node."""
        embedding: Tensor = self.encoder(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        logits: Tensor = self.decoder(embedding, pairs, inputs.graph)
        return logits


class NCN(NeuralLinkModel):
    """NCN: messages are passed once for all nodes, and a pair is judged by the sum over its common neighbours too.

    As in the original the links of a batch are hidden from messages and from common neighbours. It differs in this:
    both parts learn at one rate; the weights of layers begin at 1, not at random (a single layer would begin with a
    random scale); edges that make common neighbours are dropped for each pair on its own, not once for a batch; and
    pairs without common neighbours share 64 draws of dropout of that term, which for them has nothing to map.
    """

    name = "ncn"
    citation = "Wang, Yang, Zhang: Neural common neighbor with completion for link prediction, ICLR 2024"
    Settings = NCNSettings
    presets: ClassVar = PRESETS
    decoder: ClassVar[type[CommonNeighbourDecoder]] = CommonNeighbourDecoder
    search_space: ClassVar = {
        "decoder_dropout": [0.1, 0.3, 0.5],
        "feature_dropout": [0.0, 0.3, 0.5, 0.7],
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        return NCNNetwork(in_channels, self.settings, self.decoder)
