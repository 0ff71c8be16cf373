"""The contract of every model: it trains, is evaluated, saved, loaded, predicts, and never sees what is held out."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit import write_graph
from edgeorbit.data.negatives import KINDS, sample_negatives
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, resolve_model, summary_of
from edgeorbit.models.base import LinkModel
from edgeorbit.prediction import LinkPredictor
from edgeorbit.synthetic import make

pytest.importorskip("torch_geometric")
QUICK = {"epochs": 2, "evaluate_every": 2, "batch_size": 64}


def predictor(name: str, **training: object) -> LinkPredictor:
    return LinkPredictor(name, training=QUICK | training if resolve_model(name).trainable else None, threads=1)


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Two joined copies of the karate club with features: symmetric enough for orbit negatives."""
    made = make("syn-karate", edges=3)
    return made.with_attributes(x=np.random.default_rng(0).random((made.num_nodes, 5), np.float32))


@pytest.fixture(scope="module", params=MODELS)
def fitted(request, graph, tmp_path_factory) -> tuple[LinkPredictor, Path]:
    directory = tmp_path_factory.mktemp("runs") / request.param
    return predictor(request.param).fit(graph, output=directory), directory


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_what_it_is(name: str) -> None:
    model = resolve_model(name)
    assert issubclass(model, LinkModel) and model.name == name
    assert summary_of(name).endswith(".") and len(model.citation) > 20
    settings = {field.name for field in fields(model.Settings)}
    assert set(model.search_space) <= settings
    for setting, values in model.search_space.items():
        for value in values:
            model(**{setting: value})  # every value of the search space can be set


def test_a_model_evaluates_with_finite_metrics(fitted) -> None:
    found = fitted[0].evaluate()
    for part in (found.valid, found.test):
        assert 0 <= part["auc"] <= 1 and 0 < part["mrr"] <= 1
    assert found.protocol["split"] == "twin"
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_loaded_model_scores_as_the_one_that_was_saved(fitted) -> None:
    model, directory = fitted
    loaded = LinkPredictor.load(directory, threads=1)
    assert loaded.evaluate().as_dict() == model.evaluate().as_dict()
    pairs = [[0, 9], [3, 40], [67, 1]]
    assert np.array_equal(loaded.score_pairs(pairs).scores, model.score_pairs(pairs).scores)


def test_predicted_links_are_no_edges_and_best_first(fitted, graph) -> None:
    found = fitted[0].predict(top=50)
    known = {frozenset(edge) for edge in graph.edges.tolist()}
    links = [frozenset(pair) for pair in found.pairs.tolist()]
    assert len(set(links)) == len(links) == 50
    assert not known & set(links) and all(len(link) == 2 for link in links)
    assert (np.diff(found.scores) <= 0).all()
    assert np.allclose(fitted[0].score_pairs(found.pairs).scores, found.scores, rtol=1e-4, atol=1e-6)


def test_scores_do_not_depend_on_the_order_of_a_pair(fitted) -> None:
    pairs = np.random.default_rng(1).integers(0, 68, (40, 2))
    there, back = fitted[0].score_pairs(pairs).scores, fitted[0].score_pairs(pairs[:, ::-1]).scores
    assert np.allclose(there, back, rtol=1e-5, atol=1e-6)


def test_scores_do_not_depend_on_what_is_scored_with_a_pair(fitted, graph) -> None:
    scorer = fitted[0].model.on(fitted[0].split.graph)
    pairs = np.random.default_rng(1).integers(0, graph.num_nodes, (999, 2))
    together = scorer(pairs)
    for size in (111, 250, 333, 500):  # a matrix product rounds the rows that fill no group another way
        apart = [scorer(pairs[start : start + size]) for start in range(0, len(pairs), size)]
        assert np.concatenate(apart).tolist() == together.tolist()
    assert scorer(pairs[:0]).shape == (0,)


def test_training_again_gives_the_same_scores(fitted, graph) -> None:
    again = predictor(fitted[0].model.name).fit(graph)
    assert again.evaluate().as_dict() == fitted[0].evaluate().as_dict()


BLIND = """
import json, sys
import numpy as np
from edgeorbit import read_graph
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.models import make_model, resolve_model, summary_of
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings
import torch

torch.set_num_threads(1)
directory, runs = sys.argv[1], json.loads(sys.argv[2])
graph, pairs = read_graph(f"{directory}/graph.npz"), np.load(f"{directory}/pairs.npy")
anything = np.array([[0, 1]])
for name, kind, training in runs:
    preset = resolve_model(name).preset_for("")
    model = make_model(name, **preset.settings)
    if model.trainable:
        settings = TrainingSettings.from_mapping({**preset.training, **training, "negatives": kind}, "training")
        Trainer(model, LinkSplit(graph, anything, anything), Negatives("random", anything, anything), settings).train()
    np.save(f"{directory}/{name}-{kind}.npy", model.on(graph)(pairs))
"""


def test_scores_are_those_of_a_process_that_never_sees_held_out_edges(graph, tmp_path) -> None:
    split = eo.split(graph)
    pairs = [split.valid, split.test]
    for kind in KINDS:
        negatives = sample_negatives(split, kind)
        pairs += [part.reshape(-1, 2) for part in (negatives.valid, negatives.test)]
    scored = np.concatenate(pairs)
    scored = np.random.default_rng(0).permutation(scored[scored[:, 0] >= 0])  # without a hint which pairs are edges
    np.save(tmp_path / "pairs.npy", scored)
    write_graph(split.graph.with_attributes(origin=None), tmp_path / "graph.npz")
    runs = [(name, kind, QUICK) for name in MODELS for kind in (KINDS if resolve_model(name).trainable else ["random"])]
    subprocess.run([sys.executable, "-c", BLIND, tmp_path, json.dumps(runs)], check=True)
    for name, kind, _ in runs:
        ordinary = predictor(name, negatives=kind).fit(graph)
        scores = ordinary.model.on(ordinary.split.graph)(scored)
        assert np.array_equal(scores, np.load(tmp_path / f"{name}-{kind}.npy")), (name, kind)
