"""What the two members of the family have in common: where they come from, what to search, what to say of a graph."""

from typing import ClassVar

from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.encoder import OrbitSettings
from edgeorbit.models.neural.model import NeuralLinkModel
from edgeorbit.orbits.refine import refine


class OrbitModel(NeuralLinkModel):
    """A member of the family of EO-GNN."""

    citation = "Edge-Level Automorphism in GNNs: A Quantitative Framework and Effective Designs for Link Prediction"
    Settings = OrbitSettings
    search_space: ClassVar = {
        "rounds": [1, 2, 3],
        "tau": [0.0, 0.1, 0.5],
        "alpha_p": [0.0, 1.0, 5.0],
    }

    def remarks(self, graph: Graph) -> list[str]:
        """Say if the orbits of a graph leave D1 and D2 nothing to do."""
        settings = self.settings
        if refine(graph, settings.rounds).num_colours < graph.num_nodes or {"d1", "d2"} <= settings.left_out:
            return []
        return [
            f"every node of {graph.name} has a role of its own after {settings.rounds} rounds, so that D1 and D2 have "
            "little to act on; fewer rounds give shared roles"
        ]
