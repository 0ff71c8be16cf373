"""NBFNet as a model: what it learns, what it refuses, and what it does not look at."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch

from edgeorbit.data.splits import random_split
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.models.nbfnet import model as module
from edgeorbit.models.nbfnet.model import NBFNet
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings
from tests.oracles import grid_edges

SMALL = {"hidden_channels": 8, "num_layers": 3}


def grid(rows: int = 8, columns: int = 8, **attributes) -> Graph:
    graph = Graph.from_edges(grid_edges(rows, columns), name="grid")
    x = np.ones((graph.num_nodes, 1), np.float32)
    return graph.with_attributes(x=x, **attributes)


def built(graph: Graph, **settings) -> NBFNet:
    model = NBFNet(**(SMALL | settings))
    model.build(graph, 0)
    return model


@pytest.mark.parametrize("aggregate", ["pna", "sum"])
def test_training_separates_links_of_a_grid_from_non_links(aggregate: str) -> None:
    split = random_split(grid(12, 12), seed=1)
    far = np.random.default_rng(0).integers(0, 144, (4 * len(split.test), 2))
    pool = far[np.abs(far[:, 0] - far[:, 1]) > 30]
    model = NBFNet(**SMALL, aggregate=aggregate)
    training = TrainingSettings(epochs=8, batch_size=32, learning_rate=0.01, evaluate_every=8, metric="auc")
    Trainer(model, split, Negatives("random", pool, pool), training).train()
    score = model.on(split.graph)
    links, others = score(split.test.astype(np.int64)), score(pool)
    assert (links[:, None] > others[None, :]).mean() > 0.85


def test_a_score_does_not_depend_on_the_order_of_a_pair_nor_on_the_other_pairs() -> None:
    graph = grid()
    score = built(graph).on(graph)
    pairs = np.random.default_rng(0).integers(0, 64, (50, 2))
    there, back = score(pairs), score(pairs[:, ::-1])
    assert np.allclose(there, back, rtol=1e-5, atol=1e-6)
    alone = np.concatenate([score(pair[None]) for pair in pairs])
    assert np.allclose(there, alone, rtol=1e-5, atol=1e-6)
    assert len(score(np.empty((0, 2), np.int64))) == 0


def test_nodes_further_apart_than_the_layers_differ_by_their_own_surroundings_alone() -> None:
    """Also nodes without edges are scored."""
    path = Graph.from_edges([[i, i + 1] for i in range(20)], 22, name="path").with_attributes(x=np.ones((22, 1)))
    scores = built(path).on(path)(np.array([[3, 10], [10, 17], [5, 12], [21, 10], [10, 11]]))
    assert np.isfinite(scores).all()
    assert np.allclose(scores[0], scores[1]) and np.allclose(scores[0], scores[2])
    assert abs(scores[0] - scores[4]) > 1e-5


def test_features_are_not_looked_at() -> None:
    import scipy.sparse

    plain, pairs = grid(), np.array([[0, 9], [5, 6]])
    identity = plain.with_attributes(x=scipy.sparse.eye_array(64, format="csr"))
    assert np.array_equal(built(plain).on(plain)(pairs), built(identity).on(identity)(pairs))


def test_the_link_of_a_pair_makes_no_difference_in_training() -> None:
    """What a step learns is what it learns without ever having known its links."""
    graph = grid()
    hidden = graph.edges[::9].astype(np.int64)
    left = EdgeRemover(graph).without(hidden)
    weights = []
    for known in (graph, left):
        model, anything = NBFNet(**SMALL), np.array([[0, 1]])
        trainer = Trainer(
            model, LinkSplit(known, anything, anything), Negatives("r", anything, anything), TrainingSettings()
        )
        trainer._remover.without = lambda pairs: left  # type: ignore[method-assign]
        network = model.build(known, 0)
        trainer._step(network, torch.optim.Adam(network.parameters()), hidden, hidden[:, ::-1] // 2)
        weights.append([value.clone() for value in network.state_dict().values()])
    assert model.network.hides_targets
    assert all(torch.equal(one, other) for one, other in zip(*weights, strict=True))


def test_a_source_that_does_not_fit_into_memory_is_refused_with_a_way_out(monkeypatch) -> None:
    graph = grid()
    model = built(graph)
    monkeypatch.setattr(module, "available_memory", lambda: 100_000)
    with pytest.raises(LimitExceededError, match=r"3 layers from one node of grid take .* lower num_layers or"):
        model.on(graph)(np.array([[0, 9]]))
    monkeypatch.setattr(module, "available_memory", lambda: None)
    assert np.isfinite(model.on(graph)(np.array([[0, 9]]))).all()


def test_sources_that_fit_one_by_one_are_cut_into_chunks_and_run_again_for_gradients(monkeypatch) -> None:
    graph = grid()
    network, inputs = built(graph).network, Inputs.of(graph)
    pairs = torch.tensor([[0, 9], [3, 20], [40, 41]])
    calls = []
    run = type(network).run_chunk
    monkeypatch.setattr(type(network), "run_chunk", lambda self, *args: calls.append(args[1]) or run(self, *args))
    network.decode(network.encode(inputs), inputs, pairs).sum().backward()
    assert calls == [(0, 6)]
    calls.clear()
    monkeypatch.setattr(module, "CHUNK_BYTES", 1)
    network.decode(network.encode(inputs), inputs, pairs).sum().backward()
    assert sorted(calls) == sorted(2 * [(i, i + 1) for i in range(6)])  # once there, once back


@pytest.mark.parametrize("setting", ["aggregate", "layer_norm", "shortcut", "num_layers", "hidden_channels"])
def test_every_setting_changes_the_scores(setting: str) -> None:
    other = {"aggregate": "sum", "layer_norm": False, "shortcut": False, "num_layers": 2, "hidden_channels": 4}
    graph, pairs = grid(), np.array([[0, 9], [5, 6], [7, 14]])
    assert not np.allclose(built(graph).on(graph)(pairs), built(graph, **{setting: other[setting]}).on(graph)(pairs))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden_channels": 0}, "hidden_channels must be at least 1, not 0"),
        ({"num_layers": 0}, "num_layers must be at least 1"),
        ({"aggregate": "median"}, "no aggregate 'median'; choose from pna, sum"),
        ({"dropout": 0.1}, "nbfnet has no setting 'dropout'"),
    ],
)
def test_settings_that_make_no_model_get_one_sentence(settings: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        NBFNet(**settings)


@pytest.mark.parametrize("graph", ["cora", "citeseer", "pubmed", "ogbl-ddi", "anything"])
def test_presets_make_a_model_and_a_training(graph: str) -> None:
    preset = NBFNet.preset_for(graph)
    NBFNet(**preset.settings)
    training = TrainingSettings.from_mapping(preset.training, "training")
    assert training.batch_size == (1024 if graph == "ogbl-ddi" else 64) and not training.exclude_isolated
