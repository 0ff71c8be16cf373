"""The baselines beyond GCN and GraphSAGE: their settings, and what they may be used on."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import make_model, resolve_model
from edgeorbit.models.neural import deepwalk, laplacian
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.prediction import LinkPredictor

BASELINES = ["gat", "gin", "mixhop", "chebgcn", "linkx", "gcn-dw", "gcn-lap", "gcn-rf"]
TRANSDUCTIVE = ["linkx", "gcn-dw", "gcn-lap"]
QUICK = {"epochs": 2, "evaluate_every": 2, "batch_size": 32}
SMALL = {"hidden_channels": 16}


def fitted(name: str, features: str = "degree", output=None, **settings) -> LinkPredictor:
    predictor = LinkPredictor(name, settings=SMALL | settings, training=QUICK, threads=1)
    return predictor.fit("karate", features=features, output=output)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_learns_from_identity_features_with_three_layers_and_without_norm(name: str) -> None:
    predictor = fitted(name, "identity", num_layers=3, layer_norm=False, decoder="dot")
    scores = predictor.score_pairs([[0, 1], [5, 30]]).scores
    assert np.isfinite(scores).all() and scores[0] != scores[1]


@pytest.mark.parametrize("name", BASELINES)
def test_only_what_belongs_to_no_node_is_used_on_another_graph(name: str) -> None:
    predictor, other = fitted(name), Graph.from_edges([[0, 1], [1, 2], [2, 3]], name="path")
    assert resolve_model(name).transductive == (name in TRANSDUCTIVE)
    if name in TRANSDUCTIVE:
        with pytest.raises(InvalidParameterError, match=f"{name} learns about each node of karate .* such as gcn"):
            predictor.score_pairs([[0, 3]], on=other)
        with pytest.raises(InvalidParameterError, match="path has 4 nodes and"):
            predictor.model.on(other.with_attributes(x=np.ones((4, 1), np.float32)))
    else:
        assert np.isfinite(predictor.score_pairs([[0, 3]], on=other).scores).all()


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("gat", {"heads": 0}, "heads must be at least 1, not 0"),
        ("gat", {"heads": 3}, "multiple of heads, not 256 with 3 heads"),
        ("mixhop", {"hops": 0}, "hops must be at least 1"),
        ("mixhop", {"hops": 4, "hidden_channels": 4}, "above hops, not 4 with 4 hops"),
        ("chebgcn", {"K": 0}, "K must be at least 1"),
        ("gcn-dw", {"walk_length": 0}, "walk_length must be at least 1"),
        ("gcn-dw", {"window": -1}, "window must be at least 1"),
        ("gcn-dw", {"encoding_scale": 0}, "encoding_scale must be above 0 and finite, not 0.0"),
        ("gcn-lap", {"encoding_scale": "inf"}, "gcn-lap: setting encoding_scale must be finite, not inf"),
        ("gcn-lap", {"encoding_channels": 0}, "encoding_channels must be at least 1"),
        ("gcn-rf", {"encoding_channels": 0}, "encoding_channels must be at least 1"),
        ("linkx", {"num_layers": 0}, "num_layers must be at least 1"),
    ],
)
def test_settings_that_make_no_model_get_one_sentence(name: str, settings: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        make_model(name, **settings)


def karate(features: str = "degree") -> Graph:
    return LinkPredictor("cn").fit("karate", features=features).split.graph


@pytest.mark.parametrize("name", BASELINES)
def test_settings_of_the_search_space_change_the_network(name: str) -> None:
    graph, plain = karate(), make_model(name, **SMALL)
    shapes = {key: value.shape for key, value in plain.build(graph, 0).state_dict().items()}
    own = (
        set(plain.search_space) - set(make_model("gcn").search_space) - {"window", "encoding_scale"}
    )  # these change values
    for setting in own:
        for value in plain.search_space[setting]:
            if value == getattr(plain.settings, setting):
                continue
            other = make_model(name, **SMALL | {setting: value}).build(graph, 0)
            changed = {key: value.shape for key, value in other.state_dict().items()}
            assert changed != shapes, (setting, value)


@pytest.mark.parametrize("name", ["gcn-dw", "gcn-rf"])
def test_the_seed_of_the_model_decides_its_encoding(name: str) -> None:
    graph = karate()
    inputs = Inputs.of(graph)
    first, again, other = (
        make_model(name).build(graph, seed).eval().encoder.encoding(inputs).clone() for seed in (0, 0, 1)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)


@pytest.mark.parametrize(("name", "module"), [("gcn-dw", deepwalk), ("gcn-lap", laplacian)])
def test_a_saved_encoding_is_loaded_and_not_computed_again(name, module, tmp_path, monkeypatch) -> None:
    predictor = fitted(name, output=tmp_path / "run")

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(module, {"gcn-dw": "deepwalk", "gcn-lap": "laplacian_eigenvectors"}[name], fail)
    loaded = LinkPredictor.load(tmp_path / "run", threads=1)
    pairs = [[0, 9], [3, 30]]
    assert np.array_equal(loaded.score_pairs(pairs).scores, predictor.score_pairs(pairs).scores)


@pytest.mark.parametrize(("name", "module"), [("gcn-dw", deepwalk), ("gcn-lap", laplacian)])
def test_encodings_come_from_the_training_graph_alone(name, module, monkeypatch) -> None:
    seen = []
    function = {"gcn-dw": "deepwalk", "gcn-lap": "laplacian_eigenvectors"}[name]
    original = getattr(module, function)
    monkeypatch.setattr(module, function, lambda graph, *a, **k: seen.append(graph) or original(graph, *a, **k))
    predictor = fitted(name)
    (graph,) = seen
    assert np.array_equal(graph.edges, predictor.split.graph.edges)


def test_linkx_reads_the_rows_of_the_graph_it_is_given() -> None:
    graph = karate()
    network = make_model("linkx", **SMALL).build(graph, 0).eval()
    whole = network.encode(Inputs.of(graph))
    u, v = graph.edges[0].tolist()
    fewer = Graph.from_edges(graph.edges[1:], graph.num_nodes)
    without = network.encode(Inputs.of(fewer.with_attributes(x=graph.x)))
    changed = (whole != without).any(dim=1).nonzero().ravel().tolist()
    assert changed == sorted([u, v])


def test_a_norm_leaves_what_a_single_channel_tells() -> None:
    star = Graph.from_edges([[0, 1], [0, 2], [0, 3], [3, 4]]).with_attributes(x=np.ones((5, 1), np.float32))
    model = make_model("gcn", layer_norm=True)
    model.build(star, seed=0)
    embedding = model.embed(star)
    assert not np.allclose(embedding[0], embedding[4], rtol=0.1)
