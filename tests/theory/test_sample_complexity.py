"""Theorem 4.1 in numbers: the least number of draws, what Jensen says of D1, and what is refused."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate, lobster
from edgeorbit.theory import (
    compare_with_uniform,
    count_edges,
    d1_rates,
    draws_by_rate,
    draws_for_rates,
    sample_complexity,
    uniform_sample_complexity,
)
from oracles import graphs, naive_orbit_sizes, naive_rounds

RATES = st.floats(0.01, 0.9)
SIGMAS = st.floats(0.001, 0.9)


def _unchanged_by_enumeration(rates) -> float:
    """The probability that one draw drops nothing: 1 less that of every other outcome."""
    return 1 - sum(
        math.prod(p if dropped else 1 - p for p, dropped in zip(rates, outcome, strict=True))
        for outcome in itertools.product([False, True], repeat=len(rates))
        if any(outcome)
    )


@given(st.lists(RATES, min_size=1, max_size=6), SIGMAS)
def test_the_number_of_draws_is_the_least_that_is_enough(rates, sigma) -> None:
    draws = draws_for_rates(rates, sigma)
    unchanged = _unchanged_by_enumeration(rates)
    assert unchanged**draws <= sigma * (1 + 1e-9)
    assert draws == 1 or unchanged ** (draws - 1) > sigma * (1 - 1e-9)


@given(graphs(), st.one_of(st.none(), st.integers(0, 3)))
def test_look_alikes_are_counted_as_by_definition(graph, rounds) -> None:
    sizes = naive_orbit_sizes(graph, naive_rounds(graph, rounds)[-1])
    assert count_edges(graph, rounds) == (sum(size > 1 for size in sizes), sum(size == 1 for size in sizes))


@given(st.integers(0, 50), st.integers(0, 50), RATES, RATES, SIGMAS)
def test_two_rates_are_a_rate_for_every_edge(automorphic, other, p_a, p_n, sigma) -> None:
    if automorphic + other:
        rates = [p_a] * automorphic + [p_n] * other
        assert sample_complexity((automorphic, other), p_a, p_n, sigma) == draws_for_rates(rates, sigma)
        assert sample_complexity((automorphic, other), p_a, p_a, sigma) == uniform_sample_complexity(
            automorphic + other, p_a, sigma
        )


def test_a_graph_is_counted_and_rounds_matter() -> None:
    # Six of the seven edges of P8 have a look-alike; before the first round all do.
    assert sample_complexity(path(8), 0.2, 0.0, 0.05) == math.ceil(math.log(0.05) / (6 * math.log(0.8)))
    assert sample_complexity(path(8), 0.2, 0.0, 0.2, rounds=0) == math.ceil(math.log(0.2) / (7 * math.log(0.8)))
    assert sample_complexity(path(8), 0.0, 0.2, 0.05) == math.ceil(math.log(0.05) / math.log(0.8))
    assert uniform_sample_complexity(karate(), 0.01, 0.05) == math.ceil(math.log(0.05) / (78 * math.log(0.99)))


@pytest.mark.parametrize("draws", range(1, 60))
def test_rounding_does_not_add_a_draw_where_the_quotient_is_whole(draws) -> None:
    assert uniform_sample_complexity(3, 0.5, 0.5 ** (3 * draws)) == draws


@given(st.lists(RATES, min_size=1, max_size=30), SIGMAS, st.randoms())
def test_unequal_rates_never_need_more_draws_than_their_mean_whoever_has_them(rates, sigma, random) -> None:
    graph = path(len(rates) + 1)
    found = compare_with_uniform(graph, np.array(rates), sigma)
    assert found.d1_draws <= found.uniform_draws
    assert found.d1_quotient <= found.uniform_quotient * (1 + 1e-12)
    if max(rates) - min(rates) > 0.1:
        assert found.d1_quotient < found.uniform_quotient
    # The bound does not know which edges look alike.
    random.shuffle(rates)
    assert draws_for_rates(rates, sigma) == found.d1_draws


@given(st.lists(RATES, min_size=2, max_size=30), st.floats(1.001, 1.5))
def test_a_uniform_rate_needs_fewer_draws_than_d1_above_break_even_and_only_there(rates, factor) -> None:
    found = compare_with_uniform(path(len(rates) + 1), np.array(rates), 0.05)
    assert min(rates) * (1 - 1e-9) <= found.break_even_rate <= max(rates) * (1 + 1e-9)
    assert found.break_even_rate >= found.mean_rate * (1 - 1e-9)
    for rate, fewer in ((found.break_even_rate * factor, True), (found.break_even_rate / factor, False)):
        if rate < 1:
            assert (math.log(0.05) / (len(rates) * math.log1p(-rate)) < found.d1_quotient) == fewer
    assert found.uniform_draws_at_highest <= found.d1_draws


def test_d1_saves_nothing_where_all_edges_are_alike_and_something_on_the_lobster() -> None:
    on_cycle = compare_with_uniform(cycle(8), d1_rates(cycle(8), 0.3), 0.05)
    assert on_cycle.d1_quotient == pytest.approx(on_cycle.uniform_quotient, rel=1e-6)
    assert on_cycle.break_even_rate == pytest.approx(on_cycle.mean_rate, rel=1e-6)
    on_lobster = compare_with_uniform(lobster(), d1_rates(lobster()), 0.05)
    assert on_lobster.d1_quotient < 0.99 * on_lobster.uniform_quotient
    assert (on_lobster.automorphic, on_lobster.other) == (7, 2)


def test_d1_rates_follow_their_formula_up_to_the_bound() -> None:
    sizes = np.array(naive_orbit_sizes(lobster(), naive_rounds(lobster())[-1]))
    wanted = np.minimum(0.25, 0.9 * np.log(1 + sizes / 9))
    assert d1_rates(lobster(), 0.9, 0.25) == pytest.approx(wanted, rel=1e-6)


def test_draws_fall_as_rates_rise() -> None:
    found = draws_by_rate(karate(), 0.05)
    assert (np.diff(found.mean_rate) >= 0).all() and (np.diff(found.d1) <= 0).all()
    assert found.d1[0] > 1000 and found.d1[-1] == 1
    one = 20
    assert found.uniform[one] == uniform_sample_complexity(karate(), found.mean_rate[one], 0.05)


@pytest.mark.parametrize("sigma", [0, 1, -0.1, 1.5, math.nan])
def test_sigma_outside_of_its_range_is_refused(sigma) -> None:
    for call in (
        lambda: sample_complexity(karate(), 0.1, 0.1, sigma),
        lambda: uniform_sample_complexity(karate(), 0.1, sigma),
        lambda: draws_for_rates([0.1], sigma),
        lambda: compare_with_uniform(path(2), np.array([0.1]), sigma),
        lambda: draws_by_rate(path(2), sigma),
    ):
        with pytest.raises(InvalidParameterError, match="sigma is a probability above 0 and below 1"):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_complexity((1, 1), 0, 0, 0.1), "both 0"),
        (lambda: sample_complexity((1, 1), 1.0, 0, 0.1), "p_a is a rate of at least 0 and below 1, not 1.0"),
        (lambda: sample_complexity((1, 1), 0.1, -0.1, 0.1), "p_n is a rate"),
        (lambda: sample_complexity((0, 5), 0.1, 0, 0.1), "no edge has a rate above 0"),
        (lambda: sample_complexity((-1, 5), 0.1, 0, 0.1), "0 or more, not -1 and 5"),
        (lambda: sample_complexity(Graph.empty(3), 0.1, 0.1, 0.1), "no edge has a rate above 0"),
        (lambda: uniform_sample_complexity(5, 0.0, 0.1), "p is 0"),
        (lambda: uniform_sample_complexity(-5, 0.1, 0.1), "not -5"),
        (lambda: draws_for_rates([0.1, 1.0], 0.1), "below 1, not 1.0"),
        (lambda: draws_for_rates([0.1, math.nan], 0.1), "below 1, not nan"),
        (lambda: draws_for_rates([[0.1]], 0.1), "give one for every edge"),
        (lambda: draws_for_rates([], 0.1), "no edge has a rate"),
        (lambda: draws_for_rates([5e-324], 0.1), "overflows"),
        (lambda: compare_with_uniform(Graph.empty(3), np.empty(0), 0.1), "no edge has a rate"),
        (lambda: draws_by_rate(Graph.empty(3), 0.1), "no edge has a rate"),
        (lambda: d1_rates(path(3), -1.0), "alpha_p must be 0 or more"),
        (lambda: count_edges(path(3), -1), "rounds must be 0 or more"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, message) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        call()
