"""What networks do on other devices than the processor is what they do there: the same code, run without a GPU.

Two things stand in for one. PyTorch's path is forced on the processor, and must give what our kernels give. And a step
is made on the device `meta`, which has shapes but no numbers: whatever is left in the memory of the processor, or goes
through numpy, is an error there.
"""

from collections.abc import Iterator
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import scipy.sparse  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.models import MODELS, make_model, resolve_model  # noqa: E402
from edgeorbit.models.neo_gnn import sum_listed_overlaps  # noqa: E402
from edgeorbit.models.neural import device  # noqa: E402
from edgeorbit.models.neural.attention import attend  # noqa: E402
from edgeorbit.models.neural.decoders import pair_product  # noqa: E402
from edgeorbit.models.neural.dropout import dropout  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402
from edgeorbit.models.neural.product import Matrix, multiply  # noqa: E402
from edgeorbit.models.neural.reach import restrict  # noqa: E402
from edgeorbit.models.neural.rows import sum_rows, sum_segments  # noqa: E402
from edgeorbit.models.perturbations import PERTURBATIONS, make_perturbation  # noqa: E402
from edgeorbit.pairwise.overlaps import (  # noqa: E402
    sum_overlaps,
    walk_rows,
)
from edgeorbit.synthetic import make  # noqa: E402
from edgeorbit.training.losses import cross_entropy  # noqa: E402
from edgeorbit.training.settings import TrainingSettings, training_class  # noqa: E402

META = torch.device("meta")
MOVABLE = [name for name in MODELS if resolve_model(name).runs_on_gpu]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"hidden_channels": 8}) for name in MOVABLE),
    ("gcn", {"hidden_channels": 8, "num_layers": 3, "decoder": "dot"}),
    ("gat", {"hidden_channels": 8, "num_layers": 2}),
    ("ncn", {"hidden_channels": 8, "edge_dropout": 0.4, "convolution": "sum"}),
    ("ncnc", {"hidden_channels": 8, "depth": 2, "completed": 2}),
    ("buddy", {"hidden_channels": 8, "sign_k": 2}),
    ("neo-gnn", {"hidden_channels": 8, "hops": 1}),
]


@pytest.fixture(scope="module", params=["dense", "sparse"])
def graph(request) -> Graph:
    """Two joined copies of the karate club and two nodes without links, with features of either sort."""
    made, random = make("syn-karate", edges=3), np.random.default_rng(0)
    wider = Graph.from_edges(made.edges, num_nodes=made.num_nodes + 2)
    if request.param == "dense":
        return wider.with_attributes(x=random.random((wider.num_nodes, 5), np.float32))
    return wider.with_attributes(x=(random.random((wider.num_nodes, 100)) < 0.03).astype(np.float32))


@pytest.fixture
def elsewhere(monkeypatch) -> Iterator[Any]:
    """Takes all tensors to be on another device from when it is called."""
    return lambda: monkeypatch.setattr(device, "on_cpu", lambda tensor: False)


def targets(graph: Graph) -> tuple[Any, Any]:
    """Return links, and two negatives of each."""
    generator = torch.Generator().manual_seed(7)
    negatives = torch.randint(graph.num_nodes, (20, 2, 2), generator=generator)
    return torch.from_numpy(graph.edges[:20].astype(np.int64)), negatives


def step(name: str, settings: dict[str, Any], graph: Graph) -> SimpleNamespace:
    """Make a step, and score pairs; all of a network's dropout is left out, the noise of roles and D1 are not."""
    still = {field.name: 0 for field in fields(resolve_model(name).Settings) if "dropout" in field.name}
    model = make_model(name, **settings | still)
    network, (positives, negatives) = model.build(graph, 3), targets(graph)
    torch.manual_seed(1)
    loss = network.train().loss(Inputs.of(graph), positives, negatives, cross_entropy)
    loss.backward()
    gradients = {name: weight.grad for name, weight in network.named_parameters()}
    return SimpleNamespace(
        loss=loss.item(),
        gradients=gradients,
        scores=model.on(graph)(negatives.numpy().reshape(-1, 2)),
        embedding=model.embed(graph),
    )


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_step_by_pytorch_alone_is_that_of_our_kernels(name: str, settings, graph: Graph, elsewhere) -> None:
    expected = step(name, settings, graph)
    elsewhere()
    found = step(name, settings, graph)
    assert found.loss == pytest.approx(expected.loss, rel=1e-5)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.embedding, expected.embedding, rtol=1e-4, atol=1e-5)
    for weight, gradient in expected.gradients.items():
        if gradient is None:
            assert found.gradients[weight] is None
        else:
            torch.testing.assert_close(found.gradients[weight], gradient, rtol=1e-3, atol=1e-5, msg=weight)


class OneDevice(TorchDispatchMode):
    """Refuses operations on tensors of two devices, which `meta` alone lets pass now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = 0

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        name = operation.overloadpacket.__name__
        tensors = [leaf for leaf in tree_leaves((arguments, options)) if isinstance(leaf, torch.Tensor)]
        devices = {tensor.device.type for tensor in tensors}
        if name in {"_to_copy", "copy_"}:
            assert devices != {"meta"} or (options or {}).get("device") in (None, META), "a tensor goes back"
            self.moved += (options or {}).get("device") == META
        else:
            assert len(devices) <= 1, f"{operation} has tensors on {devices}"
        return operation(*arguments, **(options or {}))


@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, settings) for name, settings in VARIANTS if name != "ncnc"],  # it reads probabilities back, on purpose
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_step_on_another_device_leaves_nothing_in_the_memory_of_the_processor(
    name: str, settings, graph: Graph
) -> None:
    network = make_model(name, **settings).build(graph, 3).to(META).train()
    inputs, (pairs, negatives) = Inputs.of(graph).to(META), targets(graph)
    with OneDevice() as watched:
        loss = network.loss(inputs, pairs, negatives, cross_entropy)
        loss.backward()
        with torch.no_grad():
            if name != "gcn-rf":  # the seed of its numbers in use is one of its weights, which have no values here
                assert network.eval().decode(network.encode(inputs), inputs, pairs).device == META
    assert loss.device == META and watched.moved > 0
    trained = [weight for weight in network.parameters() if weight.grad is not None]
    assert trained and all(weight.grad.device == META and weight.grad.shape == weight.shape for weight in trained)


@pytest.mark.parametrize("name", ["linkx", "gcn", "gat"])
def test_the_rows_of_some_nodes_are_encoded_on_another_device(name: str, graph: Graph) -> None:
    network = make_model(name, hidden_channels=8).build(graph, 3).to(META).eval()
    inputs = restrict(Inputs.of(graph).to(META), np.arange(5), network.hops, worth_it=np.inf)
    with OneDevice(), torch.no_grad():
        embedding = network.encode(inputs)
    assert embedding.device == META and len(embedding) == 5


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_perturbed_inputs_can_be_moved(name: str, graph: Graph) -> None:
    inputs = make_perturbation(name, 0.3)(Inputs.of(graph)).to(META)
    network, (pairs, negatives) = make_model("gcn").build(graph, 3).to(META), targets(graph)
    with OneDevice():
        network.loss(inputs, pairs, negatives, cross_entropy).backward()


def test_a_step_that_reads_a_tensor_back_is_noticed(graph: Graph) -> None:
    network, inputs = make_model("ncnc").build(graph, 3).to(META).eval(), Inputs.of(graph).to(META)
    with pytest.raises((AssertionError, NotImplementedError)), OneDevice(), torch.no_grad():
        network.decode(network.encode(inputs), inputs, targets(graph)[0])


def sparse_matrix(rows: int, columns: int, share: float, seed: int = 0) -> Any:
    return scipy.sparse.random_array((rows, columns), density=share, format="csr", rng=np.random.default_rng(seed))


@pytest.mark.parametrize("shape", [(5, 3), (1, 1), (4, 6)])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_gradients_of_products_are_those_of_differences(shape, share, elsewhere) -> None:
    elsewhere()
    matrix = Matrix.from_scipy(sparse_matrix(*shape, share))
    dense = torch.randn(shape[1], 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: multiply(matrix, x), dense)
    with torch.no_grad():
        expected = torch.from_numpy(sparse_matrix(*shape, share).astype(np.float32).toarray()).double() @ dense
        torch.testing.assert_close(multiply(matrix, dense), expected)


def test_other_values_of_the_same_entries_take_the_place_of_those_on_the_device(elsewhere) -> None:
    elsewhere()
    matrix, x = Matrix.from_scipy(sparse_matrix(6, 4, 0.5)), torch.randn(4, 3, requires_grad=True)
    before = multiply(matrix, x)
    twice = multiply(matrix.with_values(2 * matrix.values), x)
    torch.testing.assert_close(twice, 2 * before)
    torch.testing.assert_close(*(torch.autograd.grad(out.sum(), x)[0] for out in (twice, 2 * before)))
    torch.testing.assert_close(multiply(matrix, x), before)  # the first values are still there


def test_gradients_of_pairs_lists_segments_and_attention_are_those_of_differences(elsewhere) -> None:
    elsewhere()
    torch.manual_seed(0)
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]], num_nodes=5)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    check = torch.autograd.gradcheck
    x, pairs = draw(5, 4), torch.tensor([[0, 1], [3, 3], [2, 0], [0, 1]])
    assert check(lambda x: pair_product(x, pairs), x)
    indptr, indices = np.array([0, 2, 2, 5]), np.array([0, 4, 1, 1, 0], np.int32)
    weights = np.array([1, 0.5, 2, 0, -1], np.float32)
    for given in (None, weights):
        assert check(lambda x, given=given: sum_rows(indptr, indices, x, given), x)
    assert check(lambda x: sum_segments(x, torch.tensor([0, 2, 2, 5]), torch.tensor([0, 0, 2, 2, 2])), x)
    adjacency = Matrix(graph.indptr, graph.indices, None, 5)
    assert check(lambda *values: attend(adjacency, *values, 0.2), (x, draw(5, 2), draw(5, 2)))
    rows = walk_rows(graph, hops=2)
    assert check(lambda weight: sum_listed_overlaps(rows, pairs, weight), draw(5))


def test_attention_does_not_overflow(elsewhere) -> None:
    elsewhere()
    graph = Graph.from_edges([[0, 1]], num_nodes=3)
    large = torch.tensor([[500.0], [-500.0], [900.0]])
    found = attend(Matrix(graph.indptr, graph.indices, None, 3), torch.tensor([[1.0], [2.0], [4.0]]), large, large, 0.2)
    torch.testing.assert_close(found, torch.tensor([[1.0], [1.0], [4.0]]))


@pytest.mark.parametrize("entries", [1, 300, 1 << 24])
def test_listed_overlaps_of_many_pairs_are_those_of_the_kernel(entries: int, monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.models.neo_gnn.ENTRIES_AT_ONCE", entries)
    random = np.random.default_rng(1)
    graph = Graph.from_edges(random.integers(300, size=(1500, 2)), num_nodes=310)
    rows, pairs = walk_rows(graph, hops=2), torch.from_numpy(random.integers(310, size=(2000, 2)))
    weight = torch.rand(310, requires_grad=True)
    found, expected = sum_listed_overlaps(rows, pairs, weight), sum_overlaps(rows, pairs, weight)
    torch.testing.assert_close(found, expected)
    flow = torch.randn(len(pairs))
    torch.testing.assert_close(*(torch.autograd.grad(sums, weight, flow)[0] for sums in (found, expected)))
    assert sum_listed_overlaps(rows, pairs[:0], weight).shape == (0,)


def test_dropout_elsewhere_follows_the_same_generator_and_takes_as_much_from_it(elsewhere) -> None:
    x = torch.ones(501, 301, requires_grad=True)
    torch.manual_seed(5)
    dropout(x, 0.3, training=True)
    after = torch.rand(())
    elsewhere()
    torch.manual_seed(5)
    first = dropout(x, 0.3, training=True)
    assert torch.rand(()) == after  # what is drawn later is the same on every device
    torch.manual_seed(5)
    assert torch.equal(first, dropout(x, 0.3, training=True)) and not torch.equal(first, dropout(x, 0.3, training=True))
    assert (first == 0).float().mean().item() == pytest.approx(0.3, abs=0.005)
    assert first.mean().item() == pytest.approx(1, abs=0.01)
    assert torch.equal(torch.autograd.grad(first.sum(), x)[0], first.detach())
    assert dropout(x, 0.0, training=True) is x and (dropout(x, 1.0, training=True) == 0).all()


def test_models_for_the_processor_alone_are_known() -> None:
    trainable = {name for name in MODELS if training_class(resolve_model(name)) is TrainingSettings}
    assert trainable - set(MOVABLE) == {"seal", "nbfnet"}
