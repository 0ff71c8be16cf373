"""Boosted trees learn from links that are hidden while their signals are computed, the same on any number of threads."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("lightgbm")

import edgeorbit as eo
from edgeorbit import Graph, LinkSplit
from edgeorbit.auditing.audit import audit
from edgeorbit.data.splits.split import Negatives
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.models.orbit_boost import examples
from edgeorbit.models.orbit_boost.examples import choose_links, draw_negatives, rounded
from edgeorbit.models.orbit_boost.model import OrbitBoost
from edgeorbit.prediction import LinkPredictor
from edgeorbit.signals import GROUPS, SIGNALS, SignalComputer
from edgeorbit.synthetic import make
from edgeorbit.testing import symmetric_graph

NAME = "orbit-boost"
SMALL = {"trees": 20, "negatives_per_link": 2, "folds": 4}


def random_graph(num_nodes: int, num_edges: int, seed: int = 0) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2)), num_nodes)


class Leaking(OrbitBoost):
    """The signals of a link are computed on a graph that has it: the bug that folds are there to prevent."""

    name = "leaking"

    def inputs(self, graph, targets, pairs):
        return SignalComputer(graph, self.signals(graph)).compute(pairs).values


class Recording(OrbitBoost):
    """Notes the graphs that signals come from while it learns."""

    name = "recording"

    def inputs(self, graph, targets, pairs):
        found = super().inputs(graph, targets, pairs)
        self.seen = [*getattr(self, "seen", []), (targets, pairs, found)]
        return found


def test_signals_of_a_link_that_see_the_link_are_caught_by_the_audit() -> None:
    split = eo.split(symmetric_graph())
    honest, leaking = (audit(each, split, checks=["target links"], threads=1) for each in (OrbitBoost, Leaking))
    assert honest.passed and honest["target links"].note.endswith("target links hidden")
    assert [each.check for each in leaking.failed] == ["target links"]


def test_trees_that_learn_from_visible_links_fail_on_hidden_ones() -> None:
    """Why the folds: with the links in sight, a distance of 1 explains everything, and nothing that is held out."""
    split = eo.split("usair")
    honest, leaking = (LinkPredictor(each, settings=SMALL, threads=1).fit(split) for each in (OrbitBoost, Leaking))
    assert honest.evaluate("random").test["auc"] > 0.9
    assert leaking.evaluate("random").test["auc"] < honest.evaluate("random").test["auc"] - 0.1


def test_every_link_is_hidden_once_and_its_signals_are_those_of_the_graph_without_its_fold() -> None:
    predictor = LinkPredictor(Recording, settings=SMALL, threads=1).fit(random_graph(60, 300))
    graph, names = predictor.split.graph, predictor.model.signals(predictor.split.graph)
    edges = {tuple(edge) for edge in graph.edges.tolist()}
    hidden = [tuple(link) for targets, _, _ in predictor.model.seen for link in targets.tolist()]
    assert sorted(hidden) == sorted(edges) and len(predictor.model.seen) == SMALL["folds"]
    for targets, pairs, values in predictor.model.seen:
        rest = Graph.from_edges(sorted(edges - {tuple(link) for link in targets.tolist()}), graph.num_nodes)
        expected = SignalComputer(rest.with_attributes(x=graph.x), names).compute(pairs).values
        assert np.allclose(values, expected, rtol=2**-15, atol=1e-30)
        groups = pairs.reshape(len(targets), 1 + SMALL["negatives_per_link"], 2)
        assert np.array_equal(groups[:, 0], targets)
        assert not are_edges(graph, groups[:, 1:].reshape(-1, 2)).any()


def test_the_number_of_threads_changes_no_tree(tmp_path) -> None:
    split = eo.split("usair")
    texts = {LinkPredictor(NAME, settings=SMALL, threads=threads).fit(split).model.weights() for threads in (1, 2, 5)}
    assert len(texts) == 1
    assert LinkPredictor(NAME, settings=SMALL, threads=1, seed=1).fit(split).model.weights() not in texts


@pytest.mark.parametrize(("metric", "objective"), [("auc", "binary"), ("mrr", "lambdarank"), ("hits@10", "lambdarank")])
def test_the_objective_is_that_of_the_metric(metric: str, objective: str) -> None:
    predictor = LinkPredictor(NAME, settings=SMALL, training={"metric": metric}, threads=1).fit("karate")
    assert f"objective={objective}" in predictor.model.weights()
    history = predictor.info["training_result"]["history"]
    assert predictor.info["training_result"]["best"] == max(entry[metric] for entry in history)
    other = LinkPredictor(NAME, settings=SMALL | {"objective": "binary"}, training={"metric": metric}).fit("karate")
    assert "objective=binary" in other.model.weights()


def test_validation_decides_how_many_trees_are_kept_and_patience_0_keeps_all() -> None:
    kept, all_of_them = (
        LinkPredictor(NAME, settings=SMALL | {"patience": patience, "trees": 60, "evaluate_every": 7}).fit("usair")
        for patience in (2, 0)
    )
    assert kept.info["training_result"]["best_epoch"] == kept.model.weights().count("Tree=") < 60
    assert all_of_them.model.weights().count("Tree=") == 60


def test_a_saved_model_scores_the_same_and_lightgbm_reads_its_file(tmp_path) -> None:
    import lightgbm

    predictor = LinkPredictor(NAME, settings=SMALL, threads=1).fit("usair", output=tmp_path / "run")
    loaded = LinkPredictor.load(tmp_path / "run")
    pairs = predictor.split.test
    found = predictor.model.on(predictor.split.graph)(pairs)
    assert np.array_equal(found, loaded.model.on(loaded.split.graph)(pairs))
    theirs = lightgbm.Booster(model_file=tmp_path / "run" / "model.txt")
    signals = SignalComputer(predictor.split.graph, theirs.feature_name()).compute(pairs)
    assert np.allclose(theirs.predict(rounded(signals.values), raw_score=True), found)
    again = LinkPredictor(NAME, settings=SMALL, threads=1).fit("usair", output=tmp_path / "run")
    assert again.model.weights() == predictor.model.weights()  # taken as it is


def test_it_predicts_for_another_graph_and_beats_a_coin_there() -> None:
    first, second = (make("syn-karate", copies=4, edges=8, seed=seed) for seed in (0, 1))
    predictor = LinkPredictor(NAME, settings=SMALL, threads=1).fit(first)
    split = eo.split(second, features="constant")
    assert eo.evaluate(predictor.model, split, "random").test["auc"] > 0.6
    assert len(predictor.predict(top=5, on=second).pairs) == 5


def test_features_count_and_those_that_name_the_nodes_do_not() -> None:
    graph = random_graph(50, 200)
    community = np.eye(2, dtype=np.float32)[np.arange(50) % 2]
    for x, used in ((None, False), (np.ones((50, 1), np.float32), False), (community, True)):
        names = OrbitBoost().signals(graph.with_attributes(x=x))
        assert any(SIGNALS[name].group == "features" for name in names) is used
    predictor = LinkPredictor(NAME, settings=SMALL, threads=1).fit(graph)
    assert predictor.info["protocol"]["features"] == "constant"
    identity = LinkPredictor(NAME, settings=SMALL, threads=1).fit(graph, features="identity")
    assert identity.model.weights() == predictor.model.weights()


@pytest.mark.parametrize("group", ["orbits", "walks", "pagerank", "common-neighbours"])
def test_groups_of_signals_can_be_left_out(group: str) -> None:
    graph = random_graph(50, 200)
    every, fewer = OrbitBoost().signals(graph), OrbitBoost(without=group).signals(graph)
    assert set(every) - set(fewer) == {name for name in every if SIGNALS[name].group == group}
    assert fewer


def test_a_large_graph_is_learned_from_by_a_sample_and_says_so() -> None:
    graph = random_graph(3000, 20_000)
    predictor = LinkPredictor(NAME, settings={**SMALL, "most_links": 500}, threads=2).fit(graph)
    remarks = predictor.evaluate("random").remarks
    assert any("a sample of 500 of 15," in remark for remark in remarks)
    folds = choose_links(graph, 500, 12, seed=0)
    assert sum(map(len, folds)) == 500 and len(folds) == 2  # a twelfth of the graph is more than all of them
    assert are_edges(graph, np.concatenate(folds)).all()


def test_costly_signals_are_left_out_by_a_bound_that_does_not_depend_on_a_clock() -> None:
    graph = random_graph(20_000, 100_000)
    bounds = (0.0, 1000.0, 12.0, 1e-6)
    found = [OrbitBoost(signal_seconds=bound).signals(graph) for bound in bounds]
    assert found[0] == found[1] and set(found[1]) > set(found[2]) > set(found[3])
    assert all(SIGNALS[name].cheap for name in found[3])
    assert any("signals (" in remark for remark in OrbitBoost(signal_seconds=1e-6).remarks(graph))


@pytest.mark.parametrize("kind", ["random", "shared-end", "mixed"])
def test_negatives_are_no_links_and_share_an_end_where_they_should(kind: str) -> None:
    graph = random_graph(80, 400)
    links = graph.edges.astype(np.int64)
    found = draw_negatives(graph, links, kind, 6, seed=3)
    assert not are_edges(graph, found.reshape(-1, 2)).any() and (found[..., 0] < found[..., 1]).all()
    shared = (found[:, :, :, None] == links[:, None, None, :]).any(axis=(2, 3)).mean(axis=0)
    expected = {"random": [0] * 6, "shared-end": [1] * 6, "mixed": [0, 1] * 3}[kind]
    assert np.allclose(shared, expected, atol=0.15)


def test_rounding_keeps_what_is_above_and_joins_what_is_below_its_bits() -> None:
    values = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
    found = rounded(values.copy())
    assert np.abs(found / values - 1).max() <= 2.0**-examples.BITS
    assert (np.frexp(found.astype(np.float64))[0] * 2**examples.BITS % 1 == 0).all()


def pairs_of(count: int) -> Graph:
    return Graph.from_edges([(2 * i, 2 * i + 1) for i in range(count)])


def test_a_graph_of_single_links_is_learned_from_and_judged_honestly() -> None:
    found = LinkPredictor(NAME, settings=SMALL, threads=1).fit(pairs_of(60)).evaluate("random")
    assert np.isfinite([found.test[key] for key in ("auc", "mrr")]).all()


def test_two_training_links_are_enough_and_one_is_refused() -> None:
    anything = np.array([[0, 3]])
    for edges, works in (([[0, 1], [1, 2]], True), ([[0, 1]], False)):
        split = LinkSplit(Graph.from_edges(edges, 4), anything, np.array([[1, 3]]))
        predictor = LinkPredictor(NAME, settings=SMALL, threads=1)
        if works:
            assert np.isfinite(predictor.fit(split).model.on(split.graph)(anything)).all()
        else:
            with pytest.raises(InvalidParameterError, match="has 1 training edges; a model needs at least 2"):
                predictor.fit(split)


def test_signals_that_are_all_the_same_are_an_error_that_says_so(monkeypatch) -> None:
    monkeypatch.setattr(OrbitBoost, "inputs", lambda self, graph, targets, pairs: np.ones((len(pairs), 85), np.float32))
    monkeypatch.setattr(OrbitBoost, "signals", lambda self, graph: tuple(SIGNALS)[:85])
    with pytest.raises(InvalidParameterError, match="all 85 signals are the same for every link"):
        LinkPredictor(NAME, settings=SMALL, threads=1).fit("karate")


def test_features_that_are_no_numbers_are_refused_before_anything_is_written(tmp_path) -> None:
    x = np.ones((40, 3), np.float32)
    x[7, 1] = np.nan
    with pytest.raises(InvalidParameterError, match="NaN or infinite"):
        LinkPredictor(NAME, threads=1).fit(random_graph(40, 200).with_attributes(x=x), output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_split_that_selects_no_trees_is_refused_before_anything_is_computed(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(OrbitBoost, "fit", lambda *_, **__: pytest.fail("it is fitted"))
    split = eo.split("karate")
    unselected = replace(split, valid=split.valid[:0])
    with pytest.raises(InvalidParameterError, match="no validation edges, which select the checkpoint"):
        LinkPredictor(NAME, threads=1).fit(unselected, output=tmp_path / "run")
    nothing = {part: np.full((len(getattr(split, part)), 2, 2), -1) for part in ("valid", "test")}
    lonely = replace(split, negatives={"given": Negatives("given", nothing["valid"], nothing["test"])})
    with pytest.raises(InvalidParameterError, match="none of 12 validation edges has given negatives"):
        LinkPredictor(NAME, threads=1).fit(lonely, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_validation_negatives_that_are_asked_for_decide_what_is_kept() -> None:
    def best(**training):
        fitted = LinkPredictor(NAME, settings=SMALL, training={"metric": "auc", **training}, threads=1).fit("karate")
        return fitted.info["training_result"]["best"]

    predictor = LinkPredictor(NAME, settings=SMALL, training={"select_on": "heart", "metric": "auc"}, threads=1)
    kept = predictor.fit("karate").evaluate("heart").valid["auc"]
    assert predictor.info["training_result"]["best"] == pytest.approx(kept) and kept != best()
    assert best(select_on="orbit", orbit_rounds=0) != best(select_on="orbit", orbit_rounds=1)


def test_more_signals_than_memory_are_refused_with_a_way_out(monkeypatch) -> None:
    monkeypatch.setattr(examples, "available_memory", lambda: 1000)
    with pytest.raises(LimitExceededError, match="take a smaller most_links"):
        LinkPredictor(NAME, settings=SMALL, threads=1).fit("karate")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trees": 0}, "trees must be from 1"),
        ({"folds": 1}, "folds must be from 2"),
        ({"negatives": "hard"}, "negatives must be one of random, shared-end, mixed"),
        ({"objective": "mse"}, "objective must be one of"),
        ({"without": "roles"}, "there are no signals 'roles'; choose from"),
        ({"without": ",".join(GROUPS)}, "one group of signals beside features must stay"),
        ({"learning_rate": 0}, "learning_rate must be above 0"),
        ({"signal_seconds": -1}, "signal_seconds must be >= 0"),
    ],
)
def test_settings_that_make_no_trees_are_refused(settings, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        OrbitBoost(**settings)


def test_it_is_fitted_by_one_process_on_the_cpu() -> None:
    with pytest.raises(InvalidParameterError, match="fitted by one process"):
        LinkPredictor(NAME, devices=2)
    with pytest.raises(InvalidParameterError, match="runs on the CPU only"):
        LinkPredictor(NAME, device="cuda")
    with pytest.raises(InvalidParameterError, match="has no trees yet"):
        OrbitBoost().on(random_graph(5, 5))
