"""What an audit accepts, refuses and returns; the contract test audits every model of edgeorbit."""

import json

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch
from torch_geometric.nn import GCNConv

import edgeorbit as eo
from edgeorbit.auditing.audit import CHECKS
from edgeorbit.auditing.exceptions import KNOWN
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import MODELS, make_model
from edgeorbit.prediction import LinkPredictor
from edgeorbit.testing import check_model, symmetric_graph


class Encoder(torch.nn.Module):
    def __init__(self, in_channels: int = 5) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)


def by_sum(pairs: np.ndarray) -> np.ndarray:
    return pairs.sum(axis=1)


def fit_by_degree(split: eo.LinkSplit):
    degree = split.graph.degree
    return lambda pairs: degree[pairs].prod(axis=1)


@pytest.mark.parametrize(
    "model",
    ["cn", "gcn", f"{__name__}:Encoder", Encoder, make_model("gcn", hidden_channels=8), LinkPredictor("mlp")],
    ids=["heuristic", "name", "module:Class", "module", "LinkModel", "LinkPredictor"],
)
def test_every_kind_of_model_is_audited(model) -> None:
    found = eo.audit(model, eo.split("karate", features="degree"))
    assert found.passed, found
    assert [each.check for each in found.checks] == list(CHECKS)


def test_an_instance_and_a_named_function_are_audited() -> None:
    split = eo.split("karate", features="random")
    assert eo.audit(Encoder(64), split).passed
    assert eo.audit(f"{__name__}:by_sum", split)["order of nodes"].verdict == "passed"
    assert eo.audit(None, split, train=fit_by_degree)["node numbers"].verdict == "passed"


def test_a_fitted_predictor_brings_its_split_and_its_scores() -> None:
    predictor = LinkPredictor("gcn", training={"epochs": 3}).fit("karate", features="constant")
    found = eo.audit(predictor, checks=["order of nodes", "test links"])
    assert found.passed and [each.check for each in found.checks] == ["order of nodes", "test links"]
    assert found.about["training"]["evaluate_every"] == found.about["training"]["epochs"] == 3


def test_identity_features_are_an_exception_and_their_owner_is_told_so() -> None:
    found = eo.audit("gcn", "karate", checks=["node numbers"])
    assert found.passed and found["node numbers"].verdict == "exception"
    assert "identity features" in found["node numbers"].note


def test_validation_links_may_select_a_checkpoint_outside_of_the_audit_only() -> None:
    found = eo.audit("gcn", "karate", training={"epochs": 4, "evaluate_every": 1}, checks=["validation links"])
    assert found.about["training"]["evaluate_every"] == 4
    assert found["validation links"].verdict == "passed"


def test_the_findings_are_json_text_and_a_table() -> None:
    found = eo.audit(lambda pairs: np.where(pairs[:, 0] == 0, np.nan, pairs[:, 0]), "karate")
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert not told["passed"] and [each["check"] for each in told["checks"]] == list(CHECKS)
    found = eo.audit(lambda pairs: pairs[:, 0], "karate", checks=["order of nodes"])
    u, v = found["order of nodes"].example.pair
    assert isinstance(u, int) and found["order of nodes"].example.scores == (u, v)
    assert f"order of nodes  failed   {u} - {v}: {u} or {v} (as (u, v) or as (v, u))" in str(found)
    assert "<td>failed</td>" in found._repr_html_() and "&lt;lambda&gt;" in found._repr_html_()
    with pytest.raises(KeyError, match="known are order of nodes"):
        found["split"]


def test_progress_counts_the_checks() -> None:
    told = []
    eo.audit("cn", "karate", progress=lambda done, total, doing: told.append((done, total, doing)))
    assert told[0] == (0, len(CHECKS), "checking split") and told[-1] == (len(CHECKS), len(CHECKS), "checked")


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (None, {}, "nothing to audit"),
        ("gcm", {}, "did you mean gcn"),
        (3, {}, "int is no model"),
        ("gcn", {"checks": ["leaks"]}, "no check 'leaks'; choose from split"),
        ("gcn", {"train": fit_by_degree}, "the audit trains a model itself"),
        (None, {"train": lambda split: 3}, "must return a function from pairs to scores"),
        (None, {"train": lambda split: 1 / 0}, "ZeroDivisionError"),
        (lambda pairs: pairs.nothing, {}, "fails on 500 pairs"),
    ],
)
def test_bad_input_is_refused_with_a_way_out(model, options, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        eo.audit(model, "karate", **options)


def test_a_split_must_be_given() -> None:
    with pytest.raises(InvalidParameterError, match="give a split"):
        eo.audit("gcn")


@pytest.mark.parametrize("name", ["eo-gnn", "eo-gnn-paper"])
def test_without_the_noise_of_roles_eo_gnn_does_not_depend_on_node_numbers(name: str) -> None:
    found = eo.audit(name, symmetric_graph(), settings={"tau": 0.0}, checks=["node numbers"], tolerance=1e-9)
    assert found["node numbers"].verdict == "passed"


def test_every_named_exception_belongs_to_a_model_and_a_check() -> None:
    assert set(KNOWN) <= set(MODELS)
    assert {check for reasons in KNOWN.values() for check in reasons} <= set(CHECKS)


class Numbered(Encoder):
    def forward(self, x, edge_index):
        return self.conv(x * torch.arange(len(x), dtype=x.dtype)[:, None], edge_index)


def test_check_model_says_which_clause_is_broken_and_how() -> None:
    assert check_model(Encoder).passed
    with pytest.raises(AssertionError, match=r"breaks the contract.*\nnode numbers: violated: Renumbering"):
        check_model(Numbered)
    assert check_model(Numbered, exceptions={"node numbers": "on purpose"}).passed


class Misdescribed(eo.LinkModel):
    """Has no citation, a search space of nothing, and infinite scores for some pairs."""

    name, citation, search_space = "misdescribed", "", {"width": [1]}

    def on(self, graph: eo.Graph):
        return lambda pairs: np.where((pairs == 0).any(axis=1), np.inf, graph.degree[pairs].prod(axis=1))


def test_check_model_lists_all_that_is_broken() -> None:
    with pytest.raises(AssertionError) as told:
        check_model(Misdescribed, "karate")
    lines = str(told.value).splitlines()
    broken = [line.partition(":")[0] for line in lines[1:]]
    assert broken == ["description", "description", "metrics", "loading", "finite scores"]
    assert "no citation" in lines[1] and "width" in lines[2]


def test_a_class_of_a_function_is_evaluated_and_checked() -> None:
    class Local(Encoder):
        pass

    assert check_model(Local).passed


def test_a_real_graph_is_audited(data_dir) -> None:
    found = eo.audit("gcn", eo.split("cora", data_dir=data_dir))
    assert found.passed and {each.verdict for each in found.checks} == {"passed"}
