"""What is left when edges or features are dropped, and rates of a wanted mean, against dense and brute-force oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch_geometric")

import scipy.sparse
import torch

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.perturbation_kinds import keep_edges, scale_rows, scale_to_mean
from tests.oracles import graphs


@given(graph=graphs(), seed=st.integers(0, 99), weighted=st.booleans())
def test_graph_adjacency_and_degrees_are_those_of_the_remaining_edges(graph: Graph, seed: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    kept = random.random(graph.num_edges) < 0.6
    weights = random.integers(1, 9, graph.num_edges).astype(np.float32) if weighted else None
    inputs = Inputs.of(graph, torch.ones(graph.num_nodes, 1))
    inputs.derive(lambda whole: whole.num_edges)
    left = keep_edges(inputs, kept, weights)
    dense = np.zeros((graph.num_nodes,) * 2, np.float32)
    for (u, v), weight in zip(
        graph.edges[kept], np.ones(kept.sum()) if weights is None else weights[kept], strict=True
    ):
        dense[u, v] = dense[v, u] = weight
    assert left.graph.edges.tolist() == graph.edges[kept].tolist()
    again = Graph.from_edges(graph.edges[kept], graph.num_nodes)
    assert np.array_equal(left.graph.indptr, again.indptr) and np.array_equal(left.graph.indices, again.indices)
    assert np.array_equal(left.adjacency.multiply(np.eye(graph.num_nodes, dtype=np.float32)), dense)
    assert left.adjacency.transposed is left.adjacency
    assert left.degree.tolist() == dense.sum(axis=1, keepdims=True).tolist()
    assert left._derived == {} and len(inputs._derived) == 1
    assert left.x is inputs.x


def test_rows_are_scaled_whether_features_are_dense_or_sparse() -> None:
    dense = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]], np.float32)
    factors = np.array([0, 2, 3, 0.5], np.float32)
    expected = (dense * factors[:, None]).tolist()
    sparse = Matrix.from_scipy(scipy.sparse.csr_array(dense))
    scaled = scale_rows(sparse, factors)
    assert isinstance(scaled, Matrix)
    assert scale_rows(torch.from_numpy(dense), factors).tolist() == expected
    assert scaled.multiply(np.eye(3, dtype=np.float32)).tolist() == expected
    # Gradients go through the transpose.
    assert scaled.transposed.multiply(np.eye(4, dtype=np.float32)).T.tolist() == expected
    assert sparse.multiply(np.eye(3, dtype=np.float32)).tolist() == dense.tolist()


@given(
    weights=st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30).map(np.array),
    mean=st.floats(0, 0.999),
    largest=st.sampled_from([0.5, 0.9, 1.0]),
)
def test_scaled_rates_have_the_mean_the_bound_and_the_proportions(weights, mean: float, largest: float) -> None:
    rates = scale_to_mean(weights, mean, largest).astype(np.float64)
    assert rates.mean() == pytest.approx(mean, abs=1e-5)
    assert (rates <= max(largest, mean) + 1e-6).all() and (rates >= 0).all()
    free = rates < min(largest, rates.max()) - 1e-6
    if mean < largest and free.any():
        factors = rates[free] / weights[free]
        assert factors == pytest.approx(np.full(free.sum(), factors[0]), rel=1e-4)
        # What is at the bound would be beyond it without.
        assert (factors[0] * weights[~free] >= rates[~free] * (1 - 1e-4)).all()


def test_no_weights_make_no_rates() -> None:
    assert scale_to_mean(np.empty(0), 0.3, 0.5).shape == (0,)
