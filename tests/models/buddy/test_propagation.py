"""Propagated features, against PyTorch Geometric and dense matrices."""

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("torch_geometric")
import torch
from torch_geometric.nn import GCNConv

from edgeorbit.graph.graph import Graph
from edgeorbit.models.buddy import SIGN, Propagated
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix


def some_inputs(sparse: bool = False) -> Inputs:
    """A graph with an isolated node, and features of 30 channels."""
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 39, (80, 2)), 40)
    x = generator.random((40, 30)) * (generator.random((40, 30)) < 0.04)
    given = scipy.sparse.csr_array(x) if sparse else x.astype(np.float32) + np.eye(40, 30, dtype=np.float32)
    inputs = Inputs.of(graph.with_attributes(x=given))
    assert isinstance(inputs.x, Matrix) == sparse
    return inputs


def edge_index(graph: Graph) -> torch.Tensor:
    return torch.from_numpy(np.concatenate([graph.edges, graph.edges[:, ::-1]]).astype(np.int64).T.copy())


def dense_average(graph: Graph) -> torch.Tensor:
    adjacency = np.eye(graph.num_nodes)
    adjacency[tuple(graph.edges.T)] = adjacency[tuple(graph.edges[:, ::-1].T)] = 1
    scale = adjacency.sum(axis=0) ** -0.5
    return torch.from_numpy(scale[:, None] * adjacency * scale).float()


def dense_features(inputs: Inputs) -> torch.Tensor:
    x = inputs.x
    return torch.from_numpy(x.multiply(np.eye(30, dtype=np.float32))) if isinstance(x, Matrix) else x


@pytest.mark.parametrize("sparse", [False, True])
def test_one_step_is_that_of_pytorch_geometrics_gcn_with_its_gradients(sparse: bool) -> None:
    inputs, ours, theirs = some_inputs(sparse), Propagated(30, 7), GCNConv(30, 7)
    with torch.no_grad():
        theirs.lin.weight.copy_(ours.map.weight)
        ours.bias.uniform_()
        theirs.bias.copy_(ours.bias)
    found, expected = ours(inputs), theirs(dense_features(inputs), edge_index(inputs.graph))
    assert torch.allclose(found, expected, atol=1e-6)
    weights = torch.rand(found.shape)
    (found * weights).sum().backward()
    (expected * weights).sum().backward()
    assert torch.allclose(ours.map.weight.grad, theirs.lin.weight.grad, atol=1e-5)
    assert torch.allclose(ours.bias.grad, theirs.bias.grad, atol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_sign_sees_every_power_as_dense_matrices_have_it(sparse: bool) -> None:
    inputs, sign = some_inputs(sparse), SIGN(30, 7, steps=3, rate=0.0)
    average = dense_average(inputs.graph)
    powers = [dense_features(inputs) @ sign.map.weight.T]
    for _ in range(3):
        powers.append(average @ powers[-1])
    parts = [torch.relu(norm(layer(x))) for x, layer, norm in zip(powers, sign.layers, sign.norms, strict=True)]
    expected = sign.final(torch.cat(parts, dim=1))
    found = sign(inputs)
    assert torch.allclose(found, expected, atol=1e-4)
    weights = torch.rand(found.shape)
    there, back = (torch.autograd.grad((out * weights).sum(), list(sign.parameters())) for out in (found, expected))
    for one, other in zip(there, back, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def test_identity_features_are_a_learned_embedding_that_is_propagated() -> None:
    graph = some_inputs().graph
    inputs = Inputs.of(graph.with_attributes(x=scipy.sparse.eye_array(40, format="csr")))
    ours, sign = Propagated(40, 5), SIGN(40, 5, steps=2, rate=0.0)
    assert torch.allclose(ours(inputs), dense_average(graph) @ ours.map.weight.T, atol=1e-6)
    assert torch.equal(sign.map(inputs.x), sign.map.weight.T)
    sign(inputs).square().sum().backward()
    assert (sign.map.weight.grad.abs().sum(dim=0) > 0).all()  # every node learns


def test_a_graph_without_edges_leaves_features_as_they_are() -> None:
    x = np.random.default_rng(0).random((4, 4), np.float32)
    ours = Propagated(4, 3)
    inputs = Inputs.of(Graph.empty(4).with_attributes(x=x))
    assert torch.allclose(ours(inputs), torch.from_numpy(x) @ ours.map.weight.T)
