"""The contract of every model: it trains, is evaluated, saved, loaded, predicts, and never sees what is held out."""

import json
import subprocess
import sys

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit import write_graph
from edgeorbit.auditing.exceptions import KNOWN
from edgeorbit.data.negatives import KINDS, sample_negatives
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, resolve_model, summary_of
from edgeorbit.models.base import LinkModel
from edgeorbit.prediction import LinkPredictor
from edgeorbit.testing import check_model, symmetric_graph
from edgeorbit.training.settings import TrainingSettings, training_class

pytest.importorskip("torch_geometric")
QUICK = {"epochs": 2, "evaluate_every": 2, "batch_size": 64}
ROUNDING = 1e-9  # of the largest score; scores are computed in double precision and may differ by its rounding
SLOW = {"seal": 120, "nbfnet": 300}  # pairs that are audited


@pytest.fixture(scope="module")
def graph() -> Graph:
    return symmetric_graph()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_what_it_is(name: str) -> None:
    model = resolve_model(name)
    assert issubclass(model, LinkModel) and model.name == name
    assert summary_of(name).endswith(".") and len(model.citation) > 20


@pytest.mark.parametrize("name", MODELS)
def test_a_model_keeps_the_contract_with_the_exceptions_that_are_named(name: str, graph: Graph) -> None:
    training = QUICK if is_network(name) else None
    audit = check_model(name, graph, training=training, tolerance=ROUNDING, num_pairs=SLOW.get(name, 999))
    assert audit.about["protocol"]["split"] == "twin"
    found = {each.check: each.note for each in audit.checks if each.verdict == "exception"}
    assert found == KNOWN.get(name, {})
    skipped = {each.check for each in audit.checks if each.verdict == "skipped"}
    assert skipped == (set() if resolve_model(name).trainable else {"target links"})


def is_network(name: str) -> bool:
    return training_class(resolve_model(name)) is TrainingSettings


BLIND = """
import json, sys
import numpy as np
from edgeorbit import read_graph
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.models import make_model, resolve_model, summary_of
from edgeorbit.training.fitting import make_trainer
from edgeorbit.training.settings import training_class
import torch

torch.set_num_threads(1)
directory, runs = sys.argv[1], json.loads(sys.argv[2])
graph, pairs = read_graph(f"{directory}/graph.npz"), np.load(f"{directory}/pairs.npy")
anything = np.array([[0, 1]])
for name, kind, training in runs:
    preset = resolve_model(name).preset_for("")
    model = make_model(name, **preset.settings, **getattr(resolve_model(name), "quick", {}))
    if model.trainable:
        settings = training_class(type(model)).from_mapping({**preset.training, **training}, "training")
        split, negatives = LinkSplit(graph, anything, anything), Negatives("random", anything, anything)
        make_trainer(model, split, negatives, settings).train()
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
    runs = [
        (name, kind, QUICK | {"negatives": kind} if is_network(name) else {})
        for name in MODELS
        for kind in (KINDS if is_network(name) else ["random"])
    ]
    subprocess.run([sys.executable, "-c", BLIND, tmp_path, json.dumps(runs)], check=True)
    for name, kind, training in runs:
        settings = getattr(resolve_model(name), "quick", {})
        ordinary = LinkPredictor(name, settings=settings, training=training or None, threads=1).fit(graph)
        scores = ordinary.model.on(ordinary.split.graph)(scored)
        assert np.array_equal(scores, np.load(tmp_path / f"{name}-{kind}.npy")), (name, kind)
