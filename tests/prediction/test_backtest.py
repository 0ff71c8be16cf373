"""The backtest of a list, against counting by hand; and what it must not see."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edgeorbit import Graph, LinkPredictor, LinkSplit
from edgeorbit.models.base import LinkModel
from edgeorbit.prediction.backtest import KS, backtest, bootstrap_interval, precision_on_valid
from edgeorbit.prediction.result import read_result
from edgeorbit.prediction.scanning import Scanned, scan
from edgeorbit.prediction.top_links import top_links


class Oracle(LinkModel):
    """Scores a pair by whether it is one of some links."""

    name = "oracle"
    citation = "of the tests"
    links = frozenset()

    def on(self, graph):
        return lambda pairs: np.array([tuple(sorted(pair)) in self.links for pair in pairs.tolist()], float)


@pytest.fixture(scope="module")
def groups() -> Graph:
    """Links within groups of 20, of which a third is missing."""
    pairs = np.stack(np.triu_indices(240, 1), axis=1)
    inside = pairs[pairs[:, 0] // 20 == pairs[:, 1] // 20]
    draws = np.random.default_rng(0)
    return Graph.from_edges(inside[draws.random(len(inside)) < 0.66], 240, name="groups")


@pytest.fixture(scope="module")
def fitted(groups) -> LinkPredictor:
    return LinkPredictor("ra").fit(groups)


def keys(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(min(pair), max(pair)) for pair in np.asarray(pairs).tolist()}


def test_precision_and_recall_are_those_that_are_counted_by_hand(fitted) -> None:
    split, found = fitted.split, fitted.backtest()
    listed = top_links(fitted.model.on(split.graph), split.graph, 5000).pairs
    listed = [pair for pair in map(tuple, listed.tolist()) if pair not in keys(split.valid)]
    for k, row in zip(KS, found.model.at, strict=True):
        hits = sum(pair in keys(split.test) for pair in listed[:k])
        assert (row.k, row.listed, row.found) == (k, k, hits)
        assert row.precision == hits / k and row.recall == hits / len(split.test)
        assert row.low <= row.precision <= row.high
    pairs = 240 * 239 // 2 - split.graph.num_edges - len(split.valid)
    assert found.non_edges == pairs and found.chance == len(split.test) / pairs
    assert found.test_links == len(split.test) and not found.small_sample


def test_a_model_that_knows_the_test_links_finds_them_all_and_chance_is_below(groups, fitted) -> None:
    knowing = type("Knowing", (Oracle,), {"links": keys(fitted.split.test)})
    found = LinkPredictor(knowing()).fit(fitted.split).backtest()
    assert found.model.at[0].precision == found.model.at[0].low == 1.0
    assert found.model.at[1].found == min(50, found.test_links)
    assert found.model.at[-1].recall > 0.95 > found.heuristic.at[-1].recall
    assert found.heuristic.at[0].precision > 3 * found.chance


def test_the_heuristic_is_chosen_without_the_test_links(fitted) -> None:
    split, found = fitted.split, fitted.backtest()
    swapped = replace(split, test=split.test[:5])
    again = LinkPredictor("ra").fit(swapped).backtest()
    assert again.heuristics == found.heuristics and again.heuristic.model == found.heuristic.model
    assert found.heuristics[found.heuristic.model] == max(found.heuristics.values())
    assert again.small_sample and set(found.heuristics) == {"cn", "aa", "ra", "jaccard", "katz", "ppr"}


def test_page_rank_is_left_out_of_large_graphs(fitted, monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.prediction.backtest.MOST_PAGERANK", 1000)
    assert "ppr" not in fitted.backtest().heuristics


def test_validation_precision_of_tied_scores_is_the_mean_over_their_orders() -> None:
    draws = np.random.default_rng(3)
    links, others = draws.integers(0, 4, 30).astype(float), np.sort(draws.integers(0, 4, 90).astype(float))[::-1]
    scanned = Scanned(120, links, np.zeros((90, 2), int), others, np.empty(0), 0.0)
    shares = []
    for _ in range(3000):
        scores, is_link = np.concatenate([links, others]), np.arange(120) < 30
        best = np.lexsort((draws.random(120), -scores))[:40]
        shares.append(is_link[best].mean())
    assert precision_on_valid(scanned, 40) == pytest.approx(np.mean(shares), abs=0.005)


def test_the_bootstrap_is_that_of_binomial_draws() -> None:
    hits = np.arange(200) < 60
    draws = np.random.default_rng(0).binomial(200, 0.3, 20_000) / 200
    assert np.allclose(bootstrap_interval(hits), np.quantile(draws, [0.025, 0.975]), atol=0.011)
    assert bootstrap_interval(hits) == bootstrap_interval(hits) != bootstrap_interval(hits, seed=1)
    assert bootstrap_interval(hits[:0]) == (0.0, 0.0) and bootstrap_interval(hits[:9]) == (1.0, 1.0)


def test_probabilities_of_the_list_are_judged_by_the_test_links(fitted) -> None:
    found = fitted.backtest().reliability
    assert found is not None and found.listed == 500 and found.ece < 0.1
    assert sum(each.number for each in found.curve) == 500
    assert sum(each.number * each.share_true for each in found.curve) == pytest.approx(500 * found.share_true)
    assert abs(found.mean_probability - found.share_true) < 0.05 and 0 < found.brier < 0.25


def test_a_graph_with_few_links_is_a_small_sample_without_probabilities() -> None:
    found = LinkPredictor("ra").fit("karate").backtest()
    assert found.small_sample and found.reliability is None and "12 of 12 validation links" in found.uncalibrated
    assert found.model.at[-1].listed < 500 and found.model.at[-1].recall == 1.0


def test_nothing_held_out_is_no_error() -> None:
    nothing = np.empty((0, 2), int)
    for valid in (nothing, np.array([[0, 2]])):
        split = LinkSplit.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]], valid, nothing)
        found = LinkPredictor("ra").fit(split, features="constant").backtest()
        assert found.test_links == 0 and found.chance == 0.0 and found.model.at[0].recall == 0.0
        assert found.model.at[0].listed == 6 - len(valid) and found.uncalibrated


def test_a_result_keeps_its_backtest(groups, tmp_path: Path) -> None:
    predictor = LinkPredictor("cn").fit(groups, output=tmp_path)
    with_list = predictor.evaluate(backtest=True, output=tmp_path)
    assert with_list.backtest == predictor.backtest()
    assert "backtest" in with_list.as_dict() and "backtest" not in predictor.evaluate().as_dict()
    predictor.evaluate(output=tmp_path)  # which asks for no list
    assert read_result(tmp_path).backtest == with_list.backtest
    old = json.loads((tmp_path / "results.json").read_text())
    del old["backtest"]
    (tmp_path / "results.json").write_text(json.dumps(old))
    assert read_result(tmp_path).backtest is None


def test_the_backtest_of_a_network_searches_its_embedding(groups) -> None:
    pytest.importorskip("torch_geometric")
    predictor = LinkPredictor("gcn", settings={"hidden_channels": 8}, training={"epochs": 2}, threads=1).fit(groups)
    found, split = predictor.backtest(), predictor.split
    embedding = predictor.model.embed(split.graph)
    scanned = scan(predictor.model.on(split.graph), split.graph, split.valid, embedding=embedding)
    assert found.candidates == scanned.num_scored > fitted_candidates(split)
    assert found.model == backtest("gcn", scanned, split).model


def fitted_candidates(split) -> int:
    return scan(lambda pairs: pairs[:, 0], split.graph, split.valid).num_scored
