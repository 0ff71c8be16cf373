"""Weighted overlaps of rows and their gradients, against dense products."""

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise import overlaps
from edgeorbit.pairwise.overlaps import sum_overlaps, walk_rows
from tests.oracles import graphs


def dense_rows(graph: Graph, hops: int, beta: float) -> torch.Tensor:
    adjacency = np.zeros((graph.num_nodes,) * 2)
    adjacency[graph.edges[:, 0], graph.edges[:, 1]] = adjacency[graph.edges[:, 1], graph.edges[:, 0]] = 1
    powers = [beta**step * np.linalg.matrix_power(adjacency, step + 1) for step in range(hops)]
    return torch.from_numpy(np.sum(powers, axis=0))


@given(graph=graphs(), hops=st.integers(1, 3), seed=st.integers(0, 99))
def test_all_pairs_and_their_gradients_are_those_of_the_dense_product(graph: Graph, hops: int, seed: int) -> None:
    if graph.num_nodes == 0:
        return
    draw = np.random.default_rng(seed)
    pairs = torch.from_numpy(draw.permutation(np.argwhere(np.ones((graph.num_nodes,) * 2))))
    rows, dense = walk_rows(graph, hops=hops, beta=0.5), dense_rows(graph, hops, 0.5)
    weight = torch.from_numpy(draw.standard_normal(graph.num_nodes)).requires_grad_()
    flow = torch.from_numpy(draw.standard_normal(len(pairs)))
    found, expected = sum_overlaps(rows, pairs, weight), ((dense * weight) @ dense.T)[pairs[:, 0], pairs[:, 1]]
    assert torch.allclose(found, expected)
    assert torch.equal(found, sum_overlaps(rows, pairs.flip(1), weight))
    there, here = (torch.autograd.grad((sums * flow).sum(), weight)[0] for sums in (found, expected))
    assert torch.allclose(there, here)


def test_pairs_of_a_real_graph_are_those_of_scipy_however_many_threads_there_are(data_dir, monkeypatch) -> None:
    import scipy.sparse

    graph = load_graph("pubmed", data_dir=data_dir)
    rows = walk_rows(graph)
    matrix = scipy.sparse.csr_array((rows.values.astype(float), rows.indices, rows.indptr))
    pairs = np.concatenate([graph.edges, np.random.default_rng(0).integers(0, graph.num_nodes, (5000, 2))])
    weight = np.random.default_rng(1).random(graph.num_nodes)
    expected = (matrix[pairs[:, 0]].multiply(matrix[pairs[:, 1]]) @ weight).ravel()
    results = []
    for threads in (1, 3):
        monkeypatch.setattr(overlaps, "_threads", lambda entries, count=threads: count)
        variable = torch.from_numpy(weight).requires_grad_()
        found = sum_overlaps(rows, torch.from_numpy(pairs.astype(np.int64)), variable)
        found.square().sum().backward()
        results.append((found.detach(), variable.grad))
    assert np.allclose(results[0][0].numpy(), expected)
    assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])


def test_no_pairs_have_no_overlaps_but_a_gradient() -> None:
    weight = torch.ones(3, requires_grad=True)
    found = sum_overlaps(walk_rows(Graph.from_edges([[0, 1]], 3)), torch.empty(0, 2, dtype=torch.int64), weight)
    assert found.shape == (0,)
    found.sum().backward()
    assert weight.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("pairs", "nodes", "said"), [([[0, 3]], 3, "nodes from 0 to 3"), ([[0, 1]], 2, "3 nodes")])
def test_bad_input_is_told(pairs, nodes, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        sum_overlaps(walk_rows(Graph.empty(3)), torch.tensor(pairs), torch.ones(nodes))
