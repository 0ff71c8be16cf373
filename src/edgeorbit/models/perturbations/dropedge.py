"""DropEdge: every edge is dropped with the same probability."""

import numpy as np

from edgeorbit.models.eo_gnn.orbit_dropout import draw_kept
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.perturbations.perturbation import Perturbation
from edgeorbit.models.perturbations.remaining import keep_edges


class DropEdge(Perturbation):
    """Drops every edge with the same probability, in both directions at once.

    As in the paper, layers normalise by the degrees of the remaining graph, and no weight makes up for what is missing;
    one draw serves all layers.

    Examples
    --------
    >>> import torch
    >>> from edgeorbit.graph.toys import karate
    >>> _ = torch.manual_seed(0)
    >>> 25 < DropEdge(0.5)(Inputs.of(karate(), torch.ones(34, 1))).graph.num_edges < 53
    True
    """

    citation = (
        "Rong, Huang, Xu, Huang: DropEdge: towards deep graph convolutional networks on node classification, ICLR 2020"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs of the remaining graph."""
        rates = np.full(inputs.graph.num_edges, self.rate, np.float32)
        return keep_edges(inputs, draw_kept(rates).numpy())
