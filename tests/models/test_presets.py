"""Settings that were published for a data set are taken for it, unless others are given."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, resolve_model
from edgeorbit.models.base import Preset
from edgeorbit.prediction import LinkPredictor
from edgeorbit.training.settings import training_class

QUICK = {"epochs": 1, "evaluate_every": 1}


def graph_named(name: str) -> Graph:
    rng = np.random.default_rng(0)
    return Graph.from_edges(rng.integers(0, 40, (120, 2)), 40, name=name, x=rng.random((40, 3), np.float32))


@pytest.mark.parametrize("name", MODELS)
def test_every_preset_can_be_set(name: str) -> None:
    model = resolve_model(name)
    for graph in model.presets:
        assert graph == graph.lower()
        preset = model.preset_for(graph)
        model(**preset.settings)
        assert not preset.training or training_class(model).from_mapping(preset.training, "training")


def test_a_graph_is_known_by_its_name_whatever_its_case() -> None:
    cora, other = (LinkPredictor("ncn", training=QUICK).fit(graph_named(name)) for name in ("Cora", "mine"))
    assert (cora.info["settings"]["hidden_channels"], cora.info["training"]["learning_rate"]) == (128, 0.01)
    assert (other.info["settings"]["hidden_channels"], other.info["training"]["learning_rate"]) == (256, 0.001)
    assert cora.info["training"]["patience"] == 10  # what holds for all graphs holds for this one


def test_what_is_given_goes_before_a_preset(tmp_path) -> None:
    given = LinkPredictor("ncn", settings={"hidden_channels": 16}, training=QUICK | {"learning_rate": 0.5})
    given.fit(graph_named("cora"), output=tmp_path / "run")
    assert (given.info["settings"]["hidden_channels"], given.info["training"]["learning_rate"]) == (16, 0.5)
    loaded = LinkPredictor.load(tmp_path / "run")
    assert loaded.model.settings == given.model.settings and loaded.training == given.training


def test_presets_are_joined_setting_by_setting() -> None:
    both = Preset({"a": 1, "b": 1}, {"c": 1}) | Preset({"b": 2}, {"d": 2})
    assert both == Preset({"a": 1, "b": 2}, {"c": 1, "d": 2})
