"""Theorem 4.1: how many draws of edge dropout it takes until one of them differs from the graph.

A draw leaves the graph as it is with probability `prod(1 - p_e)` over its edges, so that all of L draws do with that to
the power of L. The least L that makes this at most sigma is `ceil(log(sigma) / sum(log(1 - p_e)))`; the bounds of the
theorem are this sum with two rates, and with one.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.edge_orbits import count_edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine

ROUNDING = 1e-12  # a quotient that exceeds a whole number by no more is that number


class EdgeCounts(NamedTuple):
    """How many edges share their orbit with another one (automorphic, E_a), and how many do not (E_n)."""

    automorphic: int
    other: int


def count_edges(graph: Graph, rounds: int | None = None) -> EdgeCounts:
    """Count the edges that have a look-alike and those that have none, after K rounds or with stable colours.

    >>> from edgeorbit.graph.families import path
    >>> count_edges(path(8))
    EdgeCounts(automorphic=6, other=1)
    """
    alone = count_edge_orbits(graph, refine(graph, check_rounds(rounds))).alone
    return EdgeCounts(graph.num_edges - alone, alone)


def sample_complexity(
    graph: Graph | tuple[int, int], p_a: float, p_n: float, sigma: float, *, rounds: int | None = None
) -> int:
    """Return L of theorem 4.1: draws after which one differs from the graph with probability `1 - sigma` or more.

    `L = ceil(log(sigma) / (|E_a| log(1 - p_a) + |E_n| log(1 - p_n)))`

    Parameters
    ----------
    graph
        The graph, or its two numbers of edges (automorphic, other).
    p_a, p_n
        The rates at which edges with and without a look-alike are dropped, from 0 and below 1, not both 0.
    sigma
        The probability that is allowed that all draws leave the graph as it is, above 0 and below 1.
    rounds
        Rounds of refinement that decide which edges look alike; by default colours are stable.

    Raises
    ------
    InvalidParameterError
        If a value is out of its range, or no edge can be dropped.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> sample_complexity(cycle(8), p_a=0.1, p_n=0.0, sigma=0.05)
    4
    >>> sample_complexity((6, 1), p_a=0.1, p_n=0.05, sigma=0.05)
    5
    """
    check_sigma(sigma)
    for name, rate in (("p_a", p_a), ("p_n", p_n)):
        _check_rate(name, rate)
    if p_a == 0 and p_n == 0:
        raise InvalidParameterError("p_a and p_n are both 0, so that nothing is ever dropped; raise one of them")
    counts = count_edges(graph, rounds) if isinstance(graph, Graph) else EdgeCounts(*graph)
    if min(counts) < 0:
        raise InvalidParameterError(f"numbers of edges must be 0 or more, not {counts.automorphic} and {counts.other}")
    return least_draws(counts.automorphic * math.log1p(-p_a) + counts.other * math.log1p(-p_n), sigma)


def uniform_sample_complexity(graph: Graph | int, p: float, sigma: float) -> int:
    """Return how many draws uniform dropout takes: `ceil(log(sigma) / (|E| log(1 - p)))`.

    Parameters
    ----------
    graph
        The graph, or its number of edges.
    p
        The rate of every edge, above 0 and below 1.
    sigma
        As for `sample_complexity`.

    Examples
    --------
    >>> uniform_sample_complexity(8, p=0.1, sigma=0.05)
    4
    """
    num_edges = graph.num_edges if isinstance(graph, Graph) else graph
    check_sigma(sigma)
    _check_rate("p", p)
    if p == 0:
        raise InvalidParameterError("p is 0, so that nothing is ever dropped; take a rate above 0")
    if num_edges < 0:
        raise InvalidParameterError(f"a number of edges must be 0 or more, not {num_edges}")
    return least_draws(num_edges * math.log1p(-p), sigma)


def draws_for_rates(rates: npt.ArrayLike, sigma: float) -> int:
    """Return how many draws it takes if every edge has a rate of its own, such as those of D1.

    >>> draws_for_rates([0.5, 0.5], sigma=0.25)
    1
    >>> draws_for_rates([0.5, 0.0], sigma=0.25)
    2
    """
    check_sigma(sigma)
    return least_draws(log_unchanged(rates), sigma)


def log_unchanged(rates: npt.ArrayLike) -> float:
    """Return the logarithm of the probability that one draw drops no edge.

    >>> round(log_unchanged([0.5, 0.5]) / math.log(0.5))
    2
    """
    values = np.asarray(rates, np.float64)
    if values.ndim != 1:
        raise InvalidParameterError(f"rates have shape {values.shape}; give one for every edge")
    if not ((values >= 0) & (values < 1)).all():
        worst = values[~((values >= 0) & (values < 1))][0]
        raise InvalidParameterError(f"a rate must be at least 0 and below 1, not {worst}")
    return float(np.log1p(-values).sum())


def least_draws(log_of_unchanged: float, sigma: float) -> int:
    """Return the least number of draws for the logarithm of the probability that one of them changes nothing."""
    if log_of_unchanged == 0:
        raise InvalidParameterError(
            "no edge has a rate above 0, so that no number of draws is enough; give edges, and rates above 0"
        )
    needed = math.log(sigma) / log_of_unchanged
    if not math.isfinite(needed):
        raise InvalidParameterError("the rates are so small that the number of draws overflows; take larger ones")
    return max(1, math.ceil(needed * (1 - ROUNDING)))


def check_sigma(sigma: float) -> None:
    """Raise `InvalidParameterError` unless sigma lies between 0 and 1."""
    if not 0 < sigma < 1:
        raise InvalidParameterError(f"sigma is a probability above 0 and below 1, not {sigma}")


def _check_rate(name: str, rate: float) -> None:
    if not 0 <= rate < 1:
        raise InvalidParameterError(f"{name} is a rate of at least 0 and below 1, not {rate}")
