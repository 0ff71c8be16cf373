"""Probabilities of predictions: planted scorers get theirs, test links influence nothing, files are checked."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edgeorbit import Graph, LinkPredictor, LinkSplit
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.evaluation.calibration import expected_calibration_error
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.models.base import LinkModel
from edgeorbit.prediction import scanning
from edgeorbit.prediction.calibration import Calibration, Scale, fit_calibration, thinned
from edgeorbit.prediction.scanning import scan
from edgeorbit.prediction.top_links import top_links

NODES = 300


def chance(pairs: np.ndarray) -> np.ndarray:
    """Return the probability of a link in the planted graph: six groups of 50, and more for nodes of low number."""
    same = pairs[:, 0] // 50 == pairs[:, 1] // 50
    return np.where(same, 0.5, 0.005) * (1 - pairs.sum(axis=1) / (4 * NODES))


class Planted(LinkModel):
    """Scores by the chances that the graph was drawn with."""

    name = "planted"
    citation = "of the tests"

    def on(self, graph):
        return lambda pairs: np.log(chance(pairs))


class Noise(LinkModel):
    """Scores that know nothing."""

    name = "noise"
    citation = "of the tests"

    def on(self, graph):
        return lambda pairs: ((pairs[:, 0] * 7919 + pairs[:, 1] * 104729) % 10007).astype(float)


@pytest.fixture(scope="module")
def planted() -> tuple[Graph, np.ndarray]:
    """A graph of known chances, and links of it that nobody knows."""
    pairs = np.stack(np.triu_indices(NODES, 1), axis=1)
    draws = np.random.default_rng(0)
    links = draws.permutation(pairs[draws.random(len(pairs)) < chance(pairs)])
    hidden = round(len(links) * 0.15 / 0.95)
    return Graph.from_edges(links[hidden:], NODES, name="planted"), links[:hidden]


@pytest.fixture(scope="module")
def fitted(planted) -> LinkPredictor:
    return LinkPredictor(Planted()).fit(planted[0])


def keys(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(min(pair), max(pair)) for pair in np.asarray(pairs).tolist()}


@pytest.mark.parametrize("exact", [False, True])
def test_a_scorer_that_knows_the_chances_is_calibrated_on_links_of_the_future(planted, fitted, exact: bool) -> None:
    _, hidden = planted
    found = fitted.predict(1000, probability=True, missing=len(hidden), exact=exact)
    true = np.array([tuple(sorted(pair)) in keys(hidden) for pair in found.pairs.tolist()])
    assert abs(found.probability.mean() - true.mean()) < 0.04
    assert expected_calibration_error(found.probability, true) < 0.05
    assert (np.diff(found.probability) <= 0).all() and found.probability[0] > 2 * found.probability[-1]


def test_a_scorer_that_knows_nothing_gets_the_prior(planted) -> None:
    predictor = LinkPredictor(Noise()).fit(planted[0])
    found = predictor.predict(500, probability=True)
    prior = predictor.calibrate().prior()
    assert abs(found.probability.mean() - prior) < 0.5 * prior and found.probability.max() < 3 * prior
    assert f"{prior:.2g} of the" in found.meaning


def test_probabilities_follow_the_number_of_missing_links(fitted) -> None:
    calibration = fitted.calibrate()
    scores = np.linspace(-6, -0.7, 50)[::-1]
    few, usual, many = (
        calibration.probability(scores, missing=calibration.expected() * share) for share in (0.1, 1, 3)
    )
    assert (few <= usual).all() and (usual <= many).all() and few[0] < usual[0] < many[0] <= 0.99
    assert np.allclose(usual, calibration.probability(scores))
    assert calibration.prior(100) == pytest.approx(2 * calibration.prior(50), rel=1e-6)
    for missing in (0, -1, np.inf, np.nan):
        with pytest.raises(InvalidParameterError, match="missing must be a number above 0"):
            calibration.probability(scores, missing=missing)


def test_test_links_change_nothing_but_their_number(planted, fitted) -> None:
    split = fitted.split
    free = np.stack(np.triu_indices(NODES, 1), axis=1)
    free = free[~are_edges(split.whole, free)]
    others = np.random.default_rng(1).permutation(free)[: len(split.test)]
    withheld = replace(split, test=others, test_kind=None)
    for score in (Planted().on(split.graph), LinkPredictor("ra").model.on(split.graph)):
        one, other = (
            fit_calibration(scan(score, each.graph, each.valid), each).model_dump() for each in (split, withheld)
        )
        assert one == other


def test_the_numbering_of_nodes_changes_no_probability(planted) -> None:
    split = LinkPredictor("ra").fit(planted[0]).split
    renamed = np.random.default_rng(2).permutation(NODES)
    graph = Graph.from_edges(renamed[split.graph.edges], NODES)
    again = LinkSplit.from_edges(graph, renamed[split.valid], renamed[split.test])
    one, other = (
        fit_calibration(scan(LinkPredictor("ra").model.on(each.graph), each.graph, each.valid), each)
        for each in (split, again)
    )
    assert one.method == other.method and one.train == other.train and np.allclose(one.likely, other.likely)


def test_the_graph_that_the_model_sees_decides_the_scale(planted) -> None:
    predictor = LinkPredictor("ra").fit(planted[0])
    _, hidden = planted
    for options in ({}, {"training_edges_only": True}, {"on": planted[0].with_attributes(name="other")}):
        found = predictor.predict(300, probability=True, **options)
        true = np.mean([tuple(sorted(pair)) in keys(hidden) for pair in found.pairs.tolist()])
        assert abs(found.probability.mean() - true) < 0.1
        given = predictor.score_pairs(found.pairs, probability=True, **options)
        assert np.array_equal(given.probability, found.probability) and given.meaning == found.meaning
    known = predictor.score_pairs(planted[0].edges[:3], probability=True)
    assert np.isnan(known.probability).all()


def test_a_large_list_is_sampled_below_its_best(planted, fitted, monkeypatch) -> None:
    split = fitted.split
    whole = scan(Planted().on(split.graph), split.graph, split.valid)
    part = scan(Planted().on(split.graph), split.graph, split.valid, best=1000, sample=3000)
    scores, is_link, weights = part.items()
    assert len(part.scores) == 1000 and 2500 < len(part.rest) < 3500
    assert weights.sum() == pytest.approx(whole.num_scored) and part.num_scored == whole.num_scored
    assert np.array_equal(np.sort(part.links), np.sort(whole.links)) and is_link.sum() == len(whole.links)
    assert part.rest.max() <= part.scores.min() and np.array_equal(part.scores, whole.scores[:1000])
    likely = fit_calibration(whole, split).probability_of_test(scores)
    assert np.abs(fit_calibration(part, split).probability_of_test(scores) - likely).max() < 0.06


def test_a_scan_takes_the_candidates_of_predict(fitted) -> None:
    split = fitted.split
    score = Planted().on(split.graph)
    found = scan(score, split.graph, np.empty((0, 2), np.int64))
    best = top_links(score, split.graph, 1000)
    assert found.num_scored == best.num_scored
    assert found.pairs[:1000].tolist() == best.pairs.tolist()
    apart = scan(score, split.graph, best.pairs[:10, ::-1])
    assert sorted(apart.links) == sorted(best.scores[:10]) and apart.pairs[0].tolist() == best.pairs[10].tolist()
    assert found.num_scored > scanning.FEWEST


def test_too_few_links_get_a_sentence_and_no_probability() -> None:
    predictor = LinkPredictor("ra").fit("karate")
    found = predictor.predict(5, probability=True)
    assert found.probability is None
    assert found.meaning.startswith("No probabilities: only 12 of 12 validation links") and "needs 30" in found.meaning
    with pytest.raises(InvalidParameterError, match="hold out more links"):
        predictor.calibrate().probability([1.0])


# The file


@pytest.fixture
def run(planted, tmp_path: Path) -> Path:
    LinkPredictor("ra").fit(planted[0], output=tmp_path / "run")
    return tmp_path / "run"


def test_a_calibration_is_kept_with_the_run_and_made_once(run: Path, monkeypatch) -> None:
    made = LinkPredictor.load(run).calibrate(output=run, whole=False)
    assert made.whole is None and (run / "calibration.json").stat().st_size < 200_000
    completed = LinkPredictor.load(run).calibrate(output=run)
    assert completed.train == made.train and completed.whole is not None
    monkeypatch.setattr("edgeorbit.prediction.scored_lists.scan", None)
    assert LinkPredictor.load(run).calibrate(output=run) == completed


def test_another_run_in_the_directory_is_calibrated_anew(run: Path, planted) -> None:
    made = LinkPredictor.load(run).calibrate(output=run)
    text = (run / "calibration.json").read_text()
    other = LinkPredictor("cn").fit(planted[0], output=run, force=True)
    assert not (run / "calibration.json").exists()
    (run / "calibration.json").write_text(text)
    assert other.calibrate(output=run).train != made.train
    assert json.loads((run / "calibration.json").read_text())["run"] != made.run


@pytest.mark.parametrize(
    "change",
    [
        {"likely": [2.0]},
        {"likely": []},
        {"method": "guess"},
        {"method": None},
        {"train": None},
        {"links": 10**6},
        {"form": 2},
        {"more": 1},
        {"train": {"scores": [1.0, 2.0], "ranks": [1.0, 2.0], "edges": 5}, "likely": [0.5, 0.2]},
        {"train": {"scores": [2.0, 1.0], "ranks": [1.0, 2.0], "edges": 5}, "likely": [0.2, 0.5]},
        {"train": {"scores": [2.0], "ranks": [1.0], "edges": 0}, "likely": [0.2]},
        {"whole": {"scores": [1.0] * 9000, "ranks": [1.0] * 9000, "edges": 5}},
        "[]",
        "{",
        "",
        '{"form": NaN}',
    ],
)
def test_a_damaged_calibration_is_one_sentence(run: Path, change) -> None:
    LinkPredictor.load(run).calibrate(output=run)
    file = run / "calibration.json"
    file.write_text(change if isinstance(change, str) else json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(GraphFormatError, match=r"calibration\.json: is damaged.*delete it, and it is made again") as e:
        LinkPredictor.load(run).calibrate(output=run)
    assert str(e.value).count("\n") == 0 and len(str(e.value)) < 500


def test_a_stored_calibration_is_bounded() -> None:
    ranks = np.arange(1.0, 3e6)
    kept = thinned(ranks)
    assert len(kept) < 3000 and ranks[kept[-1]] == ranks[-1] and np.array_equal(kept[:900], np.arange(900))
    scale = Scale.of(-ranks, ranks, 10)
    assert Calibration.model_json_schema() and scale.ranks[-1] == ranks[-1]
