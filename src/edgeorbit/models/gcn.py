"""GCN."""

from edgeorbit.models.neural.model import EncoderModel


class GCN(EncoderModel):
    """Graph convolutional network: every layer averages a node and its neighbours, weighted by degrees."""

    name = "gcn"
    citation = "Kipf, Welling: Semi-supervised classification with graph convolutional networks, ICLR 2017"
    encoder = "gcn"
