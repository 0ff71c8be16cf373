"""GCN with DeepWalk encodings."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings import StoredEncoding, draw_seed
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, EncoderSettings, LinkNetwork
from edgeorbit.models.neural.settings import require_positive


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
        from edgeorbit.models.neural.encodings.deepwalk import deepwalk

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
