"""Scores of many pairs: the same in small pieces, by several threads and from rows of the embedding as all at once."""

import numpy as np
import pytest
import torch

from edgeorbit import Graph
from edgeorbit.models import make_model
from edgeorbit.models.neural import scoring

MODELS = ("gcn", "sage", "gat", "ncn", "eo-gnn", "eo-gnn-paper", "buddy")


@pytest.fixture(scope="module")
def graph():
    edges = np.random.default_rng(3).integers(0, 400, (1200, 2))
    found = Graph.from_edges(edges, 400)
    return found.with_attributes(x=np.random.default_rng(4).random((400, 3), np.float32))


def built(name, graph):
    model = make_model(name, hidden_channels=16)
    model.build(graph, 0)
    return model


@pytest.mark.parametrize("name", MODELS)
def test_pieces_threads_and_blocks_of_nodes_change_no_score(name, graph, monkeypatch):
    model = built(name, graph)
    pairs = np.random.default_rng(5).integers(0, 400, (3000, 2))
    whole = model.on(graph)
    before = torch.get_num_threads()
    monkeypatch.setattr(scoring, "NODES_AT_ONCE", 64)
    monkeypatch.setattr(scoring, "WORTH_A_THREAD", 1)
    try:
        torch.set_num_threads(2)
        model.network.pairs_at_once = 40
        parts = model.on(graph)
        assert np.allclose(parts.embedding, whole.embedding, atol=1e-6)
        assert np.allclose(parts(pairs), whole(pairs), rtol=1e-6, atol=1e-7)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
