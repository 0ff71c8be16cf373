"""DropNode: the features of every node are dropped with the same probability."""

from dataclasses import replace

import numpy as np

from edgeorbit.models.eo_gnn.orbit_dropout import draw_kept
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.perturbations.perturbation import Perturbation
from edgeorbit.models.perturbations.remaining import scale_rows


class DropNode(Perturbation):
    """Drops all features of a node with the same probability, and scales those of the others to the same mean.

    That is the DropNode of GRAND, `x_v e_v / (1 - p)` with `e_v` 1 or 0, without GRAND's own propagation and losses.
    Edges stay. In GraphCL (You et al., NeurIPS 2020) the word means another thing: there a node loses its edges too.
    A network that reads no features is not changed by it.
    """

    citation = (
        "Feng, Zhang, Dong, Han, Luan, Xu, Yang, Kharlamov, Tang: Graph random neural networks for semi-supervised "
        "learning on graphs, NeurIPS 2020"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs with the remaining features; what was derived from the graph holds for them too."""
        rates = np.full(inputs.graph.num_nodes, self.rate, np.float32)
        factors = draw_kept(rates).numpy() / (1 - self.rate)
        return replace(inputs, x=scale_rows(inputs.x, factors.astype(np.float32)))
