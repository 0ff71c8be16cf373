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
| `gcn-dw`, `gcn-lap`, `gcn-rf` | GCN over features joined with encodings: DeepWalk, Laplacian eigenvectors, random |
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import require_positive
from edgeorbit.models.neural.encodings import FlippedEncoding, RandomEncoding, StoredEncoding, draw_seed
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork


class MLP(EncoderModel):
    """A network over the features of nodes alone: what can be predicted without looking at any edge."""

    name = "mlp"
    citation = "Rumelhart, Hinton, Williams: Learning representations by back-propagating errors, Nature 323, 1986"
    encoder = "mlp"


class GCN(EncoderModel):
    """Graph convolutional network: every layer averages a node and its neighbours, weighted by degrees."""

    name = "gcn"
    citation = "Kipf, Welling: Semi-supervised classification with graph convolutional networks, ICLR 2017"
    encoder = "gcn"


class GraphSAGE(EncoderModel):
    """GraphSAGE: every layer joins a node with the mean of its neighbours."""

    name = "sage"
    citation = "Hamilton, Ying, Leskovec: Inductive representation learning on large graphs, NeurIPS 2017"
    encoder = "sage"


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
    encoder = "gat"
    Settings = GATSettings
    search_space: ClassVar = EncoderModel.search_space | {"heads": [1, 4, 8]}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        return EncoderDecoder(self.encoder, in_channels, self.settings, heads=self.settings.heads)


class GIN(EncoderModel):
    """Graph isomorphism network: every layer is a small network over the sum of a node and its neighbours."""

    name = "gin"
    citation = "Xu, Hu, Leskovec, Jegelka: How powerful are graph neural networks?, ICLR 2019"
    encoder = "gin"


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
    encoder = "mixhop"
    Settings = MixHopSettings
    search_space: ClassVar = EncoderModel.search_space | {"hops": [1, 2, 3]}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        return EncoderDecoder(self.encoder, in_channels, self.settings, hops=self.settings.hops)


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
    encoder = "cheb"
    Settings = ChebGCNSettings
    search_space: ClassVar = EncoderModel.search_space | {"K": [2, 3, 4]}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        return EncoderDecoder(self.encoder, in_channels, self.settings, K=self.settings.K)


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
    encoder = "linkx"
    transductive = True

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encoder and the decoder."""
        return EncoderDecoder(self.encoder, in_channels, self.settings, num_nodes=graph.num_nodes)


@dataclass(frozen=True)
class DeepWalkSettings(EncoderSettings):
    """The settings of a GCN with DeepWalk encodings."""

    encoding_channels: int = 64  # on Cora as good as 128, at half the time
    encoding_scale: float = 0.1  # beside features of size 1; at scale 1 training leans on what it knows of its targets
    walks_per_node: int = 10  # node2vec's; twice as many tell links from non-links no better on Cora
    walk_length: int = 40  # DeepWalk's
    window: int = 5  # half of DeepWalk's: half the time, and on Cora as good

    def __post_init__(self) -> None:
        """Refuse values that make no walks."""
        super().__post_init__()
        require_positive(self, "encoding_channels", "encoding_scale", "walks_per_node", "walk_length", "window")


class GCNDeepWalk(EncoderModel):
    """GCN over features joined with DeepWalk encodings, which are alike for nodes that random walks meet together.

    The encodings are computed once from the whole training graph, as in the literature: it holds no validation or test
    edge, but the target links of training, which messages do not see, have left their trace in them.
    """

    name = "gcn-dw"
    citation = "Perozzi, Al-Rfou, Skiena: DeepWalk: online learning of social representations, KDD 2014"
    encoder = "encodedgcn"
    transductive = True
    Settings = DeepWalkSettings
    search_space: ClassVar = EncoderModel.search_space | {
        "encoding_channels": [32, 64, 128],
        "encoding_scale": [0.03, 0.1, 1.0],
        "window": [2, 5, 10],
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encodings, the encoder and the decoder."""
        from edgeorbit.models.neural.deepwalk import deepwalk

        chosen = self.settings
        compute = partial(
            deepwalk,
            graph,
            chosen.encoding_channels,
            walks_per_node=chosen.walks_per_node,
            walk_length=chosen.walk_length,
            window=chosen.window,
            seed=draw_seed(),
        )
        encoding = StoredEncoding(graph.num_nodes, chosen.encoding_channels, compute, chosen.encoding_scale)
        return EncoderDecoder(self.encoder, in_channels, chosen, encoding=encoding)


@dataclass(frozen=True)
class LaplacianSettings(EncoderSettings):
    """The settings of a GCN with Laplacian encodings."""

    encoding_channels: int = 32  # eigenvectors; by themselves they tell links of Cora better than 16 or 64 do
    encoding_scale: float = 0.1  # beside features of size 1; at scale 1 training leans on what it knows of its targets

    def __post_init__(self) -> None:
        """Refuse an encoding without channels."""
        super().__post_init__()
        require_positive(self, "encoding_channels", "encoding_scale")


class GCNLaplacian(EncoderModel):
    """GCN over features joined with Laplacian eigenvectors, which tell where in the graph a node lies.

    The sign of an eigenvector means nothing: it is drawn anew in every training step, and otherwise a fixed one. The
    eigenvectors are computed once from the whole training graph, as in the literature: it holds no validation or test
    edge, but the target links of training, which messages do not see, have left their trace in them.
    """

    name = "gcn-lap"
    citation = (
        "Dwivedi, Joshi, Luu, Laurent, Bengio, Bresson: Benchmarking graph neural networks, Journal of Machine "
        "Learning Research 24, 2023"
    )
    encoder = "encodedgcn"
    transductive = True
    Settings = LaplacianSettings
    search_space: ClassVar = EncoderModel.search_space | {
        "encoding_channels": [8, 16, 32, 64],
        "encoding_scale": [0.03, 0.1, 1.0],
    }

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encodings, the encoder and the decoder."""
        from edgeorbit.models.neural.laplacian import laplacian_eigenvectors

        channels = self.settings.encoding_channels
        compute = partial(laplacian_eigenvectors, graph, channels)
        encoding = FlippedEncoding(graph.num_nodes, channels, compute, self.settings.encoding_scale)
        return EncoderDecoder(self.encoder, in_channels, self.settings, encoding=encoding)


@dataclass(frozen=True)
class RandomFeatureSettings(EncoderSettings):
    """The settings of a GCN with random features."""

    encoding_channels: int = 64  # as many as the package's random features in the place of others

    def __post_init__(self) -> None:
        """Refuse an encoding without channels."""
        super().__post_init__()
        require_positive(self, "encoding_channels")


class GCNRandom(EncoderModel):
    """GCN over features joined with random ones, which tell all nodes apart: new in every training step.

    Outside training they are always the same. They belong to no node, so the model can be used on another graph.
    """

    name = "gcn-rf"
    citation = "Sato, Yamada, Kashima: Random features strengthen graph neural networks, SDM 2021"
    encoder = "encodedgcn"
    Settings = RandomFeatureSettings
    search_space: ClassVar = EncoderModel.search_space | {"encoding_channels": [16, 64, 256]}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the encodings, the encoder and the decoder."""
        encoding = RandomEncoding(self.settings.encoding_channels, draw_seed())
        return EncoderDecoder(self.encoder, in_channels, self.settings, encoding=encoding)
