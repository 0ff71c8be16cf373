"""Every defect is found by the check that is named after it, in a model that has it built in on purpose."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch
from torch_geometric.nn import GCNConv

import edgeorbit as eo
from edgeorbit import Graph, LinkSplit
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.models.base import LinkModel
from edgeorbit.testing import symmetric_graph


@pytest.fixture(scope="module")
def split() -> LinkSplit:
    return eo.split(symmetric_graph())


def honest(graph: Graph):
    """Return a scorer without any defect: preferential attachment."""
    return lambda pairs: graph.degree[pairs].prod(axis=1) + 1.0


def failed(model, split: LinkSplit, **options) -> list[str]:
    return [finding.check for finding in eo.audit(model, split, threads=1, **options).failed]


def test_an_honest_function_passes_and_says_what_was_not_checked(split: LinkSplit) -> None:
    found = eo.audit(honest(split.graph), split)
    assert found.passed and found["order of nodes"].verdict == "passed"
    assert {each.check for each in found.checks if each.verdict == "skipped"} == {
        *("same seed", "target links", "validation links", "test links", "node numbers")
    }
    assert "train=" in found["test links"].note


def nan_for_isolated_ends(score):
    return lambda pairs: np.where((pairs == 3).any(axis=1), np.nan, score(pairs))


def normalised_over_the_call(score):
    return lambda pairs: score(pairs) - score(pairs).mean()


def ranked_within_the_call(score):
    return lambda pairs: np.argsort(np.argsort(score(pairs))) * 1.0


def by_place_in_the_call(score):
    return lambda pairs: score(pairs) + np.arange(len(pairs)) % 2


def by_size_of_the_call(score):
    return lambda pairs: score(pairs) + len(pairs)


def otherwise_for_one_pair(score):
    return lambda pairs: score(pairs) + (len(pairs) == 1)


def otherwise_for_small_calls(score):
    return lambda pairs: score(pairs) + (1 < len(pairs) < 300)


def lopsided(score):
    return lambda pairs: score(pairs) + 0.1 * pairs[:, 0]


def with_dropout(score):
    random = np.random.default_rng(0)
    return lambda pairs: score(pairs) * (random.random(len(pairs)) < 0.5)


def one_score_for_all(score):
    return lambda pairs: np.array([score(pairs).mean()])


@pytest.mark.parametrize(
    ("defect", "check"),
    [
        (nan_for_isolated_ends, "finite scores"),
        (one_score_for_all, "finite scores"),
        (with_dropout, "same scores twice"),
        (normalised_over_the_call, "other pairs"),
        (ranked_within_the_call, "other pairs"),
        (by_place_in_the_call, "order of pairs"),
        (by_size_of_the_call, "batch size"),
        (otherwise_for_one_pair, "batch size"),
        (otherwise_for_small_calls, "batch size"),
        (lopsided, "order of nodes"),
    ],
)
def test_a_defect_of_scoring_is_found_by_its_check(defect, check: str, split: LinkSplit) -> None:
    found = eo.audit(defect(honest(split.graph)), split)
    assert check in [finding.check for finding in found.failed]
    example = found[check].example
    if check not in ("finite scores",):
        assert example is not None and example.scores is not None and example.scores[0] != example.scores[1]
    if defect in (lopsided, by_size_of_the_call, with_dropout):
        assert [finding.check for finding in found.failed] == [check]  # and by no other


def test_checks_that_need_scores_are_skipped_where_there_are_none(split: LinkSplit) -> None:
    found = eo.audit(nan_for_isolated_ends(honest(split.graph)), split)
    assert found["batch size"].verdict == "skipped" and "finite" in found["batch size"].note


def weighted(weight: float):
    return lambda pairs: pairs.sum(axis=1) * weight


@pytest.mark.parametrize(
    ("train", "wrong"),
    [
        (lambda split: honest(split.graph), []),
        (lambda split: honest(split.known("valid")), []),  # may select by validation links
        (lambda split: honest(split.whole), ["test links"]),
        (lambda split: lambda pairs: are_edges(split.whole, pairs) + 0.0, ["test links"]),
        (lambda split: lambda pairs: pairs.sum(axis=1) * 0.0 + len(split.test), ["test links"]),
        (lambda split: weighted(np.random.default_rng().random()), ["same seed"]),
    ],
    ids=["honest", "selects", "messages on all links", "looks links up", "counts them", "unseeded"],
)
def test_training_outside_edgeorbit_is_audited_by_a_function(train, wrong: list[str], split: LinkSplit) -> None:
    assert failed(None, split, train=train) == wrong


def test_a_trained_scorer_can_be_audited_with_the_function_that_trains_it(split: LinkSplit) -> None:
    scorer = honest(split.graph)
    assert failed(scorer, split, train=lambda other: honest(other.graph)) == []
    assert failed(lopsided(scorer), split, train=lambda other: honest(other.graph)) == ["order of nodes"]
    random = lambda split: lambda pairs: pairs.sum(axis=1) * np.random.rand()  # noqa: E731
    assert failed(None, split, train=random, checks=["same scores twice"]) == ["same scores twice"]


class Cached(torch.nn.Module):
    """Keeps the graph of its first call, with the target links of later steps in it."""

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16, cached=True)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)


class VisibleTargets(torch.nn.Module):
    """Scores training targets by whether the whole graph, which it saw when it was made, has them."""

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv, self.whole = GCNConv(in_channels, 16), None

    def forward(self, x, edge_index, edge_label_index):
        if self.whole is None:
            self.whole = set(map(tuple, edge_index.T.tolist()))
        z = self.conv(x, edge_index)
        known = torch.tensor([tuple(pair) in self.whole for pair in edge_label_index.T.tolist()], dtype=z.dtype)
        return (z[edge_label_index[0]] * z[edge_label_index[1]]).sum(1) + known


class VisibleInScoring(VisibleTargets):
    """Trains as it should, and scores by the whole graph, which it saw when it was made."""

    def forward(self, x, edge_index, edge_label_index):
        scores = super().forward(x, edge_index, edge_label_index)
        if not self.training:
            return scores
        z = self.conv(x, edge_index)
        return (z[edge_label_index[0]] * z[edge_label_index[1]]).sum(1)


class KeptInBuffer(torch.nn.Module):
    """Stores the number of edges of the whole graph among its weights."""

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16)
        self.register_buffer("num_edges", torch.zeros(1))

    def forward(self, x, edge_index):
        if not self.num_edges:
            self.num_edges += edge_index.shape[1]
        return self.conv(x, edge_index)


class NodeNumbers(torch.nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels + 1, 16)

    def forward(self, x, edge_index):
        number = torch.arange(len(x), dtype=x.dtype)[:, None] / len(x)
        return self.conv(torch.cat([x, number], dim=1), edge_index)


class Normalised(torch.nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16)

    def encode(self, x, edge_index):
        return self.conv(x, edge_index)

    def decode(self, z, edge_label_index):
        scores = (z[edge_label_index[0]] * z[edge_label_index[1]]).sum(1)
        return (scores - scores.mean()) / (scores.std(correction=0) + 1)


class NaN(torch.nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index) / 0


class Plain(torch.nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GCNConv(in_channels, 16)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index).relu()


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        (Plain, set()),
        (Cached, {"target links", "node numbers"}),  # whatever the numbers, it scores by its first graph
        (VisibleTargets, {"target links", "node numbers"}),
        (VisibleInScoring, {"target links", "node numbers"}),
        (KeptInBuffer, {"target links"}),
        (NodeNumbers, {"node numbers"}),
        (Normalised, {"other pairs", "batch size"}),
        (NaN, {"finite scores"}),
    ],
)
def test_a_defect_of_a_module_is_found_by_its_check(module, wrong: set[str], split: LinkSplit) -> None:
    assert set(failed(module, split)) == wrong


class Remembering(LinkModel):
    """Keeps what it was asked on the first graph, whatever it is shown later."""

    name, citation = "remembering", "nobody"
    graph: Graph | None = None

    def on(self, graph: Graph):
        type(self).graph = type(self).graph or graph
        return honest(type(self).graph)


def test_a_model_that_remembers_another_graph_is_found_by_renumbering_nodes(split: LinkSplit) -> None:
    assert failed(Remembering, split) == ["node numbers"]


def test_a_reason_that_the_caller_gives_makes_an_exception(split: LinkSplit) -> None:
    found = eo.audit(NodeNumbers, split, exceptions={"node numbers": "positions are wanted"}, checks=["node numbers"])
    assert found.passed and found["node numbers"].verdict == "exception"
    assert found["node numbers"].note == "positions are wanted" and found["node numbers"].example is not None


def leaky(**changes) -> LinkSplit:
    """Return a split that is built without checks."""
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [0, 3]], node_names=np.array([*"abcdef"]))
    parts = {"valid": [[0, 2], [1, 3]], "test": [[2, 4], [1, 4]]} | changes
    return LinkSplit(graph, np.array(parts["valid"]), np.array(parts["test"]))


@pytest.mark.parametrize(
    ("changes", "pair", "text"),
    [
        ({"test": [[1, 0], [2, 4]]}, ("b", "a"), "test link and training link"),
        ({"valid": [[0, 2], [1, 0]]}, ("b", "a"), "validation link and training link"),
        ({"test": [[3, 1], [2, 4]]}, ("b", "d"), "validation link and test link"),
        ({"test": [[2, 4], [4, 2]]}, ("e", "c"), "test link twice, in either direction"),
        ({"test": [[2, 4], [5, 5]]}, ("f", "f"), "test self-loop"),
        ({"test": [[2, 4], [5, 6]]}, (5, 6), "test link with a node outside 0 to 5"),
    ],
)
def test_a_leaky_split_is_found_and_named(changes, pair, text: str) -> None:
    found = eo.audit("cn", leaky(**changes))
    assert [each.check for each in found.failed] == ["split"]
    assert found["split"].example is not None
    assert (found["split"].example.pair, found["split"].example.text) == (pair, text)
    assert found["order of nodes"].verdict == "passed"  # the rest is checked without what leaks


def test_negatives_that_are_links_are_found() -> None:
    split = leaky()
    pool = np.array([[0, 4]])
    bad = eo.Negatives("given", pool, np.array([[1, 3], [0, 4]]))
    whole = LinkSplit(split.graph, split.valid, split.test, negatives={"given": bad})
    assert failed("cn", whole) == ["split"]
    assert "(1, 3)" in eo.audit("cn", whole)["split"].note
    found = eo.audit("cn", whole, exceptions={"split": "as published"})
    assert found.passed and found["split"].note == "as published"


def test_metrics_that_give_ties_the_best_rank_are_found(split: LinkSplit) -> None:
    def optimistic(positive, negative):
        rank = 1 + (np.asarray(negative)[None, :] > np.asarray(positive)[:, None]).sum(axis=1)
        return {"MRR": (1 / rank).mean()}

    def generous(positive, negative):
        best = np.sort(negative)[-10] if len(negative) >= 10 else -np.inf
        return {"auc": eo.evaluation.metrics.evaluate(positive, negative)["auc"], "hits@10": (positive >= best).mean()}

    for metrics in (optimistic, generous):
        assert failed("cn", split, metrics=metrics) == ["ties"]
    assert eo.audit("cn", split, metrics=lambda p, n: {"loss": 0.0})["ties"].verdict == "skipped"
