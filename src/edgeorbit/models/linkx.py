"""LINKX."""

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.model import EncoderDecoder, EncoderModel, LinkNetwork


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
