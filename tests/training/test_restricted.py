"""Computing only the rows that a batch needs gives the logits and gradients of the whole graph."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import graphs

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.models import MODELS, make_model, resolve_model  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402
from edgeorbit.models.neural.model import NeuralLinkModel  # noqa: E402
from edgeorbit.models.neural.reach import find_rows, restrict  # noqa: E402
from edgeorbit.models.perturbations import make_perturbation  # noqa: E402
from edgeorbit.training import step as steps  # noqa: E402
from edgeorbit.training.losses import cross_entropy  # noqa: E402

NAMES = [name for name in MODELS if issubclass(resolve_model(name), NeuralLinkModel)]
WHOLE = {"seal", "nbfnet"}  # they look at pairs one by one
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"hidden_channels": 8}) for name in NAMES if name not in WHOLE),
    *((name, {"hidden_channels": 8, "num_layers": 2}) for name in NAMES if name not in WHOLE | {"buddy"}),
    ("gcn", {"hidden_channels": 4, "num_layers": 3, "dropout": 0.5}),
    ("mixhop", {"hidden_channels": 24, "hops": 3}),
    ("ncn", {"hidden_channels": 8, "num_layers": 2, "convolution": "sum", "residual": True, "last_dropout": 0.3}),
    ("ncn", {"hidden_channels": 8, "num_layers": 2, "jumping": False}),
    ("ncnc", {"hidden_channels": 8, "depth": 2, "completed": 2}),
    ("eo-gnn", {"hidden_channels": 8, "without": "cn,d1"}),
    ("eo-gnn-paper", {"hidden_channels": 8, "without": "roles,d2"}),
]


def ring(sparse: bool = False) -> Graph:
    """A long ring with chords, on which few nodes are near to a batch, and three nodes without links."""
    nodes, random = np.arange(120), np.random.default_rng(3)
    edges = np.concatenate([np.stack([nodes, (nodes + step) % 120], axis=1) for step in (1, 2, 7)])
    graph = Graph.from_edges(edges, num_nodes=123)
    width = 60 if sparse else 5
    x = random.random((123, width), np.float32) * (random.random((123, width)) < (0.04 if sparse else 1))
    return graph.with_attributes(x=x.astype(np.float32))


def targets() -> tuple[Any, Any]:
    """Return links of one corner, one pair twice, and negatives with a node without links."""
    return torch.tensor([[0, 1], [2, 9], [2, 9]]), torch.tensor([[[3, 121]], [[5, 11]], [[4, 40]]])


def run(network: Any, inputs: Inputs, training: bool, only: bool) -> tuple[Any, dict[str, Any]]:
    """Return the logits of the batch, and gradients of a function of them."""
    positives, negatives = targets()
    pairs = torch.cat([positives, negatives.reshape(-1, 2)])
    network.train(training).zero_grad()
    torch.manual_seed(7)
    if only:
        inputs = restrict(inputs, network.reads(inputs, pairs), network.hops)
        assert inputs.rows is not None
    logits = network.decode(network.encode(inputs), inputs, pairs)
    (logits * torch.arange(1.0, 1 + len(logits))).sum().backward()
    gradients = {name: weight.grad.clone() for name, weight in network.named_parameters() if weight.grad is not None}
    return logits.detach(), gradients


def assert_alike(found: tuple[Any, dict[str, Any]], expected: tuple[Any, dict[str, Any]]) -> None:
    torch.testing.assert_close(found[0], expected[0], rtol=1e-5, atol=1e-5)
    assert found[1].keys() == expected[1].keys()
    for name, gradient in expected[1].items():
        torch.testing.assert_close(found[1][name], gradient, rtol=1e-3, atol=1e-4, msg=name)


@pytest.mark.parametrize("training", [False, True], ids=["use", "training"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "chosen"), VARIANTS, ids=lambda value: value if isinstance(value, str) else "")
def test_rows_near_to_a_batch_give_the_logits_and_gradients_of_all(name: str, chosen, sparse, training) -> None:
    if name == "linkx" and chosen.get("num_layers") == 2:
        chosen = chosen | {"dropout": 0.5}
    graph = ring(sparse)
    network, inputs = make_model(name, **chosen).build(graph, 5), Inputs.of(graph)
    assert network.hops is not None
    assert_alike(*(run(network, inputs, training, only) for only in (True, False)))


def test_networks_that_normalise_over_all_nodes_or_look_at_pairs_compute_all_rows() -> None:
    for name, chosen in (("seal", {}), ("nbfnet", {}), ("buddy", {"sign_k": 2})):
        assert make_model(name, **chosen).build(ring(), 0).hops is None


@pytest.mark.parametrize("name", ["dropedge", "dropnode", "d1"])
@pytest.mark.parametrize("model", ["gcn", "gat", "eo-gnn"])
def test_perturbed_graphs_are_restricted_too(name: str, model: str) -> None:
    graph = ring()
    network = make_model(model, hidden_channels=8).build(graph, 5)
    torch.manual_seed(1)
    inputs = make_perturbation(name, 0.3)(Inputs.of(graph))
    assert_alike(*(run(network, inputs, True, only) for only in (True, False)))


@pytest.mark.parametrize("name", ["gcn", "ncn", "eo-gnn"])
def test_a_step_by_a_single_layer_computes_no_more_rows_than_it_reads(name: str) -> None:
    graph = ring()
    network, inputs = make_model(name, hidden_channels=8).build(graph, 5), Inputs.of(graph)
    positives, negatives = targets()
    pairs = torch.cat([positives, negatives.reshape(-1, 2)])
    read = np.unique(network.reads(inputs, pairs))
    assert len(network.encode(restrict(inputs, read, 1))) == len(read) < 25


@given(graphs(), st.integers(0, 4), st.data())
@settings(max_examples=100)
def test_rows_are_found_by_their_distance(graph: Graph, hops: int, data) -> None:
    if graph.num_nodes == 0:
        return
    read = np.array(data.draw(st.lists(st.integers(0, graph.num_nodes - 1), max_size=5)), np.int64)
    rows = find_rows(graph, read, hops, worth_it=np.inf)
    near = [set(read.tolist())]
    for _ in range(hops):
        near.append(near[-1] | {int(v) for u in near[-1] for v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]]})
    assert rows.counts == tuple(len(nodes) for nodes in near)
    for count, nodes in zip(rows.counts, near, strict=True):
        assert set(rows.nodes[:count].tolist()) == nodes
    assert (rows.place[rows.nodes] == np.arange(len(rows.nodes))).all()
    assert (rows.place >= 0).sum() == len(rows.nodes)


def test_the_whole_graph_is_taken_where_that_is_cheaper() -> None:
    graph = ring()
    assert restrict(Inputs.of(graph), np.arange(110), 1).rows is None
    assert restrict(Inputs.of(graph), np.arange(10), 1).rows is not None
    assert restrict(Inputs.of(graph), np.arange(0, 110, 5), 8).rows is None  # all lie within two steps of some


def test_more_steps_than_rows_are_known_for_are_refused() -> None:
    inputs = restrict(Inputs.of(ring()), np.arange(3), 1)
    with pytest.raises(ValueError, match="one step more"):
        inputs.block(3)


STILL = {"dropout": 0, "feature_dropout": 0, "decoder_dropout": 0, "edge_dropout": 0, "last_dropout": 0}


@pytest.mark.parametrize("name", ["gcn", "gat", "ncn", "ncnc", "eo-gnn", "eo-gnn-paper", "linkx", "mlp"])
@pytest.mark.parametrize("fewer", [1, 1000], ids=["copies", "in place"])
def test_pieces_add_up_to_the_step(name: str, fewer: int, monkeypatch) -> None:
    graph, known = ring(), {field.name for field in fields(resolve_model(name).Settings)}
    chosen = {key: value for key, value in STILL.items() if key in known} | {"hidden_channels": 8}
    network, inputs = make_model(name, **chosen).build(graph, 5).train(), Inputs.of(graph)
    random = torch.Generator().manual_seed(2)
    positives = torch.from_numpy(graph.edges[:40].astype(np.int64))
    negatives = torch.randint(123, (40, 3, 2), generator=random)
    monkeypatch.setattr(steps, "FEWER", fewer)
    found = []
    for most in (1 << 20, 50, 1):  # one piece, four, and one for each link
        monkeypatch.setattr(steps, "PAIRS_AT_ONCE", most)
        network.zero_grad()
        torch.manual_seed(0)
        loss = steps.backward(network, inputs, positives, negatives, cross_entropy)
        found.append((torch.tensor(loss), {key: weight.grad for key, weight in network.named_parameters()}))
    for one in found[1:]:
        assert_alike(one, found[0])


def test_batch_norm_over_pairs_is_not_cut(monkeypatch) -> None:
    monkeypatch.setattr(steps, "PAIRS_AT_ONCE", 2)
    graph = ring()
    network, seen = make_model("buddy", hidden_channels=8).build(graph, 5).train(), []
    decode = network.decode
    network.decode = lambda *arguments: seen.append(len(arguments[2])) or decode(*arguments)
    steps.backward(network, Inputs.of(graph), *targets(), cross_entropy)
    assert seen == [6]
