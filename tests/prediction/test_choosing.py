"""Without a model being named, the graph gets the one that our comparisons favour among those that can run here."""

import subprocess
import sys

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import resolve_model
from edgeorbit.prediction import LinkPredictor, choosing
from edgeorbit.prediction.choosing import choose_model, choose_without_graph

SMALL = {"trees": 5, "folds": 2}


def graph() -> Graph:
    return Graph.from_edges(np.random.default_rng(0).integers(0, 40, (200, 2)), 40)


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        ({"lightgbm", "torch_geometric"}, "orbit-boost"),
        ({"lightgbm"}, "orbit-boost"),
        ({"torch_geometric"}, "eo-gnn"),
        (set(), "ppr"),
    ],
)
def test_the_choice_follows_what_is_installed_and_says_what_is_missing(monkeypatch, installed, chosen: str) -> None:
    monkeypatch.setattr(choosing, "_is_installed", lambda module: module in installed)
    assert choose_without_graph() == chosen
    for each in (graph(), graph().with_attributes(x=np.ones((40, 2), np.float32))):
        choice = choose_model(each)
        assert choice.model == chosen and chosen in choice.reason
        assert ("pip install 'edgeorbit[boost]'" in choice.reason) is ("lightgbm" not in installed)
        assert "--model NAME" in choice.reason and "\n" not in choice.reason


def test_every_choice_is_a_model() -> None:
    pytest.importorskip("torch_geometric")
    assert all(resolve_model(name) for name in (choosing.BOOST, choosing.NETWORK, choosing.HEURISTIC))


def test_a_predictor_without_a_model_chooses_when_it_sees_the_graph() -> None:
    pytest.importorskip("lightgbm")
    heard: list[str] = []
    settings = {**SMALL, "metric": "auc"}  # a setting of the model and one of its training
    predictor = LinkPredictor(settings=settings, threads=1).fit(graph(), say=heard.append)
    assert predictor.info["model"] == "orbit-boost" and predictor.info["settings"]["trees"] == 5
    assert predictor.info["training"]["metric"] == "auc"
    assert len(heard) == 1 and heard[0].startswith("model orbit-boost: ")
    silent = LinkPredictor(settings=settings, threads=1).fit(graph())
    assert heard[0] in silent.evaluate("random").remarks
    named = LinkPredictor("orbit-boost", settings=SMALL, threads=1).fit(graph(), say=heard.append)
    assert len(heard) == 1 and not any("--model" in remark for remark in named.evaluate("random").remarks)


def test_a_setting_that_the_chosen_model_has_not_is_refused_by_name() -> None:
    pytest.importorskip("lightgbm")
    with pytest.raises(InvalidParameterError, match="orbit-boost has no setting 'hidden_channels'; its settings are"):
        LinkPredictor(settings={"hidden_channels": 8}).fit(graph())


def test_the_fallback_trains_on_a_graph_without_features(monkeypatch) -> None:
    monkeypatch.setattr(choosing, "_is_installed", lambda module: False)
    predictor = LinkPredictor(threads=1).fit(graph())
    assert predictor.info["model"] == "ppr" and predictor.predict(top=3).pairs.shape == (3, 2)


WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder
from pathlib import Path


class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] in {"torch", "torch_geometric", "safetensors"}
        return None if hidden else PathFinder.find_spec(name, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
from edgeorbit.cli.main import main

run, links, results = sys.argv[1:]
for command in (
    ["train", links, "--set", "trees=5", "--set", "folds=2", "-o", run],
    ["evaluate", run, "--negatives", "heart", "--json"],
    ["predict", run, "--top", "3"],
    ["audit", links, "--model", "orbit-boost"],
    ["bench", results, "-o", str(Path(run) / "results.parquet")],
    ["tune", links, "--model", "orbit-boost", "--trials", "2", "-o", str(Path(run) / "tuned.toml")],
):
    sys.argv = ["edgeorbit", *command]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (command, end.code)
"""
TINY = """
title = "Tiny"
models = ["orbit-boost", "ra"]
seeds = 1
[training]
epochs = 2
metric = "auc"
[settings.orbit-boost]
trees = 5
[[data]]
name = "karate"
source = "karate"
"""


def test_an_edge_list_is_trained_on_judged_predicted_audited_and_tuned_without_torch(tmp_path) -> None:
    pytest.importorskip("lightgbm")
    pytest.importorskip("optuna")
    links, results = tmp_path / "links.csv", tmp_path / "tiny.toml"
    rows = [f"a{u},a{v}" for u, v in eo.load("karate").edges.tolist()]
    links.write_text("\n".join(["source,target", *rows]) + "\n")
    results.write_text(TINY)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, tmp_path / "run", links, results],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "model orbit-boost: " in done.stderr and done.stdout.count("\na") >= 3
    assert (tmp_path / "run" / "tuned.toml").read_text().count("orbit-boost") == 1
