"""The Edge Automorphism Ratio: the share of edges that message passing cannot tell from another edge."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import count_alone_when_stable, count_edge_orbits
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
    """How symmetric a graph looks to a message-passing network.

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
        `(num_indistinguishable_edges / num_edges) ** gamma`.
    alpha_v, alpha_e
        Shares of nodes and of edges whose orbit holds another.
    ear_by_round
        EAR at the start and after each round, for the first `MAX_ROUNDS_LISTED` rounds.
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
    ear_by_round: list[float]

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


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
    counts = count_edge_orbits(graph, colouring)
    indistinguishable = graph.num_edges - counts.alone
    if variant == "ordered":
        indistinguishable += counts.alone_within_colour
    return Measurement(
        graph=graph.name,
        num_nodes=graph.num_nodes,
        num_edges=graph.num_edges,
        merged_edges=graph.merged_edges,
        self_loops=graph.self_loops,
        rounds=colouring.rounds,
        stable=colouring.stable,
        num_node_orbits=colouring.num_colours,
        num_edge_orbits=counts.num_orbits,
        num_indistinguishable_edges=indistinguishable,
        gamma=gamma,
        variant=variant,
        initial=initial if initial is None or isinstance(initial, str) else "given",
        ear=_ear(graph.num_edges, indistinguishable, gamma),
        alpha_v=colouring.alpha_v,
        alpha_e=_ear(graph.num_edges, indistinguishable, 1.0),
        ear_by_round=by_round,
    )


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


def _count_indistinguishable(graph: Graph, colouring: Colouring, variant: Variant) -> int:
    if variant not in get_args(Variant):
        raise InvalidParameterError(f"unknown variant {variant!r}; choose from {', '.join(get_args(Variant))}")
    if colouring.stable:
        alone, within = count_alone_when_stable(graph, colouring)
    else:
        _, alone, within = count_edge_orbits(graph, colouring)
    return graph.num_edges - alone + (within if variant == "ordered" else 0)


def _ear(num_edges: int, indistinguishable: int, gamma: float) -> float:
    return float((indistinguishable / num_edges) ** gamma) if num_edges else 0.0
