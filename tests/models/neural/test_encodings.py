"""Encodings in a network: computed once, saved with the weights, and random where they should be."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from edgeorbit import Graph  # noqa: E402
from edgeorbit.errors import InvalidParameterError  # noqa: E402
from edgeorbit.models.encoded_gcn import FlippedEncoding, RandomEncoding, StoredEncoding  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402


def inputs(num_nodes: int) -> Inputs:
    return Inputs.of(Graph.empty(num_nodes).with_attributes(x=np.ones((num_nodes, 1), np.float32)))


class Counted:
    """Computes an encoding of five nodes, and counts how often."""

    calls = 0

    def __call__(self) -> np.ndarray:
        self.calls += 1
        return np.arange(1, 16, dtype=np.float32).reshape(5, 3)


def test_a_stored_encoding_is_computed_when_it_is_needed_and_once() -> None:
    compute = Counted()
    encoding = StoredEncoding(5, 3, compute)
    assert compute.calls == 0
    assert torch.equal(encoding(inputs(5)), torch.from_numpy(Counted()()))
    assert torch.equal(encoding.state_dict()["values"], encoding(inputs(5)))
    assert compute.calls == 1


def test_a_stored_encoding_is_scaled_once() -> None:
    encoding = StoredEncoding(5, 3, Counted(), scale=0.5)
    saved = encoding.state_dict()
    assert torch.equal(encoding(inputs(5)), torch.from_numpy(Counted()()) / 2)
    other = StoredEncoding(5, 3, Counted(), scale=0.5)
    other.load_state_dict(saved)
    assert torch.equal(other(inputs(5)), encoding(inputs(5)))


def test_saving_computes_and_loading_does_not() -> None:
    first, second = Counted(), Counted()
    saved = torch.nn.Sequential(StoredEncoding(5, 3, first)).state_dict()
    assert first.calls == 1 and saved["0.values"][4, 2] == 15
    network = torch.nn.Sequential(StoredEncoding(5, 3, second))
    network.load_state_dict({"0.values": 2 * saved["0.values"]})
    assert network(inputs(5))[4, 2] == 30 and network.state_dict()["0.values"][4, 2] == 30
    assert second.calls == 0


def test_a_stored_encoding_refuses_other_nodes() -> None:
    with pytest.raises(InvalidParameterError, match="has 6 nodes and the encoding belongs to 5; give the graph"):
        StoredEncoding(5, 3, Counted())(inputs(6))


def test_signs_are_drawn_in_training_alone_and_by_channel() -> None:
    encoding, plain = FlippedEncoding(5, 3, Counted()), torch.from_numpy(Counted()())
    torch.manual_seed(0)
    drawn = set()
    for _ in range(60):
        signs = encoding.train()(inputs(5)) / plain
        assert torch.equal(signs, signs[:1].expand(5, 3))
        drawn.add(tuple(signs[0].tolist()))
    assert len(drawn) == 8  # every combination
    assert torch.equal(encoding.eval()(inputs(5)), plain)
    assert torch.equal(encoding.values, plain)


def test_random_features_are_new_in_training_and_otherwise_the_same() -> None:
    encoding, other = RandomEncoding(64, seed=1), RandomEncoding(64, seed=2)
    assert not torch.equal(encoding(inputs(500)), encoding(inputs(500)))
    fixed = encoding.eval()(inputs(500))
    assert torch.equal(fixed, encoding(inputs(500))) and not torch.equal(fixed, other.eval()(inputs(500)))
    other.load_state_dict(encoding.state_dict())
    assert torch.equal(fixed, other(inputs(500)))
    assert encoding(inputs(7)).shape == (7, 64)  # they belong to no graph


@pytest.mark.parametrize("training", [True, False])
def test_random_features_have_mean_0_and_variance_1(training: bool) -> None:
    torch.manual_seed(0)
    found = RandomEncoding(64, seed=3).train(training)(inputs(5000))
    assert found.mean().item() == pytest.approx(0, abs=0.01) and found.var().item() == pytest.approx(1, abs=0.01)
    assert found.dtype == torch.float32
