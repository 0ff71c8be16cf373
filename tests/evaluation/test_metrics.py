"""Metrics against brute force, OGB's evaluator and scikit-learn: on random, heavily tied and constant scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation import evaluate, ranks

FEW = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0])  # heavily tied
ANY = st.floats(-1e30, 1e30)
DTYPES = st.sampled_from([np.float32, np.float64])


@st.composite
def pools(draw, min_negatives=1, max_size=30):
    values = draw(st.sampled_from([FEW, ANY, st.just(0.5)]))
    positive = draw(st.lists(values, min_size=1, max_size=max_size))
    negative = draw(st.lists(values, min_size=min_negatives, max_size=max_size + min_negatives))
    # Some positives are taken from the negatives, so that rare values tie as well.
    positive += draw(st.lists(st.sampled_from(negative), max_size=5))
    return np.array(positive, draw(DTYPES)), np.array(negative, draw(DTYPES))


@st.composite
def own_negatives(draw, padded=True):
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    dtype = draw(DTYPES)
    values = draw(st.sampled_from([FEW, st.floats(-(2.0**99), 2.0**99, width=32), st.just(0.5)]))
    positive = draw(hnp.arrays(dtype, shape[0], elements=values))
    negative = draw(hnp.arrays(dtype, shape, elements=values))
    if padded:
        negative[draw(hnp.arrays(bool, shape))] = np.nan
    return positive, negative


def naive_ranks(positive, negatives):
    """The three ranks of each positive, by counting; NaN is no negative."""
    greater = [sum(float(n) > float(p) for n in row) for p, row in zip(positive, negatives, strict=True)]
    equal = [sum(float(n) == float(p) for n in row) for p, row in zip(positive, negatives, strict=True)]
    return (
        [1 + g for g in greater],
        [1 + g + e / 2 for g, e in zip(greater, equal, strict=True)],
        [1 + g + e for g, e in zip(greater, equal, strict=True)],
    )


@given(pools())
def test_ranks_in_a_pool_are_what_counting_gives(scores):
    positive, negative = scores
    for found, expected in zip(
        ranks(positive, negative), naive_ranks(positive, [negative] * len(positive)), strict=True
    ):
        assert found.tolist() == expected


@given(own_negatives())
def test_ranks_among_own_negatives_are_what_counting_gives(scores):
    for found, expected in zip(ranks(*scores), naive_ranks(*scores), strict=True):
        assert found.tolist() == expected


@given(own_negatives())
def test_metrics_of_own_negatives_are_what_the_definitions_give(scores):
    positive, negative = scores
    rows = [(p, row[~np.isnan(row)]) for p, row in zip(positive, negative, strict=True)]
    rows = [(p, row) for p, row in rows if len(row)]
    if not rows:
        with pytest.raises(InvalidParameterError, match="none of the"):
            evaluate(positive, negative)
        return
    found = evaluate(positive, negative, ks=(1, 2, 5))
    optimistic, realistic, pessimistic = naive_ranks(*zip(*rows, strict=True))
    won = [sum((p > n) + (p == n) / 2 for n in row) / len(row) for p, row in rows]
    assert found["auc"] == pytest.approx(np.mean(won))
    assert found["mrr"] == pytest.approx(np.mean([1 / r for r in realistic]))
    assert found["mrr_optimistic"] == pytest.approx(np.mean([1 / r for r in optimistic]))
    assert found["mrr_pessimistic"] == found["ap"] == pytest.approx(np.mean([1 / r for r in pessimistic]))
    for k in (1, 2, 5):
        assert found[f"hits@{k}"] == pytest.approx(np.mean([r <= k for r in realistic]))
    ties = sum(int((row == p).sum()) for p, row in rows)
    assert found["ties"] == pytest.approx(ties / sum(len(row) for _, row in rows))
    assert found["num_positives"] == len(positive)
    assert found["num_negatives"] == np.isfinite(negative).sum()
    assert found["num_without_negatives"] == len(positive) - len(rows)


@settings(max_examples=30)
@given(own_negatives(padded=False))
def test_average_precision_of_own_negatives_is_the_mean_of_scikit_learns(scores):
    sklearn = pytest.importorskip("sklearn.metrics")
    positive, negative = scores
    labels = np.arange(1 + negative.shape[1]) == 0
    expected = [
        sklearn.average_precision_score(labels, np.append(p, row)) for p, row in zip(positive, negative, strict=True)
    ]
    assert evaluate(positive, negative)["ap"] == pytest.approx(np.mean(expected))


@given(pools())
def test_auc_and_average_precision_of_a_pool_are_scikit_learns(scores):
    sklearn = pytest.importorskip("sklearn.metrics")
    positive, negative = scores
    labels = np.arange(len(positive) + len(negative)) < len(positive)
    values = np.concatenate([positive, negative])
    found = evaluate(positive, negative)
    assert found["auc"] == pytest.approx(sklearn.roc_auc_score(labels, values))
    assert found["ap"] == pytest.approx(sklearn.average_precision_score(labels, values))


@pytest.mark.parametrize("name", ["ogbl-ddi", "ogbl-collab", "ogbl-ppa"])  # Hits@20, @50, @100
@settings(max_examples=40)
@given(data=st.data())
def test_hits_in_a_pool_are_ogbs(name, data):
    evaluator = pytest.importorskip("ogb.linkproppred").Evaluator(name)
    k = evaluator.K
    positive, negative = data.draw(pools(min_negatives=data.draw(st.sampled_from([1, k - 1, k, k + 3]))))
    expected = evaluator.eval({"y_pred_pos": positive, "y_pred_neg": negative})[f"hits@{k}"]
    assert evaluate(positive, negative)[f"hits@{k}"] == pytest.approx(expected)


@given(own_negatives(padded=False))
def test_ranks_among_own_negatives_are_ogbs(scores):
    torch = pytest.importorskip("torch")
    evaluator = pytest.importorskip("ogb.linkproppred").Evaluator("ogbl-citation2")
    positive, negative = (torch.from_numpy(values) for values in scores)
    expected = evaluator.eval({"y_pred_pos": positive, "y_pred_neg": negative})
    found = evaluate(*scores)
    assert found["mrr"] == pytest.approx(expected["mrr_list"].mean().item())
    for k in (1, 3, 10):
        assert found[f"hits@{k}"] == pytest.approx(expected[f"hits@{k}_list"].mean().item())


@given(own_negatives())
def test_one_pool_is_the_same_as_that_pool_for_every_positive(scores):
    positive, negative = scores
    pool = negative[np.isfinite(negative)]
    if len(pool):
        together, apart = evaluate(positive, pool), evaluate(positive, np.tile(pool, (len(positive), 1)))
        for name in ("auc", "mrr", "mrr_optimistic", "mrr_pessimistic", "ties"):
            assert together[name] == pytest.approx(apart[name])


@pytest.mark.parametrize("shape", [(1000,), (50, 1000)])
def test_a_constant_scorer_knows_nothing(shape):
    found = evaluate(np.full(50, 7.0), np.full(shape, 7.0))
    assert (found["auc"], found["ties"]) == (0.5, 1.0)
    assert found["mrr"] == pytest.approx(1 / 501)
    assert all(found[f"hits@{k}"] == 0 for k in (1, 3, 10, 20, 50, 100))
    assert found["mrr_pessimistic"] < found["mrr"] < found["mrr_optimistic"] == 1


def test_neighbouring_floats_are_not_ties():
    one = np.float32(1)
    above = np.nextafter(one, np.float32(2))
    assert ranks([one], np.array([above])).optimistic.tolist() == [2]
    # 1 + 2^-40 is 1 in single precision, but it was not given in single precision.
    assert ranks(np.array([1], np.float32), np.array([1 + 2.0**-40])).optimistic.tolist() == [2]


def test_a_million_positives_against_a_million_negatives():
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    positive = (rng.normal(1, 1, 10**6) * 1000).round().astype(np.float32)  # about a hundred of each value
    negative = (rng.normal(0, 1, 10**6) * 1000).round().astype(np.float32)
    found = evaluate(positive, negative)
    labels = np.arange(2 * 10**6) < 10**6
    assert found["auc"] == pytest.approx(sklearn.roc_auc_score(labels, np.concatenate([positive, negative])))
    histogram = np.bincount(negative.astype(int) + 10_000, minlength=20_000)
    at_least = histogram[::-1].cumsum()[::-1]
    greater = at_least[positive.astype(int) + 10_001]
    ties = histogram[positive.astype(int) + 10_000]
    assert found["mrr"] == pytest.approx(np.mean(1 / (1 + greater + ties / 2)))
    assert found["ties"] == pytest.approx(ties.mean() / 10**6)


@pytest.mark.parametrize(
    ("positive", "negative", "message"),
    [
        ([], [1.0], "there are no positives"),
        ([1.0], [], "there are no negatives"),
        ([1.0, 2.0], np.zeros((2, 0)), "there are no negatives"),
        ([1.0, 2.0], [[1.0]], r"shape \(2,\) for positives and \(1, 1\) for negatives"),
        ([[1.0]], [1.0], r"shape \(1, 1\) for positives"),
        ([1.0], np.zeros((1, 1, 2)), r"\(1, 1, 2\) for negatives"),
        ([0.5, np.nan, np.inf], [1.0], r"2 of 3 positive scores are NaN or infinite, the first at 1: nan"),
        ([0.5], [1.0, -np.inf], r"1 of 2 negative scores are NaN or infinite, the first at 1: -inf"),
        ([0.5], [np.nan], r"1 of 1 negative scores are NaN"),
        ([0.5], [[np.nan, np.inf]], r"1 of 2 negative scores are NaN or infinite, the first at \(0, 1\): inf"),
        ([0.5, 1.0], np.full((2, 3), np.nan), "none of the 2 positives has a negative"),
        (["high"], [1.0], "positive scores are of type <U4"),
    ],
)
def test_scores_that_cannot_be_ranked_are_one_sentence(positive, negative, message):
    with pytest.raises(InvalidParameterError, match=message):
        evaluate(positive, negative)


@pytest.mark.parametrize("k", [0, -1, 2.5, "10"])
def test_a_k_that_is_no_rank_is_refused(k):
    with pytest.raises(InvalidParameterError, match="whole number from 1"):
        evaluate([1.0], [0.0], ks=[k])
