"""MLP."""

from edgeorbit.models.neural.model import EncoderModel


class MLP(EncoderModel):
    """A network over the features of nodes alone: what can be predicted without looking at any edge."""

    name = "mlp"
    citation = "Rumelhart, Hinton, Williams: Learning representations by back-propagating errors, Nature 323, 1986"
    encoder = "mlp"
