"""What makes training steps quick gives what PyTorch gives: products of pairs, and dropout."""

import pytest

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.models.neural.decoders import pair_product
from edgeorbit.models.neural.dropout import Dropout, dropout


@pytest.mark.parametrize(("nodes", "pairs", "channels"), [(1, 3, 1), (7, 0, 4), (9, 40, 5), (3000, 40_000, 256)])
def test_products_of_pairs_and_their_gradients_are_those_of_indexing(nodes: int, pairs: int, channels: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(nodes, channels, requires_grad=True)
    chosen, flow = torch.randint(nodes, (pairs, 2)), torch.randn(pairs, channels)
    found, expected = pair_product(x, chosen), x[chosen[:, 0]] * x[chosen[:, 1]]
    assert torch.equal(found, expected)
    ours, theirs = (torch.autograd.grad(one, x, flow)[0] for one in (found, expected))
    assert torch.allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_dropout_drops_its_share_and_keeps_the_mean() -> None:
    torch.manual_seed(0)
    out = dropout(torch.ones(1001, 999), 0.3, training=True)
    assert (out == 0).float().mean().item() == pytest.approx(0.3, abs=0.002)
    assert out.mean().item() == pytest.approx(1, abs=0.004)
    assert abs(torch.corrcoef(out[:, :2].T)[0, 1]) < 0.1


def test_dropout_follows_the_generator_and_drops_gradients_with_values() -> None:
    x = torch.ones(50, 7, requires_grad=True)
    torch.manual_seed(5)
    first = dropout(x, 0.5, training=True)
    torch.manual_seed(5)
    assert torch.equal(first, dropout(x, 0.5, training=True))
    assert not torch.equal(first, dropout(x, 0.5, training=True))
    first.sum().backward()
    assert torch.equal(x.grad, first.detach())


def test_nothing_is_dropped_in_use_or_at_rate_0_and_all_at_rate_1() -> None:
    x = torch.randn(4, 4)
    assert Dropout(0.5).eval()(x) is x and dropout(x, 0.0, training=True) is x
    assert (dropout(x, 1.0, training=True) == 0).all()
