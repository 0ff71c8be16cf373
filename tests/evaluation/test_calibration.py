"""From scores to probabilities, against scikit-learn, brute force, and scorers whose probabilities are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.calibration import (
    brier_score,
    expected_calibration_error,
    fit_probabilities,
    isotonic,
    log_rank,
    platt,
    reliability_curve,
    sigmoid,
)

GROUPS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), min_size=1, max_size=12)
ITEMS = st.lists(st.tuples(st.integers(-4, 4), st.booleans(), st.integers(1, 3)), min_size=2, max_size=40).filter(
    lambda items: len({link for _, link, _ in items}) == 2
)


@settings(max_examples=30)
@given(GROUPS)
def test_isotonic_probabilities_are_those_of_scikit_learn(groups) -> None:
    reference = pytest.importorskip("sklearn.isotonic").IsotonicRegression(increasing=False)
    links, others = np.array(groups, float).T
    weights = links + others
    expected = reference.fit(np.arange(len(links)), links / weights, sample_weight=weights).predict(
        np.arange(len(links))
    )
    assert np.allclose(isotonic(links, weights), expected)


@pytest.mark.parametrize("seed", range(5))
def test_platt_scaling_is_logistic_regression_without_penalty(seed: int) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    draws = np.random.default_rng(seed)
    x, weights = draws.normal(3.0, 2.0, 200), draws.integers(1, 9, 200).astype(float)
    links = np.minimum(draws.binomial(8, sigmoid(1.3 * x - 4)), weights)
    slope, intercept = platt(x, links, weights)
    # The half link at the mean is part of the definition.
    x, links, weights = np.append(x, x @ weights / weights.sum()), np.append(links, 0.5), np.append(weights, 1.0)
    reference = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        np.tile(x, 2)[:, None], np.repeat([1, 0], len(x)), np.concatenate([links, weights - links])
    )
    assert np.allclose([slope, intercept], [reference.coef_[0, 0], reference.intercept_[0]], rtol=1e-4)


@pytest.mark.parametrize("links", [[0, 0, 0], [9, 9, 9], [9, 0, 0], [0, 0, 9]])
def test_platt_scaling_stays_finite_and_never_rises_against_the_rank(links: list[int]) -> None:
    slope, intercept = platt([2.0, 1.0, 0.0], links, [9, 9, 9])
    assert slope >= 0 and np.isfinite([slope, intercept]).all()


@settings(max_examples=25)
@given(ITEMS, st.randoms(use_true_random=False))
def test_probabilities_fall_with_the_score_and_depend_on_neither_order_nor_scale(items, random) -> None:
    scores, ranks, fitted = fit_probabilities(*np.array(items, float).T)
    shuffled = random.sample(items, len(items))
    again = fit_probabilities(*np.array([(np.exp(score), *rest) for score, *rest in shuffled], float).T)
    assert (np.diff(scores) < 0).all() and (np.diff(fitted.probability) <= 1e-15).all()
    assert fitted.probability.min() >= 0 and fitted.probability.max() <= 1
    assert ranks[-1] == sum(weight for *_, weight in items)
    assert np.array_equal(again[1], ranks) and np.array_equal(again[2].probability, fitted.probability)


def test_a_scorer_with_known_probabilities_is_calibrated() -> None:
    draws = np.random.default_rng(0)
    for truth in (sigmoid(draws.normal(-2, 1.5, 20_000)), draws.choice([0.02, 0.3, 0.8], 20_000)):
        links = draws.random(len(truth)) < truth
        scores, _, fitted = fit_probabilities(100 * truth - 7, links, np.ones(len(truth)))
        found = fitted.probability[np.searchsorted(-scores, -(100 * truth - 7))]
        assert np.abs(found - truth).mean() < 0.02
        assert expected_calibration_error(found, draws.random(len(truth)) < truth) < 0.02


def test_a_random_scorer_gets_the_prior() -> None:
    draws = np.random.default_rng(1)
    links, weights = draws.random(20_000) < 0.05, np.ones(20_000)
    _, _, fitted = fit_probabilities(draws.random(20_000), links, weights)
    assert np.abs(fitted.probability - 0.05).mean() < 0.01
    _, _, constant = fit_probabilities(np.zeros(20_000), links, weights)
    assert abs(constant.probability[0] - links.mean()) < 1e-3


def test_isotonic_does_not_win_by_overfitting() -> None:
    draws = np.random.default_rng(2)
    chosen = []
    for _ in range(5):  # where odds are a power of the rank, Platt scaling is right, and 200 items say little
        order = np.argsort(-draws.random(200))
        p = sigmoid(0.8 * log_rank(np.ones(200)) - 2)
        _, _, fitted = fit_probabilities(-np.arange(200.0)[order], (draws.random(200) < p)[order], np.ones(200))
        chosen.append(fitted.method)
    assert chosen.count("platt") >= 4
    steps = np.repeat([0.9, 0.1, 0.08, 0.0], 5000)
    _, _, fitted = fit_probabilities(-np.arange(20_000.0), draws.random(20_000) < steps, np.ones(20_000))
    assert fitted.method == "isotonic"


@given(st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=1, max_size=60), st.integers(1, 12))
def test_errors_of_probabilities_are_those_of_plain_loops(items, bins: int) -> None:
    p, y = np.array([share / 100 for share, _ in items]), np.array([link for _, link in items])
    error, number = 0.0, 0
    for each in range(bins):
        inside = [
            (a, b) for a, b in zip(p, y, strict=True) if each <= a * bins < each + 1 or (a == 1 and each == bins - 1)
        ]
        if inside:
            error += abs(sum(a for a, _ in inside) - sum(b for _, b in inside)) / len(items)
            number += 1
    assert expected_calibration_error(p, y, bins) == pytest.approx(error, abs=1e-12)
    curve = reliability_curve(p, y, bins)
    assert len(curve) == number and sum(each.number for each in curve) == len(items)
    assert brier_score(p, y) == pytest.approx(np.mean([(a - b) ** 2 for a, b in zip(p, y, strict=True)]))


def test_the_brier_score_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draws = np.random.default_rng(3)
    p, y = draws.random(100), draws.random(100) < 0.5
    assert brier_score(p, y) == pytest.approx(metrics.brier_score_loss(y, p))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: brier_score([0.5], [1, 0]), "one label for each"),
        (lambda: brier_score([], []), "at least one"),
        (lambda: brier_score([1.5], [1]), "from 0 to 1"),
        (lambda: brier_score([np.nan], [1]), "from 0 to 1"),
        (lambda: expected_calibration_error([0.5], [2]), "labels 0 or 1"),
        (lambda: reliability_curve([0.5], [1], 0), "bins must be a whole number"),
        (lambda: fit_probabilities([1, 2], [1, 1], [1, 1]), "links and pairs that are none"),
        (lambda: fit_probabilities([1, 2], [0, 0], [1, 1]), "links and pairs that are none"),
    ],
)
def test_bad_probabilities_get_one_sentence(call, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        call()
