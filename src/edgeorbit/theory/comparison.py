"""D1 against uniform dropout: which of them differs from the graph after fewer draws, and when.

The logarithm is concave, so that by Jensen `sum(log(1 - p_e)) <= |E| log(1 - mean(p_e))`: rates that differ never need
more draws than one rate of the same mean, and need as many (before rounding up) if and only if they are all equal. Two
things follow that the theorem does not say. The sum does not ask which edge has which rate: dropping the edges that
look alike *least* needs just as many draws. And a uniform rate above `1 - exp(mean(log(1 - p_e)))`, the break-even
rate, needs fewer than D1.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import check_rounds, refine
from edgeorbit.theory.sample_complexity import EdgeCounts, check_sigma, count_edges, least_draws, log_unchanged


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
        Rounds of refinement after which look-alikes are counted.

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
