"""The network of SEAL is the DGCNN that PyG's layers make, and knows neither the order of a pair nor its link."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("torch_geometric")
import torch
from torch_geometric.nn import GCNConv
from torch_geometric.nn.aggr import SortAggregation

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.seal import model as module
from edgeorbit.models.seal.messages import project_features
from edgeorbit.models.seal.model import SEAL, SEALNetwork
from edgeorbit.pairwise.enclosing_subgraphs import enclosing_subgraphs
from oracles import relabelled


@pytest.fixture(autouse=True)
def single_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def graph() -> Graph:
    rng = np.random.default_rng(4)
    edges = rng.integers(0, 80, (200, 2))
    return Graph.from_edges(edges, 80, x=rng.standard_normal((80, 6)).astype(np.float32))


def pairs_of(graph: Graph, count: int = 25) -> torch.Tensor:
    rng = np.random.default_rng(5)
    return torch.from_numpy(np.concatenate([graph.edges[:count], rng.integers(0, graph.num_nodes, (count, 2))]))


def build(graph: Graph, **settings: Any) -> SEALNetwork:
    return SEAL(**{"hidden_channels": 8, "hops": 2, **settings}).build(graph, seed=1).eval()


def scores(network: SEALNetwork, graph: Graph, pairs: torch.Tensor) -> torch.Tensor:
    inputs = Inputs.of(graph)
    with torch.no_grad():
        return network.decode(network.encode(inputs), inputs, pairs)


def dgcnn_of_pyg(network: SEALNetwork, graph: Graph, pairs: torch.Tensor) -> torch.Tensor:
    """The same weights in PyG's layers: convolutions side by side, sorted, and convolved in one dimension."""
    found = enclosing_subgraphs(graph, pairs.sort(dim=1).values.numpy(), hops=network.settings.hops)
    edge_index = torch.from_numpy(found.edge_index)
    labels = np.minimum(found.labels, network.settings.num_labels - 1)
    hidden = network.labels.weight[torch.from_numpy(labels).long()]
    if network.settings.use_features:
        hidden = torch.cat([hidden, torch.from_numpy(graph.x[found.nodes])], dim=1)
    outputs = []
    for layer in network.layers:
        conv = GCNConv(layer.in_features, layer.out_features)
        conv.lin.weight, conv.bias = layer.weight, layer.bias
        hidden = torch.tanh(conv(hidden, edge_index))
        outputs.append(hidden)
    pooled = SortAggregation(network.k)(torch.cat(outputs, dim=1), torch.from_numpy(found.batch))
    conv1 = torch.nn.functional.conv1d(
        pooled[:, None], network.first.weight[:, None], network.first.bias, stride=network.first.in_features
    )
    sequence = torch.nn.functional.max_pool1d(torch.relu(conv1), 2, 2)
    return network.dense(torch.relu(network.second(sequence)).flatten(1)).squeeze(1)


WIDE = {"hidden_channels": 128}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"use_features": False},
        {"num_layers": 1, "hops": 1},
        WIDE,
        WIDE | {"use_features": False},
        WIDE | {"use_features": False, "num_layers": 1, "hops": 1},
        WIDE | {"num_labels": 4},
    ],
)
def test_scores_and_gradients_are_those_of_pygs_layers(graph: Graph, settings: dict[str, Any]) -> None:
    network, pairs = build(graph, **settings), pairs_of(graph)
    inputs = Inputs.of(graph)
    found = network.decode(network.encode(inputs), inputs, pairs)
    expected = dgcnn_of_pyg(network, graph, pairs)
    # Equal nodes may change places in PyG's sort, which rounding then tells.
    assert torch.allclose(found, expected, atol=1e-5)
    weights = torch.randn(len(pairs))
    ours, theirs = (torch.autograd.grad((weights * out).sum(), list(network.parameters())) for out in (found, expected))
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-4, rtol=1e-3)
    assert all((gradient != 0).any() for gradient in ours)


def test_scores_do_not_depend_on_the_order_of_a_pair_at_all(graph: Graph) -> None:
    network, pairs = build(graph), pairs_of(graph)
    assert torch.equal(scores(network, graph, pairs), scores(network, graph, pairs.flip(1)))


def test_scores_do_not_depend_on_the_numbers_of_nodes(graph: Graph) -> None:
    network, pairs = build(graph), pairs_of(graph)
    permutation = np.random.default_rng(6).permutation(graph.num_nodes)
    other = relabelled(graph, permutation).with_attributes(x=graph.x[np.argsort(permutation)])
    moved = scores(network, other, torch.from_numpy(permutation)[pairs])
    assert torch.allclose(scores(network, graph, pairs), moved, atol=1e-5)


@pytest.mark.parametrize("most", [0, 5])
def test_a_score_does_not_change_with_the_link_it_is_asked_for(graph: Graph, most: int) -> None:
    network = build(graph, max_nodes_per_hop=most)
    for edge in graph.edges[::10]:
        left = [other for other in graph.edges.tolist() if other != edge.tolist()]
        without = Graph.from_edges(left, graph.num_nodes, x=graph.x)
        pair = torch.from_numpy(edge[None].astype(np.int64))
        assert torch.equal(scores(network, graph, pair), scores(network, without, pair))


def test_a_step_does_not_know_the_link_it_is_trained_on(graph: Graph) -> None:
    """The weights after a step on one link are those of one who never knew it."""
    u, v = graph.edges[7].tolist()
    left = Graph.from_edges([edge for edge in graph.edges.tolist() if edge != [u, v]], graph.num_nodes, x=graph.x)
    gradients = []
    for seen in (graph, left):
        network, inputs = build(graph), Inputs.of(seen)
        out = network.decode(network.encode(inputs), inputs, torch.tensor([[u, v]]))
        gradients.append(torch.autograd.grad(out.sum(), list(network.parameters())))
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


def test_scores_are_those_of_the_pair_alone(graph: Graph) -> None:
    network, pairs = build(graph), pairs_of(graph)
    together = scores(network, graph, pairs)
    alone = torch.cat([scores(network, graph, pair[None]) for pair in pairs])
    assert torch.allclose(together, alone, atol=1e-6)


def test_a_step_that_is_cut_has_the_same_gradients_and_the_same_dropout(graph: Graph, monkeypatch) -> None:
    pairs, found = pairs_of(graph), []
    for step_bytes in (1 << 31, 400_000):
        monkeypatch.setattr(module, "STEP_BYTES", step_bytes)
        network, inputs = build(graph, dropout=0.0).train(), Inputs.of(graph)
        calls: list[int] = []
        score = network.score_subgraphs
        monkeypatch.setattr(
            network, "score_subgraphs", lambda *a, c=calls, s=score: c.append(1) or s(*a), raising=False
        )
        out = network.decode(network.encode(inputs), inputs, pairs)
        passes = len(calls)
        found.append((passes, out, torch.autograd.grad(out.square().sum(), list(network.parameters()))))
        assert len(calls) == (1 if passes == 1 else 2 * passes)
    (whole, out, gradients), (parts, other_out, other_gradients) = found
    assert whole == 1 and parts > 2
    assert torch.allclose(out, other_out, atol=1e-6)
    assert all(torch.allclose(a, b, atol=1e-5, rtol=1e-4) for a, b in zip(gradients, other_gradients, strict=True))


@pytest.mark.parametrize("share", [0.05, 0.9])
@pytest.mark.parametrize("sparse", [False, True])
def test_features_are_projected_for_the_nodes_that_are_asked_for(share: float, sparse: bool) -> None:
    rng = np.random.default_rng(0)
    dense = (rng.random((200, 12)) * (rng.random((200, 12)) < 0.2)).astype(np.float32)
    nodes = rng.integers(0, int(200 * share), 300).astype(np.int32)
    weight = torch.randn(5, 12, requires_grad=True)
    x = Matrix.from_scipy(scipy.sparse.csr_array(dense)) if sparse else torch.from_numpy(dense)
    found = project_features(x, weight, nodes)
    expected = torch.from_numpy(dense[nodes]) @ weight.T
    assert torch.allclose(found, expected, atol=1e-6)
    scale = torch.randn(300, 5)
    ours, theirs = (torch.autograd.grad((scale * out).sum(), weight)[0] for out in (found, expected))
    assert torch.allclose(ours, theirs, atol=1e-4)


def test_sparse_features_score_as_dense_ones(graph: Graph) -> None:
    x = np.where(np.random.default_rng(0).random((80, 40)) < 0.03, 1.0, 0.0).astype(np.float32)
    sparse = graph.with_attributes(x=scipy.sparse.csr_array(x))
    network, pairs = build(sparse), pairs_of(graph)
    inputs = Inputs.of(sparse)
    assert isinstance(inputs.x, Matrix)
    with torch.no_grad():
        dense = network.decode(network.encode(inputs), Inputs.of(graph, torch.from_numpy(x)), pairs)
    assert torch.allclose(scores(network, sparse, pairs), dense, atol=1e-6)


def test_labels_beyond_the_table_share_its_last_row() -> None:
    path = Graph.from_edges([[i, i + 1] for i in range(30)] + [[30, 0]], x=np.ones((31, 1), np.float32))
    network = build(path, hops=15, num_labels=5)
    assert torch.isfinite(scores(network, path, torch.tensor([[0, 1], [0, 15], [3, 3]]))).all()
