"""Correlations of EAR and performance agree with scipy, and say nothing where there is nothing to say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from edgeorbit.theory.performance import CurvePoint, correlate, curve_points


def points_of(pairs: list[tuple[float, float]]) -> list[CurvePoint]:
    return [CurvePoint("family", "gcn", x, seed, y) for seed, (x, y) in enumerate(pairs)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=30))
def test_correlations_are_scipys(pairs: list[tuple[int, int]]) -> None:
    (found,) = correlate(points_of([(float(x), float(y)) for x, y in pairs]))
    if len({x for x, _ in pairs}) == 1 or len({y for _, y in pairs}) == 1:
        assert found.rho is None and found.low is None
        return
    assert found.rho == pytest.approx(spearmanr(*zip(*pairs, strict=True)).statistic, abs=1e-9)
    assert -1 <= found.low <= found.rho + 1e-9 and found.rho - 1e-9 <= found.high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(300):
        sample = rng.normal(size=(40, 2))
        (found,) = correlate(points_of([(x, y) for x, y in sample.tolist()]))
        covered.append(found.low < 0 < found.high)
    assert 0.91 < np.mean(covered) < 0.99


def test_models_and_families_are_kept_apart() -> None:
    row = {"seed": 0, "negatives": "random", "test_auc": 0.5, "colour_ear": 0.3}
    rows = [row | {"data": data, "model": model} for data in ("a, 1", "a, 2", "b, 1") for model in ("gcn", "ncn")]
    rows += [
        row | {"data": "a, 1", "model": "gcn", "negatives": "orbit"},
        row | {"data": "c", "model": "gcn", "test_auc": None},
    ]
    found = correlate(curve_points(rows, "auc", "random", {row["data"]: row["data"].split(",")[0] for row in rows}))
    assert [(one.family, one.model, one.number) for one in found] == [
        ("a", "gcn", 2),
        ("a", "ncn", 2),
        ("b", "gcn", 1),
        ("b", "ncn", 1),
    ]
    assert all(one.rho is None for one in found)


def test_a_family_is_what_the_experiment_calls_a_series_however_graphs_are_spelt() -> None:
    row = {"model": "gcn", "seed": 0, "negatives": "random", "test_auc": 0.5, "colour_ear": 0.3}
    rows = [row | {"data": data} for data in ("a, 1", "half of it", "a, 3")]
    named = curve_points(rows, "auc", "random", {"a, 1": "mine", "half of it": "mine"})
    assert [(point.family, point.graph) for point in named] == [("mine", "a, 1"), ("mine", "half of it")]
    assert {point.family for point in curve_points(rows, "auc", "random")} == {"all graphs"}


def test_without_added_links_all_links_are_original() -> None:
    row = {"data": "syn-cora, EAR 1", "model": "gcn", "seed": 0, "negatives": "random", "colour_ear": 1.0}
    added = row | {"data": "syn-cora, 0.5", "colour_ear": 0.5, "test_auc": 0.6, "test_original_auc": 0.7}
    points = curve_points([row | {"test_auc": 0.9}, added], "original_auc", "random")
    assert [(point.ear, point.value) for point in points] == [(1.0, 0.9), (0.5, 0.7)]
