"""Scores of many pairs: the same in small pieces, by several threads and from rows of the embedding as all at once."""

import numpy as np
import pytest
import torch

from edgeorbit import Graph
from edgeorbit.models import make_model
from edgeorbit.models.neural import scoring
from edgeorbit.prediction.top_links import top_links

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


@pytest.mark.parametrize("name", ["gcn", "ncn"])
def test_a_search_that_judges_roughly_first_finds_the_same_links(name, graph):
    scorer = built(name, graph).on(graph)
    rough = scorer.rough
    assert rough is not None
    asked = []
    scorer.rough = lambda pairs: asked.append(len(pairs)) or rough(pairs)
    screened = top_links(scorer, graph, 50, exact=True)
    scorer.rough = None
    plain = top_links(scorer, graph, 50, exact=True)
    assert sum(asked) == plain.num_scored == screened.num_scored
    assert np.array_equal(screened.pairs, plain.pairs) and np.array_equal(screened.scores, plain.scores)


def test_pairs_that_are_rough_by_less_than_the_margin_are_scored(monkeypatch):
    from edgeorbit.prediction import top_links as module

    monkeypatch.setattr(module, "BATCH", 64)
    graph = Graph.from_edges([[0, 1]], 60)
    noise = np.random.default_rng(0).uniform(-1, 1, (60, 60))
    calls = []

    def score(pairs):
        calls.append(len(pairs))
        return (pairs[:, 0] * 60 + pairs[:, 1]) / 100

    score.rough = lambda pairs: score(pairs) + noise[pairs[:, 0], pairs[:, 1]]
    found = top_links(score, graph, 5, exact=True)
    assert found.pairs.tolist() == [[58, 59], [57, 59], [57, 58], [56, 59], [56, 58]]
