"""Models that differ in their encoder: message passing, or none, and then a decoder over pairs of embeddings.

| name | encoder |
| --- | --- |
| `mlp` | features alone |
| `gcn` | means of neighbours, weighted by degrees |
| `sage` | means of neighbours beside the node itself |
| `gat` | means of neighbours, weighted by learned attention |
| `gin` | sums of neighbours, and a small network over each |
| `mixhop` | means over neighbourhoods of several sizes |
| `chebgcn` | Chebyshev polynomials of the Laplacian |
| `linkx` | features and rows of the adjacency matrix |

`edgeorbit.models.encoders` has the encoders, `edgeorbit.models.encoded_gcn` a GCN over features joined with encodings.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Settings, require_positive
from edgeorbit.models.encoders import (
    ChebEncoder,
    Encoder,
    GATEncoder,
    GCNEncoder,
    GINEncoder,
    LINKXEncoder,
    MixHopEncoder,
    MLPEncoder,
    SAGEEncoder,
    unchanged,
)
from edgeorbit.models.neural.decoders import DECODERS, pair_product
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel


@dataclass(frozen=True)
class EncoderSettings(Settings):
    """The settings of models that are an encoder and a decoder."""

    hidden_channels: int = 256  # as in the comparison of Li et al. 2023, whose protocol this package follows
    num_layers: int = 1  # validation prefers one to two on the Planetoid graphs
    dropout: float = 0.3
    layer_norm: bool = True  # helps every encoder on graphs with few edges per node
    activation: bool = True  # between layers; without it the encoder is linear, as in good recipes for ogbl-ddi
    decoder: str = "mlp"
    decoder_layers: int = 2

    def __post_init__(self) -> None:
        """Validate the settings."""
        require_positive(self, "hidden_channels", "num_layers", "decoder_layers")
        if not 0 <= self.dropout < 1:
            raise InvalidParameterError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        if self.decoder not in DECODERS:
            raise InvalidParameterError(f"there is no decoder {self.decoder!r}; choose from {', '.join(DECODERS)}")


class EncoderDecoder(LinkNetwork):
    """An encoder of nodes, and a decoder of pairs of embeddings."""

    def __init__(self, encoder: Encoder, settings: EncoderSettings) -> None:
        super().__init__()
        self.encoder = encoder
        decoder = DECODERS[settings.decoder]
        self.decoder = decoder(settings.hidden_channels, settings.decoder_layers, settings.dropout)
        self.hops = encoder.hops
        self.in_pieces = True
        self.pairs_at_once = 1024

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node."""
        embedding: Tensor = self.encoder(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        logits: Tensor = self.decoder(pair_product(embedding, inputs.local(pairs)))
        return logits


class EncoderModel(NeuralLinkModel):
    """A link predictor made of an encoder and a decoder.

    Attributes
    ----------
    encoder : type
        The class of the encoder.
    """

    Settings = EncoderSettings
    encoder: ClassVar[type[Encoder]]
    search_space: ClassVar = {
        "decoder": ["dot", "mlp"],
        "decoder_layers": [1, 2, 3],
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        chosen, options = self.settings, self.encoder_options(graph)
        shape = in_channels, chosen.hidden_channels, chosen.num_layers
        encoder = self.encoder(*shape, chosen.dropout, chosen.layer_norm, **options)
        if not chosen.activation:
            encoder.activation = unchanged
        return EncoderDecoder(encoder, chosen)

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return what the encoder takes beside the arguments of every encoder."""
        return {}


class MLP(EncoderModel):
    """A network over the features of nodes alone: what can be predicted without looking at any edge."""

    name = "mlp"
    citation = "Rumelhart, Hinton, Williams: Learning representations by back-propagating errors, Nature 323, 1986"
    encoder = MLPEncoder


class GCN(EncoderModel):
    """Graph convolutional network: every layer averages a node and its neighbours, weighted by degrees."""

    name = "gcn"
    citation = "Kipf, Welling: Semi-supervised classification with graph convolutional networks, ICLR 2017"
    encoder = GCNEncoder


class GraphSAGE(EncoderModel):
    """GraphSAGE: every layer joins a node with the mean of its neighbours."""

    name = "sage"
    citation = "Hamilton, Ying, Leskovec: Inductive representation learning on large graphs, NeurIPS 2017"
    encoder = SAGEEncoder


@dataclass(frozen=True)
class GATSettings(EncoderSettings):
    """The settings of GAT."""

    heads: int = 4  # divides every width of the search space; on Cora 1, 4 and 8 validate alike

    def __post_init__(self) -> None:
        """Refuse heads that cannot share the channels equally."""
        super().__post_init__()
        require_positive(self, "heads")
        if self.hidden_channels % self.heads:
            raise InvalidParameterError(
                f"hidden_channels must be a multiple of heads, not {self.hidden_channels} with {self.heads} heads"
            )


class GAT(EncoderModel):
    """Graph attention network: every layer averages a node and its neighbours, weighted by learned attention."""

    name = "gat"
    citation = "Veličković, Cucurull, Casanova, Romero, Liò, Bengio: Graph attention networks, ICLR 2018"
    encoder = GATEncoder
    Settings = GATSettings
    search_space: ClassVar = EncoderModel.search_space | {"heads": [1, 4, 8]}

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the further arguments of the encoder."""
        return {"heads": self.settings.heads}


class GIN(EncoderModel):
    """Graph isomorphism network: every layer is a small network over the sum of a node and its neighbours."""

    name = "gin"
    citation = "Xu, Hu, Leskovec, Jegelka: How powerful are graph neural networks?, ICLR 2019"
    encoder = GINEncoder


@dataclass(frozen=True)
class MixHopSettings(EncoderSettings):
    """The settings of MixHop."""

    hops: int = 2  # the powers 0, 1 and 2, as in the paper

    def __post_init__(self) -> None:
        """Refuse more powers than channels."""
        super().__post_init__()
        require_positive(self, "hops")
        if self.hidden_channels <= self.hops:
            raise InvalidParameterError(
                f"hidden_channels must be above hops, not {self.hidden_channels} with {self.hops} hops"
            )


class MixHop(EncoderModel):
    """MixHop: every layer joins averages over neighbourhoods of several sizes, each with weights of its own."""

    name = "mixhop"
    citation = (
        "Abu-El-Haija, Perozzi, Kapoor, Alipourfard, Lerman, Harutyunyan, Ver Steeg, Galstyan: MixHop: higher-order "
        "graph convolutional architectures via sparsified neighborhood mixing, ICML 2019"
    )
    encoder = MixHopEncoder
    Settings = MixHopSettings
    search_space: ClassVar = EncoderModel.search_space | {"hops": [1, 2, 3]}

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the further arguments of the encoder."""
        return {"hops": self.settings.hops}


@dataclass(frozen=True)
class ChebGCNSettings(EncoderSettings):
    """The settings of ChebGCN."""

    K: int = 3  # terms, so neighbours at distance two: the better choice on citation graphs (Kipf and Welling 2017)

    def __post_init__(self) -> None:
        """Refuse a sum without terms."""
        super().__post_init__()
        require_positive(self, "K")


class ChebGCN(EncoderModel):
    """Spectral graph convolution: every layer is a Chebyshev polynomial of the graph's Laplacian."""

    name = "chebgcn"
    citation = (
        "Defferrard, Bresson, Vandergheynst: Convolutional neural networks on graphs with fast localized spectral "
        "filtering, NeurIPS 2016"
    )
    encoder = ChebEncoder
    Settings = ChebGCNSettings
    search_space: ClassVar = EncoderModel.search_space | {"K": [2, 3, 4]}

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the further arguments of the encoder."""
        return {"K": self.settings.K}


class LINKX(EncoderModel):
    """LINKX: a network over the features of a node and its row of the adjacency matrix, without message passing.

    Every node has weights of its own, so what is learned belongs to one graph. In training the rows are those of the
    graph without the target links.
    """

    name = "linkx"
    citation = (
        "Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim: Large scale learning on non-homophilous graphs: new benchmarks "
        "and strong simple methods, NeurIPS 2021"
    )
    encoder = LINKXEncoder
    transductive = True

    def encoder_options(self, graph: Graph) -> dict[str, Any]:
        """Return the further arguments of the encoder."""
        return {"num_nodes": graph.num_nodes}
