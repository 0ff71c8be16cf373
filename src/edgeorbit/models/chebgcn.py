"""ChebGCN."""

from dataclasses import dataclass
from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
