"""GAT."""

from dataclasses import dataclass
from typing import ClassVar

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
