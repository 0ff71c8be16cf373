"""What an engine returns: the counts from which EAR follows."""

from dataclasses import asdict, dataclass
from typing import Any

from edgeorbit.measures.ear import Measurement, Variant, check_gamma


@dataclass(frozen=True)
class Measured:
    """How symmetric a graph looks to a message-passing network, as one of the engines counted it.

    Attributes
    ----------
    graph, engine
        What was measured, and by which engine.
    num_nodes, num_edges, merged_edges, self_loops
        The size of the graph, and how many rows of the input were merged or dropped.
    rounds, stable
        Rounds after which the colours were reached, and whether a further one would change nothing.
    num_colours, num_shared_nodes
        Number of colours, and of nodes that share theirs with another.
    num_edge_orbits
        Pairs of colours that some edge has.
    num_alone_edges, num_alone_within_colour
        Edges that are the only one of their orbit, and those among them whose two ends have the same colour.
    colours_by_round
        Number of colours at the start and after each round.
    seconds_by_round
        How long each round took that the engine made on its tables; rounds in memory are not among them.
    """

    graph: str
    engine: str
    num_nodes: int
    num_edges: int
    merged_edges: int
    self_loops: int
    rounds: int
    stable: bool
    num_colours: int
    num_shared_nodes: int
    num_edge_orbits: int
    num_alone_edges: int
    num_alone_within_colour: int
    colours_by_round: list[int]
    seconds_by_round: list[float]

    def num_indistinguishable_edges(self, variant: Variant = "multiset") -> int:
        """Return how many edges have a look-alike; for `ordered`, an edge within one colour meets its own reverse."""
        return self.num_edges - self.num_alone_edges + (self.num_alone_within_colour if variant == "ordered" else 0)

    def ear(self, gamma: float = 1.0, variant: Variant = "multiset") -> float:
        """Return the Edge Automorphism Ratio; 0 for a graph without edges."""
        check_gamma(gamma)
        return float((self.num_indistinguishable_edges(variant) / self.num_edges) ** gamma) if self.num_edges else 0.0

    @property
    def alpha_v(self) -> float:
        """Share of nodes that share their colour."""
        return 1 - (self.num_nodes - self.num_shared_nodes) / self.num_nodes if self.num_nodes else 0.0

    def measurement(self, gamma: float = 1.0, variant: Variant = "multiset", initial: str | None = None) -> Measurement:
        """Return the numbers as `edgeorbit.measures.measure` gives them, without EAR by round."""
        return Measurement(
            graph=self.graph,
            num_nodes=self.num_nodes,
            num_edges=self.num_edges,
            merged_edges=self.merged_edges,
            self_loops=self.self_loops,
            rounds=self.rounds,
            stable=self.stable,
            num_node_orbits=self.num_colours,
            num_edge_orbits=self.num_edge_orbits,
            num_indistinguishable_edges=self.num_indistinguishable_edges(variant),
            gamma=gamma,
            variant=variant,
            initial=initial,
            ear=self.ear(gamma, variant),
            alpha_v=self.alpha_v,
            alpha_e=self.ear(1.0, variant),
            ear_by_round=[],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)
