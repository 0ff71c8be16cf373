"""NCN and NCNC give what a plain loop over their equations gives."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model
from edgeorbit.models.ncn.network import (
    CommonNeighbourDecoder,
    CompletingDecoder,
    NCNCSettings,
    NCNSettings,
    PureEncoder,
)
from edgeorbit.models.neural.inputs import Inputs

SMALL = {"hidden_channels": 8, "offset": 0.1, "scale": 2.0}


def random_graph(num_nodes: int = 14, num_edges: int = 30, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    x = rng.random((num_nodes, 5), np.float32)
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes, x=x)


def all_pairs(graph: Graph) -> torch.Tensor:
    return torch.combinations(torch.arange(graph.num_nodes), 2)


def embeddings(graph: Graph, seed: int = 0) -> torch.Tensor:
    return torch.randn(graph.num_nodes, 8, generator=torch.Generator().manual_seed(seed))


def bare(graph: Graph) -> Inputs:
    """Inputs of a graph whose features are not looked at."""
    return Inputs.of(graph, torch.ones(graph.num_nodes, 1))


def score_by_hand(decoder: CommonNeighbourDecoder, x: torch.Tensor, graph: Graph, u: int, v: int, depth: int) -> float:
    """One pair at a time, from the equations of the paper."""
    neighbours = [set(graph.neighbours(node).tolist()) for node in range(graph.num_nodes)]
    shifted = x + decoder.shift(x)
    total = torch.zeros(1, x.shape[1])
    for w in neighbours[u] & neighbours[v]:
        total = total + shifted[w]
    if depth > 0:
        settings = decoder.settings
        for one, other in ((u, v), (v, u)):
            for w in neighbours[one] - neighbours[other] - {other}:
                logit = score_by_hand(decoder, x, graph, other, w, depth - 1)
                likely = 1 / (1 + np.exp(-settings.scale * (logit - settings.offset)))
                weight = settings.alpha * settings.prior * likely / (settings.prior * likely + 1 - likely)
                total = total + weight * shifted[w]
    mapped = decoder.ends(x[u : u + 1] * x[v : v + 1]) + decoder.beta * decoder.common(total)
    return float(decoder.final(mapped))


@pytest.mark.parametrize("options", [{}, {"last_activation": False, "layer_norm": False, "final_layers": 1}])
def test_ncn_scores_as_a_loop_over_pairs(options) -> None:
    graph = random_graph()
    decoder = CommonNeighbourDecoder(NCNSettings(hidden_channels=8, **options)).eval()
    x, pairs = embeddings(graph), all_pairs(graph)
    with torch.no_grad():
        wanted = [score_by_hand(decoder, x, graph, u, v, 0) for u, v in pairs.tolist()]
        assert np.allclose(decoder(x, bare(graph), pairs), wanted, atol=1e-5)
        assert np.allclose(decoder(x, bare(graph), pairs[:1]), wanted[:1], atol=1e-5)
    assert len(np.unique(np.round(wanted, 4))) > 50


@pytest.mark.parametrize("depth", [1, 2])
def test_ncnc_scores_as_a_loop_over_pairs_and_links_to_complete(depth: int) -> None:
    graph = random_graph(num_nodes=9, num_edges=14)
    decoder = CompletingDecoder(NCNCSettings(depth=depth, **SMALL)).eval()
    x, pairs = embeddings(graph), all_pairs(graph)
    with torch.no_grad():
        wanted = [score_by_hand(decoder, x, graph, u, v, depth) for u, v in pairs.tolist()]
        assert np.allclose(decoder(x, bare(graph), pairs), wanted, atol=1e-4)
        plain = [score_by_hand(decoder, x, graph, u, v, 0) for u, v in pairs.tolist()]
    assert not np.allclose(wanted, plain, atol=1e-2)  # completion does change scores


def test_in_training_without_dropout_the_scores_are_the_same() -> None:
    graph = random_graph()
    settings = {**SMALL, "decoder_dropout": 0.0}
    for decoder in (
        CommonNeighbourDecoder(NCNSettings(hidden_channels=8, decoder_dropout=0.0)),
        CompletingDecoder(NCNCSettings(**settings)),
    ):
        x, pairs = embeddings(graph), all_pairs(graph)
        assert torch.allclose(decoder.train()(x, bare(graph), pairs), decoder.eval()(x, bare(graph), pairs), atol=1e-6)


@pytest.mark.parametrize("name", ["ncn", "ncnc"])
def test_every_weight_learns(name: str) -> None:
    graph = random_graph()
    model = make_model(name, hidden_channels=8)
    network = model.build(graph, seed=0).train()
    inputs = Inputs.of(graph)
    network.decode(network.encode(inputs), inputs, all_pairs(graph)).sigmoid().sum().backward()
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, key


def test_the_encoder_is_a_product_of_dense_matrices() -> None:
    graph = random_graph()
    adjacency = torch.zeros(graph.num_nodes, graph.num_nodes)
    adjacency[graph.edge_index[0], graph.edge_index[1]] = 1
    scale = (adjacency.sum(dim=1) + 1).rsqrt()
    average = scale[:, None] * (adjacency + torch.eye(graph.num_nodes)) * scale
    inputs = Inputs.of(graph)
    for options, matrix in (({}, average), ({"convolution": "sum"}, adjacency)):
        encoder = PureEncoder(5, NCNSettings(hidden_channels=8, num_layers=2, **options)).eval()
        encoder.weights.data = torch.tensor([0.3, 2.0])
        first = torch.tensor(graph.x) @ encoder.first.weight.T + encoder.first.bias
        wanted = 0.3 * matrix @ first + 2 * matrix @ matrix @ first
        assert torch.allclose(encoder(inputs), wanted, atol=1e-4)
    kept = PureEncoder(5, NCNSettings(hidden_channels=8, residual=True, jumping=False)).eval()
    first = torch.tensor(graph.x) @ kept.first.weight.T + kept.first.bias
    assert torch.allclose(kept(inputs), first + average @ first, atol=1e-5)


def test_drawn_candidates_stand_for_all_and_depend_on_the_pair_alone() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 60, (700, 2)), 60)
    decoder = CompletingDecoder(NCNCSettings(completed=3, **SMALL)).eval()
    pairs = rng.integers(0, 60, (40, 2))
    found = decoder._candidates(pairs, graph, seed=0)
    every = CompletingDecoder(NCNCSettings(**SMALL))._candidates(pairs, graph, seed=0)
    counts = np.diff(every.indptr)
    assert counts.max() > 10
    assert np.array_equal(np.diff(found.indptr), np.minimum(counts, 3))
    for i in range(len(pairs)):
        drawn = found.indices[found.indptr[i] : found.indptr[i + 1]]
        assert set(drawn) <= set(every.indices[every.indptr[i] : every.indptr[i + 1]])
        assert np.isclose(found.weights[found.indptr[i] : found.indptr[i + 1]].sum(), counts[i])
    alone = decoder._candidates(pairs[5:6], graph, seed=0)
    assert np.array_equal(alone.indices, found.indices[found.indptr[5] : found.indptr[6]])
    # Over many seeds, every candidate of a pair comes up about as often.
    longest = int(counts.argmax())
    draws = np.concatenate([decoder._candidates(pairs[[longest]], graph, seed).indices for seed in range(1000)])
    shares = np.unique(draws, return_counts=True)[1] / len(draws)
    assert len(shares) == counts[longest] and shares.max() < 1.5 / counts[longest]


def test_scores_of_drawn_candidates_do_not_depend_on_the_order_of_a_pair() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 60, (700, 2)), 60)
    decoder = CompletingDecoder(NCNCSettings(completed=3, **SMALL)).eval()
    x, pairs = embeddings(graph), torch.from_numpy(rng.integers(0, 60, (40, 2)))
    assert torch.allclose(decoder(x, bare(graph), pairs), decoder(x, bare(graph), pairs.flip(1)), atol=1e-5)


def test_dropped_edges_keep_the_mean_of_common_neighbours() -> None:
    graph = Graph.from_edges([[u, v] for u in range(40) for v in range(u)])
    decoder = CommonNeighbourDecoder(NCNSettings(hidden_channels=8, edge_dropout=0.4)).train()
    weights = decoder.find_common(bare(graph), all_pairs(graph)).weights
    assert np.isclose(weights.mean(), 1, atol=0.03) and np.isclose((weights > 0).mean(), 0.36, atol=0.01)
    assert decoder.eval().find_common(bare(graph), all_pairs(graph)).weights is None


@pytest.mark.parametrize(
    ("name", "setting", "value", "message"),
    [
        ("ncn", "hidden_channels", 0, "at least 1"),
        ("ncn", "edge_dropout", 1.0, "below 1"),
        ("ncn", "convolution", "max", "choose from gcn, sum"),
        ("ncnc", "prior", 1.0, "below 1"),
        ("ncnc", "depth", 0, "at least 1"),
        ("ncnc", "completed", -1, "0 or more"),
    ],
)
def test_settings_out_of_bounds_are_refused(name: str, setting: str, value: object, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        make_model(name, **{setting: value})
