"""GCN with Laplacian encodings."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings import FlippedEncoding
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
        from edgeorbit.models.neural.encodings.laplacian import laplacian_eigenvectors

        channels = self.settings.encoding_channels
        compute = partial(laplacian_eigenvectors, graph, channels)
        encoding = FlippedEncoding(graph.num_nodes, channels, compute, self.settings.encoding_scale)
        return EncoderDecoder(self.encoder, in_channels, self.settings, encoding=encoding)
