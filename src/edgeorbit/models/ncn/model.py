"""NCN and NCNC, with the settings that were published for data sets."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from torch import Tensor

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Preset
from edgeorbit.models.ncn.network import (
    CommonNeighbourDecoder,
    CompletingDecoder,
    NCNCSettings,
    NCNSettings,
    PureEncoder,
)
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel


def _preset(training: dict[str, Any], **settings: Any) -> Preset:
    return Preset(settings, training)


# Of Li et al. 2023 for the Planetoid graphs, and of the authors for ogbl-ddi, whose two learning rates (0.0021 for the
# encoder, 0.0018 for the decoder) are one here. The 1024 links of a step on the Planetoid graphs are not for others: a
# graph of millions has steps in proportion (`usual_batch_size`).
PRESETS = {
    "*": _preset({"learning_rate": 0.001, "patience": 10}),
    "cora": _preset(
        {"batch_size": 1024, "learning_rate": 0.01, "weight_decay": 1e-4},
        **{"hidden_channels": 128, "num_layers": 2, "feature_dropout": 0.7, "dropout": 0.1, "last_dropout": 0.3},
        **{"decoder_dropout": 0.1, "edge_dropout": 0.4, "final_layers": 1},
    ),
    "citeseer": _preset({"batch_size": 1024, "weight_decay": 1e-7}),
    "pubmed": _preset(
        {"batch_size": 1024},
        num_layers=3,
        feature_dropout=0.3,
        dropout=0.3,
        last_dropout=0.0,
        decoder_dropout=0.3,
        final_layers=1,
    ),
    "ogbl-ddi": _preset(
        {"batch_size": 24576, "learning_rate": 0.002, "epochs": 100},
        **{"hidden_channels": 224, "convolution": "sum", "jumping": False, "residual": True},
        **{"feature_dropout": 0.0, "dropout": 0.4, "decoder_dropout": 0.6, "last_activation": False},
    ),
}
COMPLETION_PRESETS = {
    name: preset | Preset(settings)
    for (name, preset), settings in zip(
        PRESETS.items(),
        (
            {},
            {"scale": 4.3, "offset": 2.8, "alpha": 1.0},
            {},
            {"scale": 5.3, "offset": 0.5, "prior": 0.5, "alpha": 0.3},
            # All candidates of a pair of ogbl-ddi are about a thousand; eight of them are an estimate that ends.
            {"scale": 10.0, "offset": 3.0, "prior": 0.1, "alpha": 0.5, "completed": 4},
        ),
        strict=True,
    )
}


class NCNNetwork(LinkNetwork):
    """An encoder of nodes, and a decoder that looks at common neighbours."""

    def __init__(self, in_channels: int, settings: NCNSettings, decoder: type[CommonNeighbourDecoder]) -> None:
        super().__init__()
        self.encoder = PureEncoder(in_channels, settings)
        self.decoder = decoder(settings)
        self.hops = settings.num_layers
        self.in_pieces = True
        if decoder is CommonNeighbourDecoder:  # completion maps all nodes in every call
            self.pairs_at_once = 4096

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node."""
        embedding: Tensor = self.encoder(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        logits: Tensor = self.decoder(embedding, inputs, pairs)
        return logits

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on."""
        return self.decoder.reads(inputs, pairs)


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


class NCNC(NCN):
    """NCNC: NCN with completion, where neighbours of one node count as common as far as NCN finds their link likely.

    Beside what `NCN` says, it differs from the original in this: links to complete are judged without dropout, and by
    the embeddings that NCN itself would see (the published code shifts common neighbours a second time); on ogbl-ddi
    it learns from the start, not from the weights of a trained NCN, and draws some candidates instead of all.
    """

    name = "ncnc"
    Settings = NCNCSettings
    presets: ClassVar = COMPLETION_PRESETS
    decoder = CompletingDecoder
    search_space: ClassVar = NCN.search_space | {"alpha": [0.3, 0.5, 1.0], "prior": [0.1, 0.5, 0.75]}
