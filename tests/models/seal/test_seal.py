"""SEAL as a model: its settings, and what it learns."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.metrics import evaluate
from edgeorbit.graph.graph import Graph
from edgeorbit.models.seal.model import SEAL
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings


def ring_of_communities(num_communities: int, size: int, seed: int) -> np.ndarray:
    """Edges of communities in which 60 % of the pairs are linked, and that hang together in a ring."""
    rng = np.random.default_rng(seed)
    members = np.arange(num_communities * size).reshape(num_communities, size)
    u, v = np.triu_indices(size, 1)
    inside = np.stack([members[:, u].ravel(), members[:, v].ravel()], axis=1)
    inside = inside[rng.random(len(inside)) < 0.6]
    between = np.stack([members[:, 0], np.roll(members[:, 1], 1)], axis=1)
    return np.concatenate([inside, between])


def test_a_trained_network_tells_links_from_others() -> None:
    edges = np.random.default_rng(0).permutation(ring_of_communities(20, 7, 0))
    held_out, kept = edges[:40], edges[40:]
    graph = Graph.from_edges(kept, 140, x=np.ones((140, 1), np.float32))
    others = np.random.default_rng(1).integers(0, 140, (400, 2))
    known = {frozenset(edge) for edge in edges.tolist()}
    others = np.array([pair for pair in others.tolist() if frozenset(pair) not in known and pair[0] != pair[1]])
    model = SEAL(hops=1, use_features=False)
    settings = TrainingSettings(epochs=8, evaluate_every=8, batch_size=16, learning_rate=0.001)
    split, negatives = LinkSplit(graph, held_out[:5], held_out[:5]), Negatives("random", others[:9], others[:9])
    Trainer(model, split, negatives, settings).train()
    scorer = model.on(graph)
    assert evaluate(scorer(held_out), scorer(others))["auc"] > 0.85


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hops": 0}, "hops must be at least 1, not 0"),
        ({"hidden_channels": 0}, "hidden_channels must be at least 1"),
        ({"num_layers": 0}, "num_layers must be at least 1"),
        ({"max_nodes_per_hop": -1}, "max_nodes_per_hop must be 0, for all nodes, or more, not -1"),
        ({"sort_share": 0}, "sort_share must be above 0"),
        ({"sort_share": 1.5}, "sort_share must be at most 1, not 1.5"),
        ({"num_labels": 1}, "num_labels must be at least 2, not 1"),
        ({"dropout": 1}, "dropout must be at least 0 and below 1, not 1.0"),
        ({"hop": 2}, "seal has no setting 'hop'"),
    ],
)
def test_settings_that_make_no_network_are_refused(settings, sentence) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        SEAL(**settings)


def test_presets_are_settings_that_there_are() -> None:
    for graph in SEAL.presets:
        preset = SEAL.preset_for(graph)
        SEAL(**preset.settings)
        TrainingSettings.from_mapping(preset.training, "training")
    assert SEAL.preset_for("CiteSeer").settings == {"hops": 3, "hidden_channels": 256, "use_features": False}
    assert SEAL.preset_for("CiteSeer").training["batch_size"] == 512
    assert SEAL.preset_for("CiteSeer").training["exclude_isolated"] is False
    assert SEAL.preset_for("anything").training["learning_rate"] == 0.0001


def test_every_setting_has_an_effect_on_scores() -> None:
    graph = Graph.from_edges(ring_of_communities(8, 6, 1), x=np.random.default_rng(0).random((48, 3), np.float32))
    pairs = graph.edges[:30].astype(np.int64)

    def scores(**settings: object) -> np.ndarray:
        model = SEAL(hidden_channels=8, **settings)
        model.build(graph, 0)
        return model.on(graph)(pairs)

    default = scores()
    for changed in (
        {"hops": 2},
        {"max_nodes_per_hop": 2},
        {"num_layers": 2},
        {"use_features": False},
        {"sort_share": 1.0, "hops": 2},
        {"num_labels": 3},
    ):
        assert not np.allclose(scores(**changed), default), changed
