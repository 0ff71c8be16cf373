"""Networks take `x`, `edge_index` and `edge_label_index`, in PyG's shapes, and score as the model that they belong to."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch

import edgeorbit as eo
from edgeorbit.models import MODELS, resolve_model
from edgeorbit.training.settings import TrainingSettings, training_class

QUICK = {"epochs": 1, "evaluate_every": 1, "batch_size": 64}
TRAINABLE = [name for name in MODELS if training_class(resolve_model(name)) is TrainingSettings]


@pytest.mark.parametrize("name", TRAINABLE)
def test_a_network_scores_pairs_from_tensors_as_its_model_does(name: str) -> None:
    predictor = eo.LinkPredictor(name, training=QUICK, threads=1).fit("karate", features="degree")
    graph, network = predictor.split.graph, predictor.model.network.eval()
    pairs = np.array([[0, 33], [5, 2], [16, 9]])
    x, edge_index = torch.from_numpy(graph.x.copy()), torch.from_numpy(graph.edge_index)
    with torch.no_grad():
        logits = network(x, edge_index, torch.from_numpy(pairs.T))
        one_way = network(x, torch.from_numpy(graph.edges.T.astype(np.int64)), torch.from_numpy(pairs.T))
    assert logits.shape == (3,)
    assert np.allclose(logits, predictor.model.on(graph)(pairs), rtol=1e-3, atol=1e-4)
    assert torch.equal(logits, one_way)  # edges are undirected, however they are given
