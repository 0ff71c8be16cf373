"""A model that is given one thread takes one: runs side by side do not take each other's cores."""

import numpy as np
import pytest

from edgeorbit import _parallel as parallel
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, resolve_model
from edgeorbit.prediction import LinkPredictor
from edgeorbit.training.settings import TrainingSettings, training_class

pytest.importorskip("torch_geometric")
SLOW = ("seal", "nbfnet")  # on a graph that is work enough for a second thread


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_edges(np.random.default_rng(0).integers(0, 600, (20_000, 2)), 600)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in SLOW])
def test_a_model_with_one_thread_starts_no_other(graph, name, monkeypatch) -> None:
    trained = {"settings": {"hidden_channels": 64}, "training": {"epochs": 1, "batch_size": 4096}}
    predictor = LinkPredictor(
        name, threads=1, **(trained if training_class(resolve_model(name)) is TrainingSettings else {})
    )
    monkeypatch.setattr(parallel, "_pool", lambda threads: pytest.fail(f"{threads} threads were started"))
    predictor.fit(graph, features="constant")
    predictor.evaluate("orbit", rounds=1)
    predictor.predict(top=10)
