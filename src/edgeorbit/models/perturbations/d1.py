"""D1 for any model: the larger the orbit of a node or an edge, the likelier it is dropped."""

from dataclasses import replace

import numpy as np
import torch

from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.encoder import OrbitSettings
from edgeorbit.models.eo_gnn.orbit_dropout import DropoutRates, draw_edge_weights, draw_kept
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.perturbations.perturbation import Perturbation
from edgeorbit.models.perturbations.rates import scale_to_mean
from edgeorbit.models.perturbations.remaining import keep_edges, scale_rows
from edgeorbit.orbits.refine import refine


class D1(Perturbation):
    """Drops features and edges of large orbits: EO-GNN's D1 for any model, of a given mean rate.

    Probabilities are D1's, `min(p_max, alpha_p log(1 + share of the orbit))`, for nodes and for edges each with the
    `alpha_p` for which their mean is the rate; `p_max` and the rounds of colours are EO-GNN's defaults. Up to a rate of
    `p_max` they differ between orbits; from there on all are the rate. As in D1, features are zeroed and the others not
    scaled, and kept edges weigh `1 / (1 - p)`, in the adjacency and in degrees. Orbits are those of the very graph of
    the step.

    Unlike D1 inside of EO-GNN it changes the graph that networks derive things from: otherwise those that look at
    nothing but the graph would not notice it. EO-GNN itself has D1 of its own, which its setting `without=d1` removes.
    """

    citation = "EO-GNN, D1: automorphism-aware dropout"

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs with the remaining features, and those of the remaining graph."""
        rates = inputs.derive(self.find_rates)
        weights, kept = draw_edge_weights(rates.edges), draw_kept(rates.nodes)
        left = keep_edges(inputs, weights > 0, weights)
        return replace(left, x=scale_rows(inputs.x, kept.numpy().astype(np.float32)))

    def find_rates(self, graph: Graph) -> DropoutRates:
        """Return the probabilities for nodes and edges of a graph."""
        default = OrbitSettings()
        # With a scale of 1 and no bound: what D1's rates are in proportion to.
        colouring = refine(graph, default.rounds, threads=torch.get_num_threads())
        unbounded = DropoutRates.of(graph, colouring, alpha_p=1.0, p_max=np.inf)
        return DropoutRates(*(scale_to_mean(weights, self.rate, default.p_max) for weights in unbounded))
