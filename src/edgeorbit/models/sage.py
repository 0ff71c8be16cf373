"""GraphSAGE."""

from edgeorbit.models.neural.model import EncoderModel


class GraphSAGE(EncoderModel):
    """GraphSAGE: every layer joins a node with the mean of its neighbours."""

    name = "sage"
    citation = "Hamilton, Ying, Leskovec: Inductive representation learning on large graphs, NeurIPS 2017"
    encoder = "sage"
