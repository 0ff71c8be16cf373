"""What good recipes for ogbl-ddi are made of: encoders without activations, residual decoders, orthogonal features."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from edgeorbit.data.features import node_features  # noqa: E402
from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.graph.toys import karate  # noqa: E402
from edgeorbit.models import make_model  # noqa: E402
from edgeorbit.models.neural.decoders import DECODERS  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402
from edgeorbit.prediction import LinkPredictor, preparing  # noqa: E402


@pytest.mark.parametrize("name", ["mlp", "gcn", "sage", "mixhop", "chebgcn", "linkx"])
def test_an_encoder_without_activations_is_linear_in_the_features(name: str) -> None:
    graph, random = karate(), np.random.default_rng(0)
    first, second = (random.normal(size=(34, 5)).astype(np.float32) for _ in range(2))
    for is_linear in (True, False):
        model = make_model(name, hidden_channels=8, num_layers=3, layer_norm=False, activation=not is_linear)
        network = model.build(graph.with_attributes(x=first), 0).double().eval()
        with torch.no_grad():
            zero, *parts = (
                network.encode(Inputs.of(graph.with_attributes(x=x)).double())
                for x in (0 * first, first, second, first + second)
            )
        added, together = parts[0] + parts[1] - zero, parts[2]
        assert torch.allclose(added, together, atol=1e-6) == is_linear


def test_hidden_layers_of_the_residual_decoder_add_to_their_input() -> None:
    torch.manual_seed(0)
    decoder, product = DECODERS["residual"](6, 3, 0.5).eval(), torch.randn(9, 6)
    hidden = product
    for layer in decoder.hidden:
        hidden = hidden + (hidden @ layer.weight.T + layer.bias).clamp(min=0)
    assert len(decoder.hidden) == 2
    torch.testing.assert_close(decoder(product), (hidden @ decoder.last.weight.T + decoder.last.bias)[:, 0])


@pytest.mark.parametrize(("num_nodes", "channels"), [(1, 1), (34, 34), (256, 256), (20_000, 256)])
def test_orthogonal_features_are_orthonormal_columns(num_nodes: int, channels: int) -> None:
    graph = Graph.from_edges(np.empty((0, 2), np.int64), num_nodes)
    x = node_features(graph, "orthogonal", seed=3)
    assert x.shape == (num_nodes, channels) and x.dtype == np.float32
    np.testing.assert_allclose(x.astype(np.float64).T @ x, np.eye(channels), atol=1e-5)
    assert np.array_equal(x, node_features(graph, "orthogonal", seed=3))
    if num_nodes > 1:
        assert not np.array_equal(x, node_features(graph, "orthogonal", seed=4))
        assert len(np.unique(x.round(5), axis=0)) == num_nodes


def test_orthogonal_features_reach_the_model_and_nothing_else() -> None:
    with_them, without = (preparing.split("karate", features=mode) for mode in ("orthogonal", "constant"))
    assert with_them.digest == without.digest and with_them.data.x is None
    assert with_them.protocol | {"features": "constant"} == without.protocol
    training = {"epochs": 2, "evaluate_every": 1}
    predictor = LinkPredictor("gcn", settings={"hidden_channels": 4}, training=training, threads=1).fit(with_them)
    assert 0 <= predictor.evaluate("heart")["heart"].test["auc"] <= 1
