"""Our sparse product is scipy's, our layers are PyTorch Geometric's, and gradients are those of dense products."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import graphs

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric.nn import GCNConv, SAGEConv  # noqa: E402

from edgeorbit import Graph  # noqa: E402
from edgeorbit.errors import InvalidParameterError  # noqa: E402
from edgeorbit.models.encoders import GCNLayer, SAGELayer  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs, prepare_features  # noqa: E402
from edgeorbit.models.neural.product import Matrix, multiply  # noqa: E402


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 9), st.floats(0, 1), st.integers(0, 9))
@settings(max_examples=80)
def test_the_product_and_its_gradient_are_those_of_dense_matrices(rows, columns, width, density, seed) -> None:
    matrix = scipy.sparse.random_array((rows, columns), density=density, rng=seed, format="csr").astype(np.float32)
    dense = torch.randn(columns, width, requires_grad=True)
    product = multiply(Matrix.from_scipy(matrix), dense)
    weight = torch.randn(rows, width)
    (product * weight).sum().backward()
    whole = torch.from_numpy(matrix.toarray())
    assert torch.allclose(product, whole @ dense, atol=1e-5)
    assert torch.allclose(dense.grad, whole.T @ weight, atol=1e-5)


def test_threads_do_not_change_a_large_product() -> None:
    matrix = Matrix.from_scipy(scipy.sparse.random_array((5000, 3000), density=0.01, rng=0))
    dense = np.random.default_rng(0).random((3000, 64), np.float32)
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            found.append(matrix.multiply(dense))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


@given(graphs(), st.booleans(), st.integers(1, 12))
@settings(max_examples=60)
def test_layers_are_those_of_pytorch_geometric(graph: Graph, sparse: bool, out_channels: int) -> None:
    x = np.random.default_rng(0).random((graph.num_nodes, 7), np.float32)
    if sparse:
        x *= np.random.default_rng(1).random(x.shape) < 0.04
    inputs = Inputs.of(graph.with_attributes(x=x))
    assert isinstance(inputs.x, Matrix) == (np.count_nonzero(x) / x.size < 0.05)
    edge_index, features = torch.from_numpy(graph.edge_index), torch.from_numpy(x)
    ours, theirs = GCNLayer(7, out_channels), GCNConv(7, out_channels)
    theirs.load_state_dict(ours.state_dict())
    assert torch.allclose(ours(inputs.x, inputs), theirs(features, edge_index), atol=1e-5)
    ours, theirs = SAGELayer(7, out_channels), SAGEConv(7, out_channels)
    theirs.load_state_dict(ours.state_dict())
    assert torch.allclose(ours(inputs.x, inputs), theirs(features, edge_index), atol=1e-5)


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        (None, "has no features"),
        (np.array([[1.0], [np.nan]]), "NaN or infinite"),
        (np.array([["a"], ["b"]]), "are numbers, not"),
        (np.ones(2), "have shape"),
    ],
)
def test_features_that_cannot_be_used_get_one_sentence(x, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        prepare_features(Graph.from_edges([[0, 1]]).with_attributes(x=x))
