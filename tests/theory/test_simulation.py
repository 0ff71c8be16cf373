"""Theorem 4.1 by drawing: against the closed form, and against outcomes listed one by one."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate, lobster
from edgeorbit.theory import d1_rates, draws_for_rates, follow_draws, share_changed
from oracles import naive_rounds

TRIALS = 4000
Z = 4.5  # deviations: one in 300,000, and seeds are fixed


def _random_graph() -> Graph:
    random = np.random.default_rng(0)
    return Graph.from_edges(random.integers(0, 60, (150, 2)), 60, name="random")


def _near(share: float, probability: float, trials: int) -> bool:
    return abs(share - probability) <= Z * math.sqrt(probability * (1 - probability) / trials) + 1 / trials


@pytest.mark.parametrize("graph", [cycle(8), karate(), _random_graph()], ids=["C8", "karate", "random"])
@pytest.mark.parametrize("sigma", [0.3, 0.05])
def test_one_of_the_theorems_draws_differs_with_the_probability_that_it_promises(graph, sigma) -> None:
    rates = d1_rates(graph, alpha_p=0.05)
    draws = draws_for_rates(rates, sigma)
    predicted = 1 - np.prod(1 - rates) ** draws
    assert predicted >= 1 - sigma
    assert _near(share_changed(rates, draws, TRIALS), predicted, TRIALS)
    # One draw fewer is not enough, which the same trials would notice.
    assert draws > 1 and 1 - np.prod(1 - rates) ** (draws - 1) < 1 - sigma


def test_the_share_is_that_of_whole_trials_also_when_parts_end_within_one(monkeypatch) -> None:
    whole = share_changed([0.1, 0.2], 3, 1000, seed=5)
    monkeypatch.setattr("edgeorbit.theory.simulation.AT_ONCE", 8)
    assert share_changed([0.1, 0.2], 3, 1000, seed=5) == whole
    assert _near(whole, 1 - 0.72**3, 1000)
    assert share_changed([0.1, 0.2], 3, 1000, seed=6) != whole


def _told_by_enumeration(graph: Graph, rate: float) -> tuple[float, float, float]:
    """Probabilities over all subsets of edges of one draw, with the slow colours: changed, orbit split, pair told."""
    edges = graph.edges.tolist()

    def kinds(colours):
        return [tuple(sorted((colours[u], colours[v]))) for u, v in edges]

    orbit = kinds(naive_rounds(graph)[-1])
    groups = [[i for i, one in enumerate(orbit) if one == kind] for kind in sorted(set(orbit))]
    groups = [group for group in groups if len(group) > 1]
    pairs = [pair for group in groups for pair in itertools.combinations(group, 2)]
    changed = split = told = 0.0
    for dropped in itertools.product([False, True], repeat=len(edges)):
        weight = math.prod(rate if one else 1 - rate for one in dropped)
        left = [edge for edge, one in zip(edges, dropped, strict=True) if not one]
        after = kinds(naive_rounds(Graph.from_edges(np.array(left).reshape(-1, 2), graph.num_nodes))[-1])
        changed += weight * any(dropped)
        split += weight * np.mean([len({after[i] for i in group}) > 1 for group in groups])
        told += weight * np.mean([after[i] != after[j] for i, j in pairs])
    return changed, split, told


@pytest.mark.parametrize("graph", [cycle(8), lobster(), path(6)], ids=["C8", "lobster", "P6"])
def test_what_one_draw_tells_apart_agrees_with_all_outcomes_listed(graph) -> None:
    changed, split, told = _told_by_enumeration(graph, 0.2)
    course = follow_draws(graph, np.full(graph.num_edges, 0.2), 1, trials=1500)
    for share, probability in ((course.changed, changed), (course.orbits_split, split), (course.pairs_told, told)):
        assert _near(share[0], probability, 1500)
    assert told < changed  # a changed graph is not a broken symmetry


def test_shares_rise_with_draws_and_the_graph_changes_before_look_alikes_are_told_apart() -> None:
    rates = d1_rates(karate(), rounds=2)
    course = follow_draws(karate(), rates, 6, trials=150, rounds=2)
    for values in (course.changed, course.orbits_split, course.largest_split, course.pairs_told):
        assert len(values) == 6 and (np.diff(values) >= 0).all()
    assert _near(course.changed[1], 1 - np.prod(1 - rates) ** 2, 150)
    assert course.pairs_told[1] < 0.6 < 0.9 < course.changed[1]
    colours = naive_rounds(karate(), 2)[-1]
    orbits = Counter(frozenset([colours[u], colours[v]]) for u, v in karate().edges.tolist())
    assert course.num_orbits == sum(size > 1 for size in orbits.values())
    assert course.num_pairs == sum(math.comb(size, 2) for size in orbits.values())


def test_dropping_an_edge_that_both_mirror_images_share_tells_nothing_apart() -> None:
    course = follow_draws(path(6), [0, 0, 0.9, 0, 0], 5, trials=50)
    assert course.changed[-1] == 1 and course.pairs_told == [0] * 5 and course.largest_split == [0] * 5


def test_the_largest_orbit_is_the_one_that_is_watched() -> None:
    # Three leaves at node 0 are the largest orbit of the lobster; dropping one of them always splits it.
    leaves = [0.9 if edge in ([0, 3], [0, 4]) else 0.0 for edge in lobster().edges.tolist()]
    legs = [0.5 if edge == [2, 6] else 0.0 for edge in lobster().edges.tolist()]
    assert follow_draws(lobster(), leaves, 3, trials=40).largest_split[-1] == 1
    assert follow_draws(lobster(), legs, 3, trials=40).largest_split[-1] == 0


def test_a_seed_decides_the_course() -> None:
    first, again, other = (follow_draws(cycle(8), np.full(8, 0.1), 3, trials=30, seed=seed) for seed in (1, 1, 2))
    assert first == again and first != other


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: share_changed([0.1], 0), "draws must be at least 1"),
        (lambda: share_changed([0.1], 1, 0), "trials must be at least 1"),
        (lambda: share_changed([1.1], 1), "a rate must be"),
        (lambda: share_changed(np.full(1000, 0.1), 1000, 100_000), "take fewer trials"),
        (lambda: follow_draws(path(4), [0.1], 1), "1 rates for the 3 edges"),
        (lambda: follow_draws(path(4), [0.1] * 3, 1, trials=0), "trials must be at least 1"),
        (lambda: follow_draws(path(2), [0.1], 1), "no two links of .* look alike"),
        (lambda: follow_draws(Graph.empty(2), [], 1), "no two links"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, message) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        call()


def test_a_graph_without_edges_never_changes() -> None:
    assert share_changed([], 3, 10) == 0
