"""MixHop."""

from dataclasses import dataclass
from typing import ClassVar

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
