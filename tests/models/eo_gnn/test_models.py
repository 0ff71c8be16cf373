"""The two members of the family: what they tell apart, that they go to other graphs, and what they refuse."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model
from edgeorbit.models.eo_gnn.signals import PairSignals, PropagatedNoise
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.pairwise.walks import short_walks
from edgeorbit.prediction import LinkPredictor
from edgeorbit.synthetic import make

FAMILY = ["eo-gnn", "eo-gnn-paper"]
ASYMMETRIC = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [2, 4], [2, 6]])


def constant(graph: Graph) -> Graph:
    return graph.with_attributes(x=np.ones((graph.num_nodes, 1), np.float32))


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("setting", ["d1", "d2", "cn", "hadamard", "roles", "d1,d2,roles"])
def test_every_part_can_be_left_out(name: str, setting: str) -> None:
    graph = constant(make("syn-karate", edges=2))
    model = make_model(name, without=setting, hidden_channels=16)
    network = model.build(graph, seed=0)
    logits = network.decode(network.encode(Inputs.of(graph)), Inputs.of(graph), torch.tensor([[0, 1], [3, 50]]))
    logits.sum().backward()
    left = {key for key, value in network.named_parameters() if value.grad is not None}
    terms = {key.split(".")[2] for key in left if ".terms." in f".{key}"} | {
        key.split(".")[1] for key in left if key.startswith("terms.")
    }
    for part in ("cn", "hadamard", "roles"):
        assert (part in terms) == (part not in setting.split(","))
    assert any("layers.0.bias.weight" in key for key in left) == ("d2" not in setting)


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("eo-gnn", {"tau": -0.1}, "tau"),
        ("eo-gnn-paper", {"p_max": 1.0}, "p_max"),
        ("eo-gnn", {"num_roles": 0}, "num_roles"),
        ("eo-gnn", {"without": "d3"}, "choose from d1, d2, cn, hadamard, roles, walks, components"),
        ("eo-gnn-paper", {"without": "walks"}, "choose from d1, d2, cn, hadamard, roles"),
        ("eo-gnn-paper", {"without": "cn,hadamard,roles"}, "must stay"),
        ("eo-gnn", {"walk_length": 1}, "walk_length"),
        ("eo-gnn", {"rounds": -1}, "rounds"),
        ("eo-gnn", {"dropout": 1.0}, "dropout"),
    ],
)
def test_settings_that_make_no_network_are_refused(name, settings, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        make_model(name, **settings)


@pytest.mark.parametrize("name", FAMILY)
def test_a_graph_of_singletons_works_and_is_remarked_on(name: str) -> None:
    assert "little to act on" in make_model(name, rounds=5).remarks(ASYMMETRIC)[0]
    assert make_model(name, rounds=5).remarks(cycle(8)) == []
    assert make_model(name, rounds=5, without="d1,d2").remarks(ASYMMETRIC) == []
    model = make_model(name, rounds=5)
    model.build(constant(ASYMMETRIC), seed=0)
    assert np.isfinite(model.on(constant(ASYMMETRIC))(np.array([[0, 3], [5, 6]]))).all()


@pytest.mark.parametrize("name", FAMILY)
def test_a_model_trained_on_one_graph_scores_another(name: str, tmp_path) -> None:
    training = {"epochs": 4, "evaluate_every": 2}
    predictor = LinkPredictor(name, training=training, threads=1).fit(make("syn-karate", edges=2), features="constant")
    found = predictor.predict(top=5, on=make("syn-lobster", edges=1))
    assert len(found.pairs) == 5 and np.isfinite(found.scores).all()


def test_roles_do_not_drown_messages_on_a_dense_graph() -> None:
    """A mean over hundreds of rows is small beside the row of a role; what messages bring must still be seen."""
    dense = Graph.from_edges(np.random.default_rng(0).integers(0, 2000, (400_000, 2)), 2000)
    rows = np.eye(2000, dtype=np.float32)
    first, other = (dense.with_attributes(x=x) for x in (rows, rows[np.random.default_rng(1).permutation(2000)]))
    network = make_model("eo-gnn", hidden_channels=64, tau=0.0).build(first, seed=0).eval()
    with torch.no_grad():
        seen = [network.encoder(Inputs.of(graph)).x for graph in (first, other)]
    assert torch.cosine_similarity(*seen).mean() < 0.7


def test_many_common_neighbours_do_not_outweigh_the_other_terms() -> None:
    """Two hubs with a thousand common neighbours, and two nodes with one: all embeddings alike, so are the terms."""
    star = np.arange(4, 1004)
    edges = [*((0, leaf) for leaf in star), *((1, leaf) for leaf in star), (2, 1004), (3, 1004)]
    graph = Graph.from_edges(np.array(edges))
    network = make_model("eo-gnn", without="d2,hadamard,roles,walks,components").build(constant(graph), seed=0)
    alike = torch.ones(graph.num_nodes, network.settings.hidden_channels + network.settings.role_channels)
    with torch.no_grad():
        many, one = network.eval().decode(alike, Inputs.of(constant(graph)), torch.tensor([[0, 1], [2, 3]]))
    assert many == pytest.approx(one.item(), rel=1e-4)


def test_links_of_one_orbit_are_told_apart_by_components() -> None:
    """In two cycles all pairs of one distance look alike, within a cycle and across."""
    two = constant(Graph.from_edges(np.concatenate([cycle(12).edges, cycle(12).edges + 12])))
    within, across = np.array([[0, 6]]), np.array([[0, 18]])
    for name, told in (("gcn", False), ("eo-gnn", True)):
        model = make_model(name, **({"tau": 0.0} if name == "eo-gnn" else {}))
        model.build(two, seed=0)
        difference = abs(model.on(two)(within) - model.on(two)(across)).item()
        assert (difference > 1e-3) == told


def test_signals_do_not_depend_on_the_order_of_a_pair_or_of_the_nodes() -> None:
    graph = make("syn-karate", edges=4)
    pairs = np.random.default_rng(0).integers(0, graph.num_nodes, (60, 2))
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    moved = Graph.from_edges(order[graph.edges], graph.num_nodes)
    here, there = PairSignals(graph, 4, 8), PairSignals(moved, 4, 8)
    for kind in ("walks", "components", "degrees"):
        found = getattr(here, kind)(pairs)
        assert np.allclose(found, getattr(here, kind)(pairs[:, ::-1]))
        assert np.allclose(found, getattr(there, kind)(order[pairs]))


def test_propagated_noise_estimates_walks_the_better_the_more_channels() -> None:
    graph = make("barabasi-albert", nodes=300, seed=1)
    pairs = np.random.default_rng(0).integers(0, 300, (400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    exact = short_walks(graph, pairs, max_length=5)
    errors = [np.abs(PropagatedNoise(graph, 5, channels).walks(pairs) - exact).mean() for channels in (64, 4096)]
    assert errors[1] < errors[0] / 5 and errors[1] < 0.01


def test_walks_are_counted_as_far_as_that_is_cheap_and_estimated_beyond() -> None:
    random = np.random.default_rng(0)
    dense = Graph.from_edges(random.integers(0, 600, (60_000, 2)))
    sparse = Graph.from_edges(random.integers(0, 6000, (12_000, 2)))
    assert [PairSignals(graph, 4, 8).counted for graph in (sparse, dense)] == [4, 2]
    pairs = dense.edges[:300].astype(np.int64)
    mixed, counted = PairSignals(dense, 4, 512).walks(pairs), PairSignals(dense, 2, 8).walks(pairs)
    assert np.array_equal(mixed[:, :4], counted[:, :4])  # sums over common neighbours, and walks of length 2
    assert np.allclose(counted[:, 3], 1 + np.log(short_walks(dense, pairs, max_length=2)[:, 0] + 1e-5) / 3, atol=1e-6)
    exact = short_walks(dense, pairs, max_length=4)
    assert np.allclose(mixed[:, 5], 1 + np.log(exact[:, 2] + 1e-3) / 3, atol=0.5)
    assert np.isfinite(mixed).all()


def test_signals_tell_weak_walks_from_none() -> None:
    leaves = 4000
    star = np.stack([np.zeros(leaves, np.int64), np.arange(1, leaves + 1)], axis=1)
    chain = [[1, leaves + 1], [leaves + 1, leaves + 2]]  # the weight of a walk through the hub is small
    graph = Graph.from_edges(np.concatenate([star, chain]), leaves + 5)
    signals = PairSignals(graph, 4, 8)
    assert signals.counted == 4
    near, far = signals.walks(np.array([[2, leaves + 2], [2, leaves + 4]]))[:, 3:6]  # the weights of lengths 2 to 4
    assert near[2] - far[2] > 0.3 and np.array_equal(near[:2], far[:2])
