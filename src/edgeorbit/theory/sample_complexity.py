"""Theorem 4.1: how many draws of edge dropout it takes until one of them differs from the graph.

A draw leaves the graph as it is with probability `prod(1 - p_e)` over its edges, so that all of L draws do with that to
the power of L. The least L that makes this at most sigma is `ceil(log(sigma) / sum(log(1 - p_e)))`; the bounds of the
theorem are this sum with two rates, and with one.

D1 is compared with uniform dropout. The logarithm is concave, so that by Jensen `sum(log(1 - p_e)) <= |E| log(1 -
mean(p_e))`: rates that differ never need more draws than one rate of the same mean, and need as many (before rounding
up) if and only if they are all equal. Two things follow that the theorem does not say. The sum does not ask which edge
has which rate: dropping the edges that look alike *least* needs just as many draws. And a uniform rate above
`1 - exp(mean(log(1 - p_e)))`, the break-even rate, needs fewer than D1.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

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


@dataclass(frozen=True)
class DropoutComparison:
    """How many draws D1 and uniform dropout take.

    Attributes
    ----------
    graph, num_edges, automorphic, other, rounds
        The graph, its edges with and without a look-alike, and after how many rounds (None: stable colours).
    sigma
        The probability that is allowed that no draw differs.
    lowest_rate, mean_rate, highest_rate
        Of D1 over the edges.
    d1_draws, uniform_draws
        What D1 takes, and what uniform dropout of the mean rate takes.
    uniform_draws_at_highest
        What uniform dropout of the highest rate takes.
    d1_quotient, uniform_quotient
        The first two before they are rounded up.
    break_even_rate
        The uniform rate that takes just what D1 takes.
    """

    graph: str
    num_edges: int
    automorphic: int
    other: int
    rounds: int | None
    sigma: float
    lowest_rate: float
    mean_rate: float
    highest_rate: float
    d1_draws: int
    uniform_draws: int
    uniform_draws_at_highest: int
    d1_quotient: float
    uniform_quotient: float
    break_even_rate: float

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


def d1_rates(
    graph: Graph, alpha_p: float = 1.0, p_max: float = 0.5, *, rounds: int | None = None
) -> npt.NDArray[np.float64]:
    """Return the rates at which D1 drops edges, `min(p_max, alpha_p log(1 + share of the orbit))`.

    >>> from edgeorbit.graph.families import path
    >>> d1_rates(path(4)).round(3).tolist()
    [0.5, 0.288, 0.5]
    """
    from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates, check_rates

    check_rates(alpha_p, p_max)
    return DropoutRates.of(graph, refine(graph, check_rounds(rounds)), alpha_p, p_max).edges.astype(np.float64)


def compare_with_uniform(
    graph: Graph, rates: npt.NDArray[np.float64], sigma: float, *, rounds: int | None = None
) -> DropoutComparison:
    """Compare rates of edges with one rate of the same mean.

    Parameters
    ----------
    graph
        The graph.
    rates
        A rate for every edge, from `d1_rates`.
    sigma
        As for `sample_complexity`.
    rounds
        Rounds of refinement after which indistinguishable edges are counted.

    Examples
    --------
    All edges of a cycle have the same rate, so that D1 saves nothing:

    >>> from edgeorbit.graph.families import cycle
    >>> found = compare_with_uniform(cycle(8), d1_rates(cycle(8), alpha_p=0.1), sigma=0.05)
    >>> found.d1_draws, found.uniform_draws
    (6, 6)
    """
    check_sigma(sigma)
    counts: EdgeCounts = count_edges(graph, rounds)
    by_d1 = log_unchanged(rates)
    draws = least_draws(by_d1, sigma)  # refuses a graph without edges before means are taken
    mean, highest = float(rates.mean()), float(rates.max())
    by_mean = graph.num_edges * math.log1p(-mean)
    return DropoutComparison(
        graph=graph.name,
        num_edges=graph.num_edges,
        automorphic=counts.automorphic,
        other=counts.other,
        rounds=rounds,
        sigma=sigma,
        lowest_rate=float(rates.min()),
        mean_rate=mean,
        highest_rate=highest,
        d1_draws=draws,
        uniform_draws=least_draws(by_mean, sigma),
        uniform_draws_at_highest=least_draws(graph.num_edges * math.log1p(-highest), sigma),
        d1_quotient=math.log(sigma) / by_d1,
        uniform_quotient=math.log(sigma) / by_mean,
        break_even_rate=-math.expm1(by_d1 / graph.num_edges),
    )


class DrawsByRate(NamedTuple):
    """Draws against the mean rate: those of D1, of uniform dropout at that rate, and at the highest rate of D1."""

    mean_rate: npt.NDArray[np.float64]
    d1: npt.NDArray[np.int64]
    uniform: npt.NDArray[np.int64]
    uniform_at_highest: npt.NDArray[np.int64]


def draws_by_rate(
    graph: Graph, sigma: float, p_max: float = 0.5, *, rounds: int | None = None, points: int = 60
) -> DrawsByRate:
    """Return how many draws it takes for D1 of many scales alpha_p, the least first.

    >>> from edgeorbit.graph.toys import lobster
    >>> found = draws_by_rate(lobster(), sigma=0.05)
    >>> bool((found.d1 <= found.uniform).all() and (found.uniform_at_highest <= found.d1).all())
    True
    """
    check_sigma(sigma)
    unscaled = d1_rates(graph, 1.0, 0.999, rounds=rounds)  # at most log(2), so that the bound does not matter
    least_draws(log_unchanged(unscaled), sigma)  # refuses a graph without edges
    rows = []
    for alpha_p in np.geomspace(1e-3, 10, points):
        rates = np.minimum(p_max, alpha_p * unscaled)
        mean, highest = float(rates.mean()), float(rates.max())
        logs = (log_unchanged(rates), *(graph.num_edges * math.log1p(-rate) for rate in (mean, highest)))
        rows.append((mean, *(least_draws(one, sigma) for one in logs)))
    columns = np.array(rows).T
    return DrawsByRate(columns[0], *columns[1:].astype(np.int64))
