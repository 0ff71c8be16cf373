"""GCN with random features."""

from dataclasses import dataclass
from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings import RandomEncoding, draw_seed
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
