"""Attention is a softmax over neighbours, whatever the logits, however many threads and edges there are."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from edgeorbit import Graph  # noqa: E402
from edgeorbit.models.neural.attention import attend  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402


def large_graph() -> Graph:
    """A graph with a hub that every tenth node is joined to, and isolated nodes."""
    edges = np.random.default_rng(0).integers(0, 4000, (20000, 2))
    hub = np.stack([np.zeros(400, np.int64), np.arange(0, 4000, 10)], axis=1)
    graph = Graph.from_edges(np.concatenate([edges, hub]), 4100)
    return graph.with_attributes(x=np.ones((4100, 1), np.float32))


def test_threads_change_neither_means_nor_gradients_of_a_large_graph() -> None:
    inputs = Inputs.of(large_graph())
    torch.manual_seed(0)
    given = [torch.randn(4100, 64), torch.randn(4100, 4), torch.randn(4100, 4)]
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            tensors = [tensor.clone().requires_grad_() for tensor in given]
            out = attend(inputs.adjacency, *tensors, 0.2)
            out.backward(given[0].flip(0))
            found.append([out.detach(), *(tensor.grad for tensor in tensors)])
    finally:
        torch.set_num_threads(before)
    for other in found[1:]:
        # The sum of a gradient over channels is PyTorch's, in lanes of its own; the others are ours.
        assert all(torch.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(found[0], other, strict=True))
        assert torch.equal(found[0][0], other[0]) and torch.equal(found[0][1], other[1])


def test_gradients_are_those_of_a_dense_softmax() -> None:
    graph = Graph.from_edges(np.random.default_rng(1).integers(0, 60, (150, 2)), 65)
    inputs = Inputs.of(graph.with_attributes(x=np.ones((65, 1), np.float32)))
    torch.manual_seed(0)
    given = [torch.randn(65, 11), torch.randn(65, 1), torch.randn(65, 1)]  # a width that is no multiple of the lanes
    seen = torch.eye(65, dtype=torch.bool)
    seen[tuple(torch.from_numpy(graph.edge_index))] = True
    flow, grads = torch.randn(65, 11), []
    for dense in (False, True):
        x, source, target = (tensor.clone().requires_grad_() for tensor in given)
        if dense:
            logits = torch.nn.functional.leaky_relu(source.T + target, 0.3).masked_fill(~seen, -torch.inf)
            out = logits.softmax(dim=1) @ x
        else:
            out = attend(inputs.adjacency, x, source, target, 0.3)
        out.backward(flow)
        grads.append((out, x.grad, source.grad, target.grad))
    assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(*grads, strict=True))


@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_large_logits_do_not_overflow(shift: float) -> None:
    graph = large_graph()
    inputs = Inputs.of(graph)
    x = torch.arange(4100.0)[:, None].requires_grad_()
    out = attend(inputs.adjacency, x, torch.full((4100, 1), shift), torch.zeros(4100, 1), 0.2)
    out.sum().backward()
    near = [*graph.neighbours(7).tolist(), 7]
    assert out[7].item() == pytest.approx(np.mean(near), rel=1e-5)
    assert torch.isfinite(out).all() and torch.isfinite(x.grad).all()
    assert out[4099].item() == 4099  # an isolated node looks at itself alone


def test_every_gradient_of_the_values_is_shared_out_completely() -> None:
    inputs = Inputs.of(large_graph())
    x = torch.zeros(4100, 8, requires_grad=True)
    out = attend(inputs.adjacency, x, torch.randn(4100, 2), torch.randn(4100, 2), 0.2)
    out.sum().backward()
    assert x.grad.sum(dim=0).tolist() == pytest.approx([4100.0] * 8, rel=1e-4)
