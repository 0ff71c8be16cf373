"""Aggregation is a product with a sparse matrix, forwards and backwards."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, to_scipy
from edgeorbit.errors import InvalidParameterError
from edgeorbit.pairwise.common_neighbours import common_neighbours
from oracles import graphs

torch = pytest.importorskip("torch")
from edgeorbit.models.neural.rows import sum_rows  # noqa: E402


@given(graph=graphs(), data=st.data())
def test_sums_and_gradients_are_those_of_a_dense_matrix(graph: Graph, data: st.DataObject) -> None:
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    adjacency = torch.from_numpy(to_scipy(graph).toarray().astype(np.float64))
    common = adjacency[pairs[:, 0]] * adjacency[pairs[:, 1]]
    x = torch.randn(graph.num_nodes, 3, dtype=torch.float64, requires_grad=True)
    outer = torch.randn(len(pairs), 3, dtype=torch.float64)
    found = sum_rows(*common_neighbours(graph, pairs), x)
    assert torch.allclose(found, common @ x, rtol=1e-12)
    (gradient,) = torch.autograd.grad(found, x, outer)
    assert gradient.shape == x.shape and torch.allclose(gradient, common.T @ outer, rtol=1e-12)


@given(graph=graphs(), data=st.data())
def test_weighted_sums_and_their_gradients_are_those_of_a_dense_matrix(graph: Graph, data: st.DataObject) -> None:
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    indptr, indices = common_neighbours(graph, pairs)
    weights = np.random.default_rng(0).normal(size=len(indices))
    dense = torch.zeros(len(pairs), graph.num_nodes, dtype=torch.float64)
    for pair, (low, high) in enumerate(pairwise(indptr.tolist())):
        dense[pair, indices[low:high]] = torch.from_numpy(weights[low:high])
    x = torch.randn(graph.num_nodes, 3, dtype=torch.float64, requires_grad=True)
    outer = torch.randn(len(pairs), 3, dtype=torch.float64)
    found = sum_rows(indptr, indices, x, weights)
    assert torch.allclose(found, dense @ x, rtol=1e-12)
    (gradient,) = torch.autograd.grad(found, x, outer)
    assert torch.allclose(gradient, dense.T @ outer, rtol=1e-12)


def test_weights_that_are_too_few_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="a weight for each entry"):
        sum_rows(np.array([0, 2]), np.array([0, 1]), torch.ones(2, 1), np.ones(1))


def test_threads_do_not_change_gradients() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 500, (20_000, 2)), 500)
    lists = common_neighbours(graph, rng.integers(0, 500, (10_000, 2)))
    found, threads = [], torch.get_num_threads()
    for number in (1, 2):
        torch.set_num_threads(number)
        x = torch.randn(500, 64, generator=torch.Generator().manual_seed(0)).requires_grad_()
        (sum_rows(*lists, x) ** 2).sum().backward()
        found.append(x.grad)
    torch.set_num_threads(threads)
    assert torch.equal(*found)


def test_gradients_pass_torchs_own_check() -> None:
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 12, (40, 2)), 12)
    lists = common_neighbours(graph, graph.edges)
    x = torch.randn(12, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda rows: sum_rows(*lists, rows), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_dense_graph_of_many_pairs_agrees_with_scipy(dtype: "torch.dtype") -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 1000, (50_000, 2)), 1000)
    pairs = rng.integers(0, 1000, (20_000, 2))
    adjacency = to_scipy(graph).astype(np.float64)
    product = adjacency[pairs[:, 0]].multiply(adjacency[pairs[:, 1]]).tocsr()
    x = torch.randn(1000, 64, dtype=dtype, requires_grad=True)
    found = sum_rows(*common_neighbours(graph, pairs), x)
    assert found.dtype == dtype
    assert np.allclose(found.detach().numpy(), product @ x.detach().numpy().astype(np.float64), rtol=1e-4, atol=1e-4)
    found.sum().backward()
    assert np.allclose(x.grad.numpy(), np.repeat(product.sum(axis=0)[:, None], 64, axis=1), rtol=1e-5)


def test_rows_may_be_a_view_and_lists_may_be_empty() -> None:
    x = torch.arange(12.0).reshape(3, 4).T.requires_grad_()
    assert sum_rows(np.array([0, 0, 2]), np.array([1, 3]), x).tolist() == [[0, 0, 0], [4, 12, 20]]
    for indptr in ([0], [0, 0, 0]):
        found = sum_rows(np.array(indptr), np.empty(0, np.int32), x)
        assert found.shape == (len(indptr) - 1, 3)
        (gradient,) = torch.autograd.grad(found.sum(), x)
        assert gradient.shape == (4, 3) and not gradient.any()


def test_rows_that_are_missing_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="lists name nodes from 1 to 5, and x has 4 rows"):
        sum_rows(np.array([0, 2]), np.array([1, 5]), torch.zeros(4, 2))
    with pytest.raises(InvalidParameterError, match=r"x has shape \(4,\); give a row per node"):
        sum_rows(np.array([0, 1]), np.array([1]), torch.zeros(4))
