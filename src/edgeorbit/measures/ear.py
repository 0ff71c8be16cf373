"""The Edge Automorphism Ratio: the share of edges that message passing cannot tell from another edge."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import OrbitCounts, count_alone_when_stable, count_edge_orbits
from edgeorbit.orbits.refine import Refinement, check_rounds, refine

Variant = Literal["multiset", "ordered"]
MAX_ROUNDS_LISTED = 64  # no network has more layers; a long path has a round for every second node


def ear(
    graph: Graph,
    gamma: float = 1.0,
    rounds: int | None = None,
    variant: Variant = "multiset",
    *,
    initial: str | npt.ArrayLike | None = None,
    threads: int | None = None,
) -> float:
    """Return the Edge Automorphism Ratio `(indistinguishable edges / edges) ** gamma`.

    Parameters
    ----------
    graph
        The graph; without edges its EAR is 0.
    gamma
        Exponent in (0, 1].
    rounds
        Rounds of colour refinement, as many as a network has layers; None for stable colours.
    variant
        `"multiset"`: an edge orbit is an unordered pair of colours (the definition). `"ordered"`: ordered pairs over
        both directions of every edge, so that an edge between two nodes of one colour always counts as
        indistinguishable (as in the paper's table of real graphs).
    initial, threads
        As for `edgeorbit.refine`.

    Examples
    --------
    All edges of a cycle look alike; without one of them, only the middle edge of the path is unique:

    >>> cycle = Graph.from_edges([(i, (i + 1) % 8) for i in range(8)])
    >>> ear(cycle)
    1.0
    >>> path = Graph.from_edges([(i, i + 1) for i in range(7)])
    >>> round(ear(path), 4)
    0.8571
    """
    check_gamma(gamma)
    colouring = refine(graph, rounds, initial, threads=threads)
    return _ear(graph.num_edges, _count_indistinguishable(graph, colouring, variant), gamma)


def ear_by_round(
    graph: Graph,
    gamma: float = 1.0,
    rounds: int | None = None,
    variant: Variant = "multiset",
    *,
    initial: str | npt.ArrayLike | None = None,
    threads: int | None = None,
) -> list[float]:
    """Return EAR before the first round and after each, until the colours are stable or `rounds` are made.

    The list ends after `MAX_ROUNDS_LISTED` rounds; the stable value of a graph that needs more is `ear`'s.

    >>> ear_by_round(Graph.from_edges([(i, i + 1) for i in range(5)]))
    [1.0, 1.0, 0.8]
    """
    return measure(graph, gamma, rounds, variant, initial=initial, threads=threads).ear_by_round


@dataclass(frozen=True)
class Measurement:
    """The EAR of a graph and what it was computed from; every engine returns one.

    Attributes
    ----------
    graph, num_nodes, num_edges, merged_edges, self_loops
        The graph, and what was merged or dropped when it was read.
    rounds, stable
        Rounds of refinement made, and whether a further one would change nothing.
    num_node_orbits, num_edge_orbits
        Numbers of colours, and of pairs of colours that some edge has.
    num_indistinguishable_edges
        Edges whose orbit holds another edge.
    gamma, variant, initial
        The settings; `initial` is None, a name, or "given".
    ear
        `(num_indistinguishable_edges / num_edges) ** gamma`; 0 for a graph without edges.
    alpha_v, alpha_e
        Shares of nodes and of edges whose orbit holds another.
    ear_by_round
        EAR at the start and after each round, for the first `MAX_ROUNDS_LISTED` rounds. Empty if it was measured by
        `edgeorbit.engines`: it would take a pass over all edges after each round.
    engine
        `memory`, `duckdb` or `spark`.
    colours_by_round, seconds_by_round
        Of `edgeorbit.engines`: the number of colours at the start and after each round, and how long each round took
        that was made on tables.
    """

    graph: str
    num_nodes: int
    num_edges: int
    merged_edges: int
    self_loops: int
    rounds: int
    stable: bool
    num_node_orbits: int
    num_edge_orbits: int
    num_indistinguishable_edges: int
    gamma: float
    variant: Variant
    initial: str | None
    ear: float
    alpha_v: float
    alpha_e: float
    ear_by_round: list[float] = field(default_factory=list)
    engine: str = "memory"
    colours_by_round: list[int] = field(default_factory=list)
    seconds_by_round: list[float] = field(default_factory=list)

    @classmethod
    def from_counts(
        cls, counts: OrbitCounts, num_edges: int, gamma: float, variant: Variant, initial: Any, **facts: Any
    ) -> "Measurement":
        """Compute EAR from the counts of edge orbits; `facts` are the other attributes."""
        indistinguishable = _indistinguishable(num_edges, counts.alone, counts.alone_within_colour, variant)
        return cls(
            num_edges=num_edges,
            num_edge_orbits=counts.num_orbits,
            num_indistinguishable_edges=indistinguishable,
            gamma=gamma,
            variant=variant,
            initial=initial if initial is None or isinstance(initial, str) else "given",
            ear=_ear(num_edges, indistinguishable, gamma),
            alpha_e=_ear(num_edges, indistinguishable, 1.0),
            **facts,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes that were measured as a dictionary that JSON can hold."""
        by_engine = {"engine", "colours_by_round", "seconds_by_round"}
        left_out = by_engine if self.ear_by_round else {"ear_by_round"}
        return {name: value for name, value in asdict(self).items() if name not in left_out}


def measure(
    graph: Graph,
    gamma: float = 1.0,
    rounds: int | None = None,
    variant: Variant = "multiset",
    *,
    initial: str | npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Measure EAR, its course over the rounds, and the numbers of orbits.

    Parameters
    ----------
    graph, gamma, rounds, variant, initial, threads
        As for `ear`.
    progress
        Called after each round that is listed with the number of rounds and of colours.

    Examples
    --------
    >>> prism = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)])
    >>> found = measure(prism)
    >>> found.ear, found.num_edge_orbits
    (1.0, 1)
    """
    check_gamma(gamma)
    limit = check_rounds(rounds)
    refinement = Refinement(graph, initial, threads=threads, prove_rounds=True)
    by_round: list[float] = []
    made = -1
    while made < refinement.rounds <= MAX_ROUNDS_LISTED:
        made = refinement.rounds
        colouring = refinement.colouring()
        indistinguishable = _count_indistinguishable(graph, colouring, variant)
        by_round.append(_ear(graph.num_edges, indistinguishable, gamma))
        if progress is not None:
            progress(made, colouring.num_colours)
        if limit is None or made < limit:
            refinement.run(1)
    refinement.run(None if limit is None else limit - refinement.rounds)
    if refinement.rounds > made:
        colouring = refinement.colouring()
    return Measurement.from_counts(
        count_edge_orbits(graph, colouring),
        graph.num_edges,
        gamma,
        variant,
        initial,
        ear_by_round=by_round,
        **facts_of(graph, colouring),
    )


def facts_of(graph: Graph, colouring: Colouring) -> dict[str, Any]:
    """Return the attributes of a `Measurement` that say what was measured, and how it was coloured."""
    return {
        "graph": graph.name,
        "num_nodes": graph.num_nodes,
        "merged_edges": graph.merged_edges,
        "self_loops": graph.self_loops,
        "rounds": colouring.rounds,
        "stable": colouring.stable,
        "num_node_orbits": colouring.num_colours,
        "alpha_v": colouring.alpha_v,
    }


def orbit_size_distribution(orbit_sizes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the sizes that orbits have, ascending, and how many orbits have each.

    Takes `Colouring.sizes` or `EdgeOrbits.orbit_sizes`.

    >>> orbit_size_distribution(np.array([1, 4, 1]))
    (array([1, 4]), array([2, 1]))
    """
    return np.unique(orbit_sizes, return_counts=True)


def check_gamma(gamma: float) -> None:
    """Raise `InvalidParameterError` unless gamma lies in (0, 1]."""
    if not 0 < gamma <= 1:
        raise InvalidParameterError(f"gamma must be above 0 and at most 1, not {gamma}")


def explain(found: Measurement) -> str:
    """Return one sentence on what the numbers mean for predicting links with a graph neural network.

    >>> from edgeorbit.graph.toys import karate, prism
    >>> explain(measure(prism()))
    'Every link has a look-alike: no message-passing GNN, however deep, can tell all 9 apart by structure.'
    >>> explain(measure(karate()))
    '22 of 78 links (28.2 %) have a look-alike that no message-passing GNN, however deep, can tell from them by ...'
    """
    network = "message-passing GNN, however deep,"
    if not found.stable:
        layers = "1 layer" if found.rounds == 1 else f"{found.rounds} layers"
        network = f"message-passing GNN of {layers}"
    known = {None: "structure", "degree": "structure and degree", "labels": "structure and labels"}
    basis = known.get(
        found.initial, "structure and features" if found.initial == "features" else "structure and colours"
    )
    edges, alike = found.num_edges, found.num_indistinguishable_edges
    if edges == 0:
        return "There are no links, so there is nothing to tell apart."
    if alike == 0:
        return f"No two of the {edges:,} links look alike: a {network} can tell all of them apart by {basis}."
    if alike == edges:
        return f"Every link has a look-alike: no {network} can tell all {edges:,} apart by {basis}."
    return (
        f"{alike:,} of {edges:,} links ({100 * alike / edges:.1f} %) have a look-alike that no {network} can tell from "
        f"them by {basis}."
    )


def check_variant(variant: str) -> None:
    """Raise `InvalidParameterError` unless there is such a variant of EAR."""
    if variant not in get_args(Variant):
        raise InvalidParameterError(f"unknown variant {variant!r}; choose from {', '.join(get_args(Variant))}")


def _count_indistinguishable(graph: Graph, colouring: Colouring, variant: Variant) -> int:
    check_variant(variant)
    if colouring.stable:
        alone, within = count_alone_when_stable(graph, colouring)
    else:
        _, alone, within = count_edge_orbits(graph, colouring)
    return _indistinguishable(graph.num_edges, alone, within, variant)


def _indistinguishable(num_edges: int, alone: int, alone_within_colour: int, variant: Variant) -> int:
    """Return how many edges share their orbit; in ordered pairs, an edge within one colour meets its own reverse."""
    return num_edges - alone + (alone_within_colour if variant == "ordered" else 0)


def _ear(num_edges: int, indistinguishable: int, gamma: float) -> float:
    return float((indistinguishable / num_edges) ** gamma) if num_edges else 0.0
