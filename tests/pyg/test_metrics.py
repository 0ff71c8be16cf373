"""Tie-aware metrics against the package's own metrics, and against PyG's where no scores are tied."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.metrics import evaluate

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
theirs = pytest.importorskip("torch_geometric.metrics")
if not hasattr(theirs, "LinkPredMetric"):
    pytest.skip("this version of PyG has no such metrics", allow_module_level=True)

from torch_geometric.data import Data  # noqa: E402

from edgeorbit.pyg import TieAwareHits, TieAwareMRR, score_matrix  # noqa: E402


def both(scores, index, k):
    mrr, hits = TieAwareMRR(), TieAwareHits(k=k)
    for metric in (mrr, hits):
        for rows in torch.arange(len(scores)).split(3):  # in batches
            chosen = (index[0] >= rows[0]) & (index[0] <= rows[-1])
            metric.update(scores[rows], torch.stack([index[0, chosen] - rows[0], index[1, chosen]]))
    return float(mrr.compute()), float(hits.compute())


@settings(max_examples=60)
@given(seed=st.integers(0, 2**31), values=st.sampled_from([2, 5, 10**6]), k=st.sampled_from([1, 3, 10]))
def test_own_negatives_with_ties_and_padding_agree_with_the_metrics_of_the_package(seed, values, k):
    random = np.random.default_rng(seed)
    positive, negative = random.integers(0, values, 8) / 4, random.integers(0, values, (8, 6)) / 4
    negative[random.random((8, 6)) < 0.4] = np.nan
    if np.isnan(negative).all():
        return
    expected = evaluate(positive, negative, ks=[k])
    scores = torch.tensor(np.column_stack([positive, negative]))
    index = torch.stack([torch.arange(8), torch.zeros(8, dtype=torch.long)])
    mrr, hits = both(scores, index, k)
    assert mrr == pytest.approx(expected["mrr"], rel=1e-5) and hits == pytest.approx(expected[f"hits@{k}"], rel=1e-5)


def test_a_pool_agrees_with_the_metrics_of_the_package():
    random = np.random.default_rng(0)
    scores = torch.tensor(random.integers(0, 20, 50) / 2)
    data = Data(edge_label=torch.cat([torch.ones(10), torch.zeros(40)]))
    expected = evaluate(scores[:10].numpy(), scores[10:].numpy(), ks=[3])
    assert both(*score_matrix(scores, data), 3)[0] == pytest.approx(expected["mrr"], rel=1e-5)


@given(seed=st.integers(0, 2**31), k=st.integers(1, 12))
@settings(max_examples=40)
def test_without_ties_they_are_those_of_pyg(seed, k):
    random = torch.Generator().manual_seed(seed)
    scores = torch.stack([torch.randperm(12, generator=random).double() for _ in range(5)])
    relevant = torch.rand((5, 12), generator=random) < 0.2
    relevant[0, :2] = True
    index = relevant.nonzero().T
    best = scores.argsort(dim=1, descending=True)
    for our, name in ((TieAwareMRR(k), "LinkPredMRR"), (TieAwareHits(k), "LinkPredHitRatio")):
        if not hasattr(theirs, name):  # in older versions of PyG
            continue
        other = getattr(theirs, name)(k)
        our.update(scores, index)
        other.update(best[:, :k], index)
        assert float(our.compute()) == pytest.approx(float(other.compute()), rel=1e-5)


def test_a_constant_scorer_gets_the_middle_rank():
    index = torch.tensor([[0, 1], [0, 3]])
    assert both(torch.ones(2, 5), index, 2) == (pytest.approx(1 / 3), 0.0)


def test_they_are_metrics_of_pyg_in_collections_and_after_a_reset():
    collection = (
        theirs.LinkPredMetricCollection([TieAwareMRR(), TieAwareHits(1)])
        if hasattr(theirs, "LinkPredMetricCollection")
        else pytest.skip("this version of PyG has no collections")
    )
    assert isinstance(TieAwareMRR(), theirs.LinkPredMetric)
    collection.update(torch.tensor([[2.0, 1.0]]), torch.tensor([[0], [0]]))
    assert {float(value) for value in collection.compute().values()} == {1.0}
    collection.reset()
    assert {float(value) for value in collection.compute().values()} == {0.0}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (torch.tensor([[3, 1, 2]]), "not the indices of the best ones"),
        (torch.ones(3), "not the indices of the best ones"),
        (torch.tensor([[float("nan"), 1.0]]), "the score of a positive is NaN"),
        (torch.tensor([[1.0, float("inf")]]), "or a score is infinite"),
    ],
)
def test_what_is_no_scores_is_refused(scores, message):
    with pytest.raises(InvalidParameterError, match=message):
        TieAwareMRR().update(scores, torch.tensor([[0], [0]]))


def test_a_version_of_pyg_without_metrics_is_named_when_one_is_asked_for():
    code = """
import sys
sys.modules["torch_geometric.metrics"] = None
import edgeorbit.pyg
try:
    edgeorbit.pyg.TieAwareMRR
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert said.endswith("need torch_geometric.metrics; pip install --upgrade torch_geometric")
