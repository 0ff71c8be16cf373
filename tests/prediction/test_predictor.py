"""`LinkPredictor` and its runs: what a prediction tells, and what a directory must hold to be the same run."""

import json
from pathlib import Path

import numpy as np
import pytest

from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.models.neural.scoring import NetworkScorer
from edgeorbit.prediction import LinkPredictor
from edgeorbit.prediction.run_directory import KINDS
from edgeorbit.prediction.top_links import top_links

QUICK = {"epochs": 2, "evaluate_every": 1}


def gcn(**training: object) -> LinkPredictor:
    pytest.importorskip("torch_geometric")
    return LinkPredictor("gcn", settings={"hidden_channels": 8}, training=QUICK | training, threads=1)


def with_features(seed: int) -> Graph:
    return karate().with_attributes(x=np.random.default_rng(seed).random((34, 4), np.float32))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    LinkPredictor("cn").fit("karate", output=tmp_path / "run")
    return tmp_path / "run"


# Predictions


def test_predictions_tell_how_they_were_found_and_of_how_many() -> None:
    predictor = LinkPredictor("ra").fit("karate")
    whole = predictor.split.whole
    for exact in (True, False):
        found = predictor.predict(top=20, exact=exact)
        searched = top_links(predictor.model.on(whole), whole, 20, exact=exact)
        assert found.pairs.tolist() == searched.pairs.tolist()
        assert found.num_scored == searched.num_scored
        assert found.source.tolist() == searched.source.tolist() == 20 * ["exact" if exact else "neighbourhood"]
    given = predictor.score_pairs([[0, 9], [3, 8]])
    assert given.num_scored == 2 and given.source.tolist() == ["given", "given"]


def test_only_a_search_needs_an_embedding(monkeypatch) -> None:
    predictor, embedded = gcn().fit("karate"), []
    embedding = NetworkScorer.embedding.func
    monkeypatch.setattr(NetworkScorer, "embedding", property(lambda scorer: embedded.append(0) or embedding(scorer)))
    exact = predictor.predict(top=5, exact=True)
    assert not embedded
    found = predictor.predict(top=5)
    assert embedded
    assert set(found.source) <= {"neighbourhood", "embedding", "both"} and set(exact.source) == {"exact"}
    assert exact.num_scored == 34 * 33 // 2 - 78 >= found.num_scored


@pytest.mark.parametrize("top", [0, -1, 2.5])
def test_top_is_a_whole_number_from_1(top) -> None:
    with pytest.raises(InvalidParameterError, match=f"top must be a whole number from 1, not {top}"):
        LinkPredictor("cn").fit("karate").predict(top=top)


def test_another_graph_without_features_is_told_to_bring_some() -> None:
    predictor = gcn().fit(with_features(0))
    with pytest.raises(InvalidParameterError, match=r"has none; give it a file of features, or train with constant"):
        predictor.predict(top=3, on=karate())
    assert len(predictor.predict(top=3, on=with_features(1)).pairs) == 3


# Runs in directories


@pytest.mark.parametrize("key", KINDS)
def test_a_run_without_one_of_its_entries_is_damaged(run: Path, key: str) -> None:
    info = json.loads((run / "run.json").read_text())
    for damaged in ({name: value for name, value in info.items() if name != key}, info | {key: [1]}):
        (run / "run.json").write_text(json.dumps(damaged))
        with pytest.raises(GraphFormatError, match=f"{key}' is missing or of another kind; train again"):
            LinkPredictor.load(run)


def test_a_run_that_does_not_name_its_features_is_damaged(run: Path) -> None:
    info = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(info | {"protocol": {}}))
    with pytest.raises(GraphFormatError, match="'protocol' is missing or of another kind"):
        LinkPredictor.load(run)


def test_a_damaged_run_is_replaced_by_force_alone(run: Path) -> None:
    whole = (run / "run.json").read_bytes()
    (run / "run.json").write_text("{")
    with pytest.raises(GraphFormatError, match="is damaged"):
        LinkPredictor("cn").fit("karate", output=run)
    LinkPredictor("cn").fit("karate", output=run, force=True)
    assert (run / "run.json").read_bytes() == whole


def test_other_features_make_another_run(tmp_path: Path) -> None:
    gcn().fit(with_features(0), output=tmp_path / "run")
    gcn().fit(with_features(0), output=tmp_path / "run")
    with pytest.raises(InvalidParameterError, match=r"holds another run \(its features_digest differs\)"):
        gcn().fit(with_features(1), output=tmp_path / "run")


def test_what_cannot_be_trained_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(EdgeorbitError, match="'wrong'"):
        gcn(negatives="wrong").fit("karate", output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_is_known_of_given_negatives_is_stored_with_them(tmp_path: Path) -> None:
    source = tmp_path / "split"
    source.mkdir()
    edges = karate().edges
    for part, chosen in (("train", edges[:60]), ("valid", edges[60:70]), ("test", edges[70:])):
        np.savetxt(source / f"{part}_pos.txt", chosen, fmt="%d")
    for part in ("valid", "test"):
        np.savetxt(source / f"{part}_neg.txt", [[0, 9], [0, 1]], fmt="%d")  # of which one is an edge
    fitted = LinkPredictor("cn").fit(source, output=tmp_path / "run").evaluate("random").as_dict()
    assert fitted["negatives"]["edges_among_negatives"] == {"valid": 1, "test": 1}
    assert LinkPredictor.load(tmp_path / "run").evaluate("random").as_dict() == fitted
