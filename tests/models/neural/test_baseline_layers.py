"""The layers of the baselines are PyTorch Geometric's, in both directions, on dense and on sparse features."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import graphs

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric.nn import LINKX, ChebConv, GATConv, GCNConv, GINConv, MixHopConv  # noqa: E402

from edgeorbit import Graph  # noqa: E402
from edgeorbit.errors import InvalidParameterError  # noqa: E402
from edgeorbit.models.encoders import (  # noqa: E402
    ChebLayer,
    GATLayer,
    GCNLayer,
    GINLayer,
    Joined,
    LINKXEncoder,
    MixHopLayer,
)
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402
from edgeorbit.models.neural.product import Matrix  # noqa: E402


def pair(kind: str, size: int):
    """Our layer from 7 channels, and PyG's with the same weights; biases are not zero, as they are at first."""
    match kind:
        case "gat":
            ours, theirs = GATLayer(7, 4 * size, heads=size), GATConv(7, 4, heads=size)
        case "gin":
            ours = GINLayer(7, 5, inner_norm=size > 1)
            theirs = GINConv(copy.deepcopy(ours.nn))
        case "mixhop":
            ours, theirs = MixHopLayer(7, 3 * (size + 1), hops=size), MixHopConv(7, 3, powers=list(range(size + 1)))
        case "cheb":
            ours, theirs = ChebLayer(7, 6, K=size), ChebConv(7, 6, K=size)
    torch.nn.init.normal_(dict(ours.named_parameters()).get("bias", torch.empty(1)))
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


@pytest.mark.parametrize("kind", ["gat", "gin", "mixhop", "cheb"])
@given(graph=graphs(), size=st.integers(1, 5), sparse=st.booleans(), scale=st.sampled_from([1.0, 30.0]))
@settings(max_examples=40)
def test_a_layer_and_its_gradients_are_those_of_pytorch_geometric(kind, graph, size, sparse, scale) -> None:
    x = scale * (np.random.default_rng(0).random((graph.num_nodes, 7), np.float32) - np.float32(0.5))
    if sparse:
        x *= np.random.default_rng(1).random(x.shape) < 0.04
    inputs = Inputs.of(graph.with_attributes(x=x.astype(np.float32)))
    ours, theirs = pair(kind, size)
    dense = torch.from_numpy(x.astype(np.float32)).requires_grad_()
    own = inputs.x if isinstance(inputs.x, Matrix) else inputs.x.clone().requires_grad_()
    out, expected = ours(own, inputs), theirs(dense, torch.from_numpy(graph.edge_index))
    assert torch.allclose(out, expected, rtol=1e-4, atol=1e-5 * scale)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(0))
    for result in (out, expected):
        (result * weight).sum().backward()
    wanted = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert torch.allclose(parameter.grad, wanted[name].grad, rtol=1e-3, atol=1e-4 * scale), name
    if not isinstance(own, Matrix):
        assert torch.allclose(own.grad, dense.grad, rtol=1e-3, atol=1e-4 * scale)


@pytest.mark.parametrize(("channels", "hops", "widths"), [(256, 2, [86, 85, 85]), (64, 3, [16] * 4), (5, 2, [2, 2, 1])])
def test_mixhop_shares_out_all_channels(channels: int, hops: int, widths: list[int]) -> None:
    assert MixHopLayer(3, channels, hops).widths == widths
    assert sum(widths) == channels


@given(graphs(), st.integers(1, 3), st.booleans())
@settings(max_examples=30)
def test_the_encoder_of_linkx_is_the_model_of_pytorch_geometric(graph: Graph, num_layers: int, sparse: bool) -> None:
    x = np.random.default_rng(0).random((graph.num_nodes, 7), np.float32)
    if sparse:
        x *= np.random.default_rng(1).random(x.shape) < 0.04
    inputs = Inputs.of(graph.with_attributes(x=x))
    ours = LINKXEncoder(7, 5, num_layers, 0.0, False, num_nodes=graph.num_nodes).eval()
    theirs = LINKX(graph.num_nodes, 7, 5, 5, num_layers).eval()  # its batch norm changes nothing before training
    names = {"layers.0.node_lin": "node_mlp.lins.0", "layers.0": ""} | {
        f"layers.{i + 1}": f"final_mlp.lins.{i}" for i in range(num_layers)
    }
    state = theirs.state_dict()
    for name, value in ours.state_dict().items():
        start = next(start for start in names if name.startswith(start))
        key = (names[start] + name.removeprefix(start)).removeprefix(".")
        assert state[key].shape == value.shape
        state[key] = value
    theirs.load_state_dict(state)
    expected = theirs(torch.from_numpy(x), torch.from_numpy(graph.edge_index))
    assert torch.allclose(ours(inputs), expected, rtol=1e-3, atol=1e-4)


def test_the_weights_of_linkx_belong_to_as_many_nodes() -> None:
    inputs = Inputs.of(Graph.empty(4).with_attributes(x=np.ones((4, 2), np.float32)))
    with pytest.raises(InvalidParameterError, match="has 4 nodes and the weights belong to 3"):
        LINKXEncoder(2, 5, 1, 0.0, False, num_nodes=3)(inputs)


@given(graphs(), st.booleans())
@settings(max_examples=30)
def test_joined_features_are_features_side_by_side(graph: Graph, sparse: bool) -> None:
    x = np.random.default_rng(0).random((graph.num_nodes, 7), np.float32)
    if sparse:
        x *= np.random.default_rng(1).random(x.shape) < 0.04
    inputs, encoding = Inputs.of(graph.with_attributes(x=x)), torch.randn(graph.num_nodes, 3)
    ours, theirs = GCNLayer(10, 4), GCNConv(10, 4)
    theirs.load_state_dict(ours.state_dict())
    expected = theirs(torch.cat([torch.from_numpy(x), encoding], dim=1), torch.from_numpy(graph.edge_index))
    found = ours(Joined(inputs.x, encoding), inputs)
    assert torch.allclose(found, expected, atol=1e-5)
    for result in (found, expected):
        result.pow(2).sum().backward()
    assert torch.allclose(ours.lin.weight.grad, theirs.lin.weight.grad, rtol=1e-3, atol=1e-4)
