"""The parts of NBFNet against plain dense loops, gradients included, and against numbers of walks."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.graph.graph import Graph
from edgeorbit.models.nbfnet import model as module
from edgeorbit.models.nbfnet.messages import add_scales, aggregate_rows
from edgeorbit.models.nbfnet.model import NBFNetNetwork, NBFNetSettings
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix
from tests.oracles import graphs


def make(seed: int = 0, **given) -> NBFNetNetwork:
    torch.manual_seed(seed)
    return NBFNetNetwork(NBFNetSettings(**({"hidden_channels": 4, "num_layers": 3} | given)))


def inputs_of(graph: Graph) -> Inputs:
    return Inputs.of(graph, torch.ones(graph.num_nodes, 1))


def dense_state(network: NBFNetNetwork, graph: Graph, source: int) -> torch.Tensor:
    """All states from one source by the equations of the paper, node by node, in double precision."""
    chosen, query = network.settings, network.query.double()
    neighbours = [[v, *graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()] for v in range(graph.num_nodes)]
    boundary = [query if v == source else torch.zeros_like(query) for v in range(graph.num_nodes)]
    logs = torch.log(torch.tensor([len(one) + 1.0 for one in neighbours], dtype=torch.float64))
    scale = logs / logs.mean()
    states = boundary
    for layer in network.layers:
        new = []
        for v in range(graph.num_nodes):
            messages = torch.stack([states[w] * layer.relation.double() for w in neighbours[v]] + [boundary[v]])
            if chosen.aggregate == "sum":
                seen = messages.sum(dim=0)
            else:
                mean, square = messages.mean(dim=0), messages.square().mean(dim=0)
                deviation = (square - mean**2).clamp(min=1e-6).sqrt()
                plain = torch.cat([mean, messages.max(dim=0)[0], messages.min(dim=0)[0], deviation])
                seen = torch.cat([plain, scale[v] * plain, plain / scale[v].clamp(min=1e-2)])
            out = layer.linear.weight.double() @ torch.cat([states[v], seen]) + layer.linear.bias.double()
            if chosen.layer_norm:
                out = torch.nn.functional.layer_norm(
                    out, out.shape, layer.norm.weight.double(), layer.norm.bias.double()
                )
            out = torch.relu(out)
            new.append(out + states[v] if chosen.shortcut else out)
        states = new
    return torch.stack(states)


def dense_logits(network: NBFNetNetwork, graph: Graph, pairs: list[list[int]]) -> torch.Tensor:
    final = [(part.weight.double(), part.bias.double()) for part in (network.final[0], network.final[2])]
    logits = []
    for u, v in pairs:
        mean = (dense_state(network, graph, u)[v] + dense_state(network, graph, v)[u]) / 2
        hidden = torch.relu(final[0][0] @ torch.cat([mean, network.query.double()]) + final[0][1])
        logits.append((final[1][0] @ hidden + final[1][1]).squeeze())
    return torch.stack(logits)


@pytest.mark.parametrize("aggregate", ["pna", "sum"])
@pytest.mark.parametrize("plain", [False, True])
@settings(deadline=None, max_examples=15)
@given(graph=graphs(max_nodes=9, max_pairs=12), seed=st.integers(0, 99))
def test_scores_are_those_of_the_equations(aggregate: str, plain: bool, graph: Graph, seed: int) -> None:
    if graph.num_nodes == 0:
        return
    network = make(seed, aggregate=aggregate, layer_norm=not plain, shortcut=not plain)
    pairs = np.random.default_rng(seed).integers(0, graph.num_nodes, (5, 2))
    found = network.decode(torch.empty(0), inputs_of(graph), torch.from_numpy(pairs))
    assert torch.allclose(found.double(), dense_logits(network, graph, pairs.tolist()), rtol=1e-3, atol=1e-4)


LADDER = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0], [1, 4], [4, 5], [5, 6], [2, 7], [7, 5]], 9)
PAIRS = [[0, 5], [1, 6], [3, 3], [8, 0], [5, 0], [2, 4]]


@pytest.mark.parametrize("aggregate", ["pna", "sum"])
@pytest.mark.parametrize("chunk", [1 << 29, 1])
def test_gradients_are_those_of_the_equations_in_one_chunk_and_in_many(aggregate, chunk, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", chunk)
    network = make(1, aggregate=aggregate, hidden_channels=8)
    flow = torch.tensor([1.0, -2.0, 0.5, 3.0, -1.5, 2.5])
    found = network.decode(torch.empty(0), inputs_of(LADDER), torch.tensor(PAIRS))
    expected = dense_logits(network, LADDER, PAIRS)
    here = torch.autograd.grad((found * flow).sum(), list(network.parameters()))
    there = torch.autograd.grad((expected * flow.double()).sum(), list(network.parameters()))
    for (name, _), one, other in zip(network.named_parameters(), here, there, strict=True):
        assert other.abs().max() > 1e-4, name
        assert torch.allclose(one, other, rtol=1e-2, atol=1e-3 * float(other.abs().max())), name


@given(graph=graphs(), length=st.integers(1, 5), source=st.integers(0, 19), target=st.integers(0, 19))
def test_with_weights_of_one_and_sums_the_state_is_the_number_of_walks(graph, length, source, target) -> None:
    """From the source a walk starts at every iteration, and may stay where it is: the sum of powers of A + I."""
    if graph.num_nodes == 0:
        return
    source, target = source % graph.num_nodes, target % graph.num_nodes
    network = make(aggregate="sum", hidden_channels=1, num_layers=length, layer_norm=False, shortcut=False)
    with torch.no_grad():
        network.query.fill_(1)
        for layer in network.layers:
            layer.relation.fill_(1)
            layer.linear.weight.copy_(torch.tensor([[0.0, 1.0]]))  # the messages alone
            layer.linear.bias.zero_()
        found = network.reach(inputs_of(graph), torch.tensor([[source, target]]))
    looped = np.eye(graph.num_nodes)
    looped[graph.edges[:, 0], graph.edges[:, 1]] = looped[graph.edges[:, 1], graph.edges[:, 0]] = 1
    walks = sum(np.linalg.matrix_power(looped, power)[source, target] for power in range(length + 1))
    assert found.item() == pytest.approx(walks, rel=1e-5)


@given(seed=st.integers(0, 999))
def test_statistics_and_their_gradients_are_those_of_torch(seed: int) -> None:
    draw = np.random.default_rng(seed)
    mask = draw.random((7, 5)) < 0.5
    mask[np.arange(7), draw.integers(0, 5, 7)] = True  # no empty row
    # A quarter apart, and none of them 0: equal messages share a gradient otherwise, and nearly equal ones cancel out.
    values = torch.from_numpy((draw.permutation(18).reshape(6, 3) / 4 - 2.1).astype(np.float32))
    x, query = values[:5].clone(), values[5].clone()
    is_source, share = draw.random(7) < 0.5, (1 / (mask.sum(axis=1) + 1)).astype(np.float32)
    given = x.requires_grad_(), query.requires_grad_()
    found = aggregate_rows(Matrix.from_scipy(scipy.sparse.csr_array(mask.astype(np.float32))), *given, is_source, share)
    expected = []
    for row, source in zip(mask, is_source, strict=True):
        messages = torch.cat([x[torch.from_numpy(np.flatnonzero(row))], (query * bool(source))[None]]).double()
        deviation = messages.var(dim=0, unbiased=False).clamp(min=1e-6).sqrt()
        expected.append(torch.cat([messages.mean(dim=0), messages.amax(dim=0), messages.amin(dim=0), deviation]))
    assert torch.allclose(found.double(), torch.stack(expected), atol=1e-4)
    flow = torch.from_numpy(draw.standard_normal((7, 12)))
    for here, there in zip(
        torch.autograd.grad((found * flow.float()).sum(), given),
        torch.autograd.grad((torch.stack(expected) * flow).sum(), given),
        strict=True,
    ):
        assert torch.allclose(here, there, atol=1e-3)


def test_equal_messages_have_the_smallest_deviation_and_no_gradient_through_it() -> None:
    matrix = Matrix.from_scipy(scipy.sparse.csr_array(np.ones((1, 3), np.float32)))
    x = torch.zeros(3, 2, requires_grad=True)
    found = aggregate_rows(matrix, x, torch.ones(2), np.array([False]), np.array([0.25], np.float32))
    assert found.tolist() == [[*[0.0] * 6, *[pytest.approx(1e-3)] * 2]]
    (gradient,) = torch.autograd.grad(found[:, 6:].sum(), x)
    assert not gradient.any()


@given(seed=st.integers(0, 999))
def test_scaled_parts_and_their_gradients_are_those_of_torch(seed: int) -> None:
    draw = np.random.default_rng(seed)
    base, mapped, flow = (torch.from_numpy(draw.standard_normal((6, w)).astype(np.float32)) for w in (2, 6, 2))
    scale = draw.choice([0.0, 0.005, 0.5, 1.0, 3.0], 6).astype(np.float32)
    given, column = (base.requires_grad_(), mapped.requires_grad_()), torch.from_numpy(scale)[:, None]
    plain, times, over = mapped.split(2, dim=1)
    expected = base + plain + column * times + over / column.clamp(min=0.01)
    found = add_scales(*given, scale)
    assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
    for here, there in zip(*(torch.autograd.grad((one * flow).sum(), given) for one in (found, expected)), strict=True):
        assert torch.allclose(here, there, rtol=1e-4, atol=1e-4)


def test_a_large_graph_is_scored_the_same_in_one_chunk_and_in_many_and_by_any_number_of_threads(
    data_dir, monkeypatch
) -> None:
    graph = load_graph("cora", data_dir=data_dir)
    network, inputs = make(hidden_channels=8, num_layers=6), inputs_of(graph)
    drawn = np.random.default_rng(0).integers(0, graph.num_nodes, (60, 2))
    pairs = torch.from_numpy(np.concatenate([graph.edges[:60], drawn]).astype(np.int64))
    before = torch.get_num_threads()
    results = []
    for chunk, threads in ((1 << 29, 1), (1 << 29, 2), (1 << 17, 1)):
        monkeypatch.setattr(module, "CHUNK_BYTES", chunk)
        torch.set_num_threads(threads)
        with torch.no_grad():
            results.append(network.decode(torch.empty(0), inputs, pairs))
    torch.set_num_threads(before)
    assert torch.allclose(results[0], results[1], rtol=1e-5, atol=1e-6)
    assert torch.allclose(results[0], results[2], rtol=1e-5, atol=1e-6)
    assert results[0].std() > 1e-4
