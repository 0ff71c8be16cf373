"""Neo-GNN: its equations against dense matrices, what it learns, and what it refuses."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.data.splits import random_split
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.models.neo_gnn import NeoGNN, NeoGNNNetwork, NeoGNNSettings, OverlapScore, mix
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.pairwise import overlaps
from edgeorbit.pairwise.overlaps import sum_overlaps
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings
from tests.oracles import graphs

SMALL = {"hidden_channels": 16, "node_channels": 8, "overlap_channels": 8}


def make(in_channels: int = 3, seed: int = 0, **given) -> NeoGNNNetwork:
    torch.manual_seed(seed)
    return NeoGNNNetwork(in_channels, NeoGNNSettings(**(SMALL | given)))


def communities(num: int = 6, size: int = 8) -> Graph:
    """Cliques without a third of their edges: common neighbours tell what is missing."""
    pairs = [[c * size + i, c * size + j] for c in range(num) for i in range(size) for j in range(i)]
    kept = np.random.default_rng(0).random(len(pairs)) < 0.67
    graph = Graph.from_edges(np.array(pairs)[kept], num * size, name="communities")
    return graph.with_attributes(x=np.ones((graph.num_nodes, 1), np.float32))


def apply(network: torch.nn.Sequential, number: torch.Tensor) -> torch.Tensor:
    first, _, last = network
    return last.weight.double() @ torch.relu(first.weight.double() @ number + first.bias.double()) + last.bias.double()


def dense_structure(score: OverlapScore, graph: Graph, pairs: list[list[int]]) -> torch.Tensor:
    """The equations of the paper, entry by entry, in double precision."""
    n = graph.num_nodes
    adjacency = np.zeros((n, n))
    adjacency[graph.edges[:, 0], graph.edges[:, 1]] = adjacency[graph.edges[:, 1], graph.edges[:, 0]] = 1
    powers = [score.beta**step * np.linalg.matrix_power(adjacency, step + 1) for step in range(score.hops)]
    summed = torch.from_numpy(np.sum(powers, axis=0))
    features = []
    for i in range(n):
        total = torch.zeros(1, dtype=torch.float64)
        for j in range(n):
            if summed[i, j] > 0:
                total = total + apply(score.f_edge, summed[i, j][None])
        features.append(apply(score.f_node, total))
    z = summed * torch.stack(features).T
    return torch.cat([apply(score.g, (z[u] * z[v]).sum()[None]) for u, v in pairs])


@settings(deadline=None, max_examples=25)
@given(graph=graphs(max_nodes=9, max_pairs=14), hops=st.integers(1, 3), seed=st.integers(0, 99))
def test_the_overlap_and_its_gradients_are_those_of_the_equations(graph: Graph, hops: int, seed: int) -> None:
    if graph.num_nodes == 0:
        return
    torch.manual_seed(seed)
    score = OverlapScore(hops, 0.3, 4, 5, 6)
    pairs = np.random.default_rng(seed).integers(0, graph.num_nodes, (6, 2))
    found = score(Inputs.of(graph, torch.ones(graph.num_nodes, 1)), torch.from_numpy(pairs))
    expected = dense_structure(score, graph, pairs.tolist())
    assert torch.allclose(found.double(), expected, rtol=1e-3, atol=1e-3)
    flow = torch.linspace(-1, 2, 6)
    here = torch.autograd.grad((found * flow).sum(), list(score.parameters()), allow_unused=True)
    there = torch.autograd.grad((expected * flow.double()).sum(), list(score.parameters()), allow_unused=True)
    for one, found_densely in zip(here, there, strict=True):
        other = torch.zeros_like(one) if found_densely is None else found_densely
        assert torch.allclose(one, other, rtol=1e-2, atol=1e-3 * max(1.0, float(other.abs().max())))


@given(
    st.lists(st.tuples(st.floats(-8, 8), st.floats(-8, 8)), min_size=1, max_size=5),
    st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_mixing_is_a_weighted_mean_of_probabilities(logits: list, alpha: tuple) -> None:
    first, second = torch.tensor(logits, dtype=torch.float64).T
    share = torch.softmax(torch.tensor(alpha, dtype=torch.float64), dim=0)
    expected = share[0] * torch.sigmoid(first) + share[1] * torch.sigmoid(second)
    assert torch.allclose(torch.sigmoid(mix(first, second, torch.tensor(alpha, dtype=torch.float64))), expected)


def test_sure_halves_stay_apart_and_keep_their_gradients() -> None:
    first = torch.tensor([40.0, 50.0, -200.0], requires_grad=True)
    mixed = mix(first, first.detach(), torch.zeros(2))
    assert torch.allclose(mixed, first) and (mixed.diff()[0] > 1)
    mixed.sum().backward()
    assert torch.isfinite(first.grad).all()


def test_the_score_is_made_of_both_halves_and_each_can_take_over() -> None:
    graph = communities()
    network, inputs = make(1).eval(), Inputs.of(graph)
    pairs = torch.tensor([[0, 1], [0, 9], [3, 5]])
    with torch.no_grad():
        branches = network.score_branches(network.encode(inputs), inputs, pairs)
        assert torch.equal(network.decode(network.encode(inputs), inputs, pairs), branches.mixed)
        network.alpha.copy_(torch.tensor([50.0, -50.0]))
        assert torch.allclose(network.decode(network.encode(inputs), inputs, pairs), branches.structure, atol=1e-5)
        network.alpha.copy_(torch.tensor([-50.0, 50.0]))
        assert torch.allclose(network.decode(network.encode(inputs), inputs, pairs), branches.features, atol=1e-5)


def test_training_finds_the_links_that_communities_lack() -> None:
    """Constant features and nodes of one size of community: only the overlap can tell."""
    split = random_split(communities(), seed=0)
    draw = np.random.default_rng(1).integers(0, 48, (300, 2))
    pool = draw[draw[:, 0] // 8 != draw[:, 1] // 8]
    model = NeoGNN(**SMALL)
    training = TrainingSettings(epochs=60, batch_size=64, learning_rate=0.01, evaluate_every=20, metric="auc")
    Trainer(model, split, Negatives("random", pool, pool), training).train()
    score = model.on(split.graph)
    links, others = score(split.test.astype(np.int64)), score(pool)
    assert (links[:, None] > others[None, :]).mean() > 0.9


@pytest.mark.parametrize("kind", ["constant", "identity", "sparse", "dense"])
def test_features_of_every_sort_are_taken_and_nodes_without_edges_are_scored(kind: str) -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], 40)
    draw = np.random.default_rng(0)
    x = {
        "constant": np.ones((40, 1), np.float32),
        "identity": scipy.sparse.eye_array(40, format="csr"),
        "sparse": scipy.sparse.random_array((40, 300), density=0.02, format="csr", rng=0),
        "dense": draw.random((40, 7), np.float32),
    }[kind]
    model = NeoGNN(**SMALL)
    model.build(graph.with_attributes(x=x), 0)
    pairs = np.concatenate([[[0, 2]], draw.integers(0, 40, (30, 2))])  # the first has common neighbours
    score = model.on(graph.with_attributes(x=x))
    found = score(pairs)
    assert np.isfinite(found).all() and found.std() > 0
    assert np.allclose(found, score(pairs[:, ::-1]), rtol=1e-6, atol=1e-6)


def test_links_of_a_batch_are_hidden_from_both_halves() -> None:
    graph = communities()
    hidden = graph.edges[::7].astype(np.int64)
    left = EdgeRemover(graph).without(hidden)
    weights = []
    for known in (graph, left):
        model, anything = NeoGNN(**SMALL), np.array([[0, 1]])
        split = LinkSplit(known, anything, anything)
        trainer = Trainer(model, split, Negatives("r", anything, anything), TrainingSettings())
        trainer._remover.without = lambda pairs: left  # type: ignore[method-assign]
        network = model.build(known, 0)
        torch.manual_seed(0)
        trainer._step(network, torch.optim.Adam(network.parameters()), hidden, hidden[:, ::-1] // 2)
        weights.append([value.clone() for value in network.state_dict().values()])
    assert all(torch.equal(one, other) for one, other in zip(*weights, strict=True))


def test_a_link_that_is_not_hidden_would_be_in_its_own_overlap() -> None:
    """Why it is hidden from the powers too: on a tree nothing else connects its ends."""
    tree = Graph.from_edges([[0, 1], [1, 2], [1, 3], [2, 4], [2, 5]])
    link, weight = torch.tensor([[1, 2]]), torch.ones(6)
    known, hidden = overlaps.walk_rows(tree), overlaps.walk_rows(EdgeRemover(tree).without(link.numpy()))
    assert sum_overlaps(known, link, weight).item() > 0.5
    assert sum_overlaps(hidden, link, weight).item() == 0


def test_walks_that_do_not_fit_into_memory_are_refused_with_a_way_out(monkeypatch) -> None:
    graph = communities()
    model = NeoGNN(**SMALL)
    model.build(graph, 0)
    score = model.on(graph)
    monkeypatch.setattr(overlaps, "available_memory", lambda: 1000)
    with pytest.raises(LimitExceededError, match=r"communities: walks of up to 2 steps .* lower hops"):
        score(np.array([[0, 1]]))


@pytest.mark.parametrize(
    "setting",
    ["hidden_channels", "num_layers", "decoder_layers", "layer_norm", "hops", "beta", *SMALL, "edge_channels"],
)
def test_every_setting_changes_the_scores(setting: str) -> None:
    other = {"layer_norm": True, "beta": 0.5, "num_layers": 2, "decoder_layers": 2, "hops": 3}
    graph = communities().with_attributes(x=np.random.default_rng(0).random((48, 4), np.float32))
    pairs = np.array([[0, 9], [5, 6], [7, 14]])
    scores = []
    for changed in ({}, {setting: other.get(setting, 4)}):
        model = NeoGNN(**(SMALL | changed))
        model.build(graph, 0)
        scores.append(model.on(graph)(pairs))
    assert not np.allclose(*scores)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hops": 0}, "hops must be at least 1, not 0"),
        ({"beta": 0}, "beta must be above 0 and finite, not 0.0"),
        ({"dropout": 1}, "dropout must be at least 0 and below 1, not 1.0"),
        ({"edge_channels": 0}, "edge_channels must be at least 1"),
        ({"hidden_channels": -1}, "hidden_channels must be at least 1"),
        ({"decoder": "dot"}, "neo-gnn has no setting 'decoder'"),
    ],
)
def test_settings_that_make_no_model_get_one_sentence(given: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        NeoGNN(**given)


@pytest.mark.parametrize("graph", ["cora", "CiteSeer", "pubmed", "ogbl-ddi"])
def test_presets_make_a_model_and_a_training(graph: str) -> None:
    preset = NeoGNN.preset_for(graph)
    assert NeoGNN(**preset.settings).settings.hops == (1 if graph == "ogbl-ddi" else 2)
    assert TrainingSettings.from_mapping(preset.training, "training").batch_size >= 1024
