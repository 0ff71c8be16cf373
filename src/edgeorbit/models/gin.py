"""GIN."""

from edgeorbit.models.neural.model import EncoderModel


class GIN(EncoderModel):
    """Graph isomorphism network: every layer is a small network over the sum of a node and its neighbours."""

    name = "gin"
    citation = "Xu, Hu, Leskovec, Jegelka: How powerful are graph neural networks?, ICLR 2019"
    encoder = "gin"
