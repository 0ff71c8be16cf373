"""Perturbations in training: every model takes a step with each, and evaluation and other runs know nothing of them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.models.perturbations import PERTURBATIONS
from edgeorbit.synthetic import make
from edgeorbit.training import loop
from edgeorbit.training.loop import Trainer
from edgeorbit.training.losses import cross_entropy
from edgeorbit.training.settings import TrainingSettings, training_class

TRAINABLE = [name for name in MODELS if training_class(resolve_model(name)) is TrainingSettings]
READ_NO_EDGES = {"mlp"}
NEGATIVES = np.array([[0, 9], [3, 40], [12, 60], [5, 33]])
SMALL: dict[str, dict[str, Any]] = {"gcn": {"hidden_channels": 8}}


@pytest.fixture(scope="module")
def graph() -> Graph:
    made = make("syn-karate", edges=3)
    return made.with_attributes(x=np.random.default_rng(0).random((made.num_nodes, 5), np.float32), origin=None)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make_trainer(
    name: str, graph: Graph, checkpoint: Path | None = None, report: Any = None, **training: Any
) -> Trainer:
    anything = np.array([[0, 9], [1, 40], [2, 50]])
    return Trainer(
        make_model(name, **SMALL.get(name, {})),
        LinkSplit(graph, anything, anything),
        Negatives("random", anything[:, ::-1], anything[:, ::-1]),
        TrainingSettings.from_mapping(training, "training"),  # type: ignore[arg-type]
        checkpoint=checkpoint,
        report=report,
    )


def step(trainer: Trainer, network: LinkNetwork, seed: int = 0) -> float:
    optimizer = torch.optim.Adam(network.parameters(), lr=0.005, fused=True)
    torch.manual_seed(seed)
    positives = trainer._positives[::7]
    return trainer._step(network, optimizer, positives, np.resize(NEGATIVES, positives.shape))


def weights(network: LinkNetwork) -> list[np.ndarray]:
    return [value.numpy().copy() for value in network.state_dict().values()]


def equal(ones: list[np.ndarray], others: list[np.ndarray]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(ones, others, strict=True))


@pytest.mark.parametrize("name", TRAINABLE)
def test_every_model_takes_a_step_with_every_perturbation(name: str, graph: Graph) -> None:
    network = resolve_model(name)(**SMALL.get(name, {})).build(graph, seed=0)  # type: ignore[attr-defined]
    start = {key: value.clone() for key, value in network.state_dict().items()}
    for perturbation in PERTURBATIONS:
        trainer = make_trainer(name, graph, perturbation=perturbation, perturbation_rate=0.4)
        losses, ends = [], []
        for _ in range(2):
            network.load_state_dict(start)
            losses.append(step(trainer, network))
            ends.append(weights(network))
        assert np.isfinite(losses).all() and losses[0] == losses[1] and equal(*ends), perturbation
        assert all(np.isfinite(array).all() for array in ends[0])


@pytest.mark.parametrize("perturbation", ["dropedge", "d1"])
@pytest.mark.parametrize("name", [name for name in TRAINABLE if name not in READ_NO_EDGES])
def test_every_model_that_reads_edges_notices_that_they_are_missing(name: str, perturbation: str, graph: Graph) -> None:
    trainer = make_trainer(name, graph, perturbation=perturbation, perturbation_rate=0.4)
    network = trainer.model.build(graph, seed=0).eval()
    whole, pairs = Inputs.of(graph), torch.from_numpy(NEGATIVES)
    torch.manual_seed(0)
    # The features are the whole ones, so that only edges tell the difference.
    left = trainer._perturb(whole)  # type: ignore[misc]
    left = Inputs(left.adjacency, left.degree, whole.x, left.graph)
    found = []
    for inputs in (whole, left):
        torch.manual_seed(0)
        with torch.no_grad():
            found.append(network.decode(network.encode(inputs), inputs, pairs))
    assert not torch.equal(*found)


@pytest.mark.parametrize("name", ["gcn", "eo-gnn", "seal", "buddy"])
def test_without_a_perturbation_a_step_is_what_it_was(name: str, graph: Graph) -> None:
    """The step written out, on all rows: sums are taken in another order than over those that are needed."""
    trainer = make_trainer(name, graph, perturbation_rate=0.7)
    network = trainer.model.build(graph, seed=0)
    loss = step(trainer, network)
    ours = [weight.grad for weight in network.parameters()]
    network = trainer.model.build(graph, seed=0).train()
    positives = trainer._positives[::7]
    torch.manual_seed(0)
    seen = trainer._remover.without(positives) if network.hides_targets else graph
    pairs = torch.from_numpy(positives), torch.from_numpy(np.resize(NEGATIVES, positives.shape)[:, None])
    expected = network.loss(Inputs.of(seen), *pairs, cross_entropy)
    expected.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    assert loss == pytest.approx(expected.item(), rel=1e-6)
    for found, weight in zip(ours, network.parameters(), strict=True):
        assert (found is None) == (weight.grad is None)
        if found is not None:
            torch.testing.assert_close(found, weight.grad, rtol=1e-4, atol=1e-6)


@pytest.fixture
def seen(monkeypatch) -> list[Inputs]:
    """The inputs of all losses."""
    found: list[Inputs] = []
    compute = LinkNetwork.losses

    def spy(self: LinkNetwork, embedding: Any, inputs: Inputs, *rest: Any) -> Any:
        found.append(inputs)
        return compute(self, embedding, inputs, *rest)

    monkeypatch.setattr(LinkNetwork, "losses", spy)
    return found


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_a_step_sees_neither_its_links_nor_what_was_dropped(perturbation: str, graph: Graph, seen) -> None:
    trainer = make_trainer("gcn", graph, perturbation=perturbation, perturbation_rate=0.4)
    step(trainer, trainer.model.build(graph, seed=0))
    hidden = {tuple(edge) for edge in trainer._positives[::7].tolist()}
    left = {tuple(edge) for edge in graph.edges.tolist()} - hidden
    edges = {tuple(edge) for edge in seen[0].graph.edges.tolist()}
    assert edges <= left and (edges == left) == (perturbation == "dropnode")


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
@pytest.mark.parametrize("name", ["seal", "buddy"])
def test_the_whole_graph_and_what_is_kept_of_it_stay_whole(name: str, perturbation: str, graph: Graph, seen) -> None:
    trainer = make_trainer(name, graph, perturbation=perturbation, perturbation_rate=0.6)
    network = trainer.model.build(graph, seed=0)
    for seed in range(3):
        step(trainer, network, seed)
    assert trainer._whole.graph is graph and np.array_equal(trainer._whole.x, graph.x)
    assert all(inputs is not trainer._whole for inputs in seen)
    network.eval()
    with torch.no_grad():
        kept, fresh = (
            network.decode(network.encode(inputs), inputs, torch.from_numpy(NEGATIVES))
            for inputs in (trainer._whole, Inputs.of(graph))
        )
    assert torch.equal(kept, fresh)


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_evaluation_sees_the_whole_graph(perturbation: str, graph: Graph, monkeypatch) -> None:
    seen: list[Graph] = []
    model = resolve_model("gcn")
    on = model.on
    monkeypatch.setattr(model, "on", lambda self, given: seen.append(given) or on(self, given))
    trainer = make_trainer("gcn", graph, epochs=2, evaluate_every=1, perturbation=perturbation, perturbation_rate=0.5)
    trainer.train()
    assert seen == [graph, graph]
    scores = [trainer.model.on(graph)(NEGATIVES) for _ in range(2)]
    assert np.array_equal(*scores)


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_an_interrupted_run_goes_on_to_the_same_weights(perturbation: str, graph: Graph, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1.0)
    settings = {"epochs": 2, "evaluate_every": 1, "batch_size": 40, "perturbation": perturbation}
    steps: list[int] = []

    def kill(*_: Any) -> None:
        steps.append(1)
        if len(steps) in (2, 6):
            raise KeyboardInterrupt

    whole = make_trainer("gcn", graph, **settings)
    whole.train()
    often = [make_trainer("gcn", graph, tmp_path / "checkpoint", kill, **settings) for _ in range(3)]
    for trainer in often[:2]:
        with pytest.raises(KeyboardInterrupt):
            trainer.train()
    often[2].train()
    assert equal(weights(whole.model.network), weights(often[2].model.network))
    other = make_trainer("gcn", graph, **settings | {"perturbation": ""})
    other.train()
    assert not equal(weights(whole.model.network), weights(other.model.network))


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"perturbation": "dropout"}, "'dropout'; choose from dropedge, dropnode, droppath, adaedge, d1, d1-uniform"),
        ({"perturbation": "dropedge", "perturbation_rate": "1"}, "below 1, not 1.0"),
        ({"perturbation_rate": -0.1}, "at least 0 and below 1, not -0.1"),
        ({"perturbation_rate": "nan"}, "not nan"),
        ({"perturbation_rate": "much"}, "a number, not 'much'"),
    ],
)
def test_settings_refuse_what_is_no_perturbation(given: dict[str, Any], part: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        TrainingSettings.from_mapping(given, "training")
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_settings_are_checked_without_pytorch() -> None:
    program = (
        "import sys; from edgeorbit.training.settings import TrainingSettings; TrainingSettings(perturbation='d1')\n"
        "assert not {'torch', 'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
