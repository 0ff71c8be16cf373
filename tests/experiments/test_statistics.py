"""Statistics over seeds: exact tests against brute force and scipy, corrections against their definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgeorbit.experiments.statistics import compare_with_best, deviation, holm, paired_p, rank_models, smallest_p

few = st.lists(st.integers(-4, 4), min_size=1, max_size=9)  # many ties and zeros
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def p_by_all_signs(differences: list[int]) -> float:
    """The share of all signs whose sum of signed ranks is at least as far from 0."""
    kept = [value for value in differences if value]
    ranks = stats.rankdata(np.abs(kept)) if kept else []
    observed = abs(np.dot(np.sign(kept), ranks)) if kept else 0.0
    sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=len(kept))]
    return float(np.mean([value >= observed - 1e-9 for value in sums]))


@given(few)
def test_wilcoxons_p_is_the_share_of_all_signs_also_with_ties(differences: list[int]) -> None:
    assert paired_p(differences, np.zeros(len(differences))) == pytest.approx(p_by_all_signs(differences))


@given(st.lists(st.integers(-1000, 1000).filter(bool), min_size=2, max_size=30, unique_by=abs))
def test_wilcoxons_p_is_scipys_where_nothing_is_tied(differences: list[int]) -> None:
    assert paired_p(differences, np.zeros(len(differences))) == pytest.approx(
        stats.wilcoxon(differences, method="exact").pvalue
    )


def test_wilcoxons_p_of_many_pairs_is_near_the_normal_approximation() -> None:
    differences = np.random.default_rng(1).normal(0.15, 1, 400)
    # Of so many pairs scipy's own choice is the approximation, whose name differs between versions.
    assert paired_p(differences, 0 * differences) == pytest.approx(stats.wilcoxon(differences).pvalue, rel=0.02)


@given(few)
def test_no_p_is_below_the_smallest_one_and_the_order_does_not_matter(differences: list[int]) -> None:
    zeros = np.zeros(len(differences))
    assert paired_p(differences, zeros) >= smallest_p(len(differences)) - 1e-12
    assert paired_p(differences, zeros) == pytest.approx(paired_p(zeros, differences))


def test_the_smallest_p_is_reached_when_all_seeds_agree() -> None:
    for number in range(1, 12):
        assert paired_p(np.arange(1, number + 1), np.zeros(number)) == pytest.approx(smallest_p(number))


def rejected_step_by_step(p: list[float], level: float) -> set[int]:
    """Holm's procedure as he wrote it: the smallest p against level / m, the next against level / (m - 1), ..."""
    rejected = set()
    for step, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        if p[place] > level / (len(p) - step):
            break
        rejected.add(place)
    return rejected


@given(p_values, st.floats(0.01, 0.99))
def test_holms_correction_rejects_what_his_procedure_rejects(p: list[float], level: float) -> None:
    corrected = holm(p)
    steps = [value * number for value in p for number in range(1, len(p) + 1)]
    if any(abs(step - level) < 1e-9 for step in steps):
        return  # on the border, rounding decides
    assert {place for place, value in enumerate(corrected) if value <= level} == rejected_step_by_step(p, level)


@given(p_values)
def test_holms_correction_keeps_the_order_and_lies_between_p_and_bonferronis(p: list[float]) -> None:
    corrected = holm(p)
    assert (corrected >= p).all() and (corrected <= np.minimum(np.array(p) * len(p), 1)).all()
    assert (np.diff(corrected[np.argsort(p)]) >= 0).all()


def seeds(*values: float) -> dict[int, float]:
    return dict(enumerate(values))


def test_five_seeds_prove_nothing_and_six_do() -> None:
    for number, worse in ((5, set()), (6, {"b"})):
        found = {"a": seeds(*np.linspace(0.9, 1, number)), "b": seeds(*np.linspace(0.1, 0.3, number))}
        compared = compare_with_best(found)
        assert (compared.best, compared.worse) == ("a", worse)
        assert compared.reachable == 2.0 ** (1 - number) and compared.most_pairs == number


def test_many_comparisons_need_more_seeds() -> None:
    models = {"best": seeds(*[0.9] * 6)} | {f"m{i}": seeds(*np.linspace(0.1, 0.2 + i / 100, 6)) for i in range(4)}
    compared = compare_with_best(models)
    assert set(compared.p.values()) == {4 / 32} and not compared.worse and compared.reachable == 4 / 32


def test_only_seeds_in_common_are_paired() -> None:
    found = {"a": dict.fromkeys(range(4, 12), 0.9), "b": {seed: 0.1 + seed / 100 for seed in range(8)}}
    compared = compare_with_best(found)
    assert compared.pairs == {"b": 4} and not compared.p


def test_a_model_that_cannot_be_tested_costs_the_others_nothing() -> None:
    found = {"a": seeds(*[0.9] * 6), "b": seeds(*np.linspace(0.1, 0.2, 6)), "c": seeds(0.1)}
    assert compare_with_best(found).worse == {"b"}


def test_who_is_better_on_all_seeds_in_common_is_ahead_and_not_worse() -> None:
    best = {seed: 0.5 + seed / 1000 for seed in range(6)} | {99: 9.0}
    compared = compare_with_best({"a": best, "b": dict.fromkeys(range(6), 0.6)})
    assert compared.best == "a" and compared.p["b"] <= 0.05 and not compared.worse and compared.ahead == {"b"}


def test_false_alarms_stay_below_the_level() -> None:
    draws = np.random.default_rng(7)
    alarms = 0
    for _ in range(300):
        split = draws.normal(size=8)  # what a seed's split does to all models alike
        found = {f"m{i}": dict(enumerate(split + draws.normal(size=8))) for i in range(2)}
        alarms += bool(compare_with_best(found).worse)
    assert alarms / 300 < 0.09


def test_deviation_is_that_of_a_sample() -> None:
    assert deviation([2, 4, 9]) == pytest.approx(stats.tstd([2, 4, 9])) and deviation([2]) is None


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=6))
def test_ranks_are_scipys_and_add_up(table: list[list[int]]) -> None:
    means = {f"m{row}": {f"g{column}": seeds(v) for column, v in enumerate(line)} for row, line in enumerate(table)}
    found = rank_models(means)
    assert found is not None
    expected = stats.rankdata(-np.array(table), axis=0).mean(axis=1)
    assert list(found.ranks.values()) == pytest.approx(expected.tolist())
    assert sum(found.ranks.values()) == pytest.approx(len(table) * (len(table) + 1) / 2)


def test_friedmans_test_sees_a_model_that_always_wins() -> None:
    graphs = range(10)
    means = {f"m{i}": {f"g{g}": seeds(10.0 * i + g) for g in graphs} for i in range(4)}
    found = rank_models(means)
    assert found is not None and found.p == pytest.approx(stats.chi2.sf(30, 3))
    assert found.ranks["m3"] == 1.0


def test_a_column_that_hardly_any_model_has_does_not_cost_the_others_their_rank() -> None:
    means = {f"m{i}": {"a": seeds(i), "b": seeds(i)} for i in range(6)}
    means["m0"]["c"] = means["m1"]["c"] = seeds(1.0)
    found = rank_models(means)
    assert found is not None and found.seeds == {"a": 1, "b": 1} and len(found.ranks) == 6


def test_there_are_no_ranks_over_one_graph() -> None:
    assert rank_models({"a": {"x": seeds(1.0)}, "b": {"x": seeds(2.0)}}) is None
    assert rank_models({}) is None


@pytest.mark.parametrize("number", [4, 5, 9])
def test_a_model_with_fewer_seeds_is_never_the_best(number: int) -> None:
    compared = compare_with_best({"many": dict.fromkeys(range(10), 0.8), "lucky": dict.fromkeys(range(number), 0.9)})
    assert compared.best == "many" and compared.pairs == {"lucky": number} and compared.ahead == {"lucky"}


def test_a_model_with_fewer_seeds_that_were_easy_is_behind_on_them() -> None:
    found = {"all": seeds(0.95, 0.93, 0.5, 0.5), "few": seeds(0.9, 0.9)}  # means of 0.72 and 0.9
    compared = compare_with_best(found)
    assert compared.best == "all" and not compared.ahead and compared.behind["few"] == pytest.approx(0.04)


@given(st.dictionaries(st.sampled_from("abcd"), st.dictionaries(st.integers(0, 5), st.integers(0, 9), min_size=1), min_size=1))  # fmt: skip
def test_nobody_but_those_ahead_beats_the_best_on_the_seeds_in_common(found) -> None:
    compared = compare_with_best(found)
    for model in found.keys() - {compared.best}:
        common = found[model].keys() & found[compared.best].keys()
        above = sum(found[model][seed] - found[compared.best][seed] for seed in common) > 0
        assert above == (model in compared.ahead)
        assert len(found[model]) <= len(found[compared.best])


def test_ranks_are_by_the_seeds_that_all_ranked_models_have() -> None:
    every = {"x": seeds(0.6, 0.6, 0.1, 0.1), "y": seeds(0.6, 0.6, 0.1)}
    few = {"x": seeds(0.5, 0.5), "y": seeds(0.5, 0.5)}  # higher means, but less on these two seeds
    found = rank_models({"every": every, "few": few})
    assert found is not None and found.ranks == {"every": 1.0, "few": 2.0} and found.seeds == {"x": 2, "y": 2}


def test_what_is_equal_but_for_rounding_shares_its_rank() -> None:
    hits = [k / 57 for k in (3, 19, 52)]
    assert sum(hits) / 3 != sum(hits[::-1]) / 3  # as floats
    found = rank_models(
        {"a": {"x": seeds(*hits), "y": seeds(*hits)}, "b": {"x": seeds(*hits[::-1]), "y": seeds(*hits)}}
    )
    assert found is not None and found.ranks == {"a": 1.5, "b": 1.5}


@given(st.lists(st.tuples(st.integers(0, 57), st.integers(0, 57)), min_size=1, max_size=9))
def test_wilcoxons_p_of_shares_is_that_of_the_counts(counts: list[tuple[int, int]]) -> None:
    first, second = np.array(counts).T
    assert paired_p(first / 57, second / 57) == paired_p(first, second)


def test_models_without_a_seed_in_common_have_no_ranks() -> None:
    apart = {"a": {"x": {0: 1.0}, "y": {0: 1.0}}, "b": {"x": {1: 1.0}, "y": {1: 1.0}}}
    assert rank_models(apart) is None
