"""In training, no model sees the links that it is asked for: neither by messages nor by colours, rates or signals."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.models.eo_gnn.model import EOGNNNetwork, OrbitEncoder
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.synthetic import make
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings, training_class

TRAINABLE = [name for name in MODELS if training_class(resolve_model(name)) is TrainingSettings]
# Their encodings and sketches come from the whole training graph, as in the papers: they do know the links of a batch.
ENCODED = {"gcn-dw", "gcn-lap", "buddy"}
OWN_LINK_ALONE = {
    "seal"
}  # a subgraph is without the link of its own pair, as in the paper; tests/models/seal proves it


@pytest.fixture(scope="module")
def graph() -> Graph:
    made = make("syn-karate", edges=3)
    return made.with_attributes(x=np.random.default_rng(0).random((made.num_nodes, 5), np.float32), origin=None)


def weights_after_a_step(
    name: str, whole: Graph, hidden: np.ndarray, left: Graph | None = None, **settings: Any
) -> dict[str, Any]:
    """Return the weights after a step on some links; if `left` is given, a process that knows no more than that."""
    anything = np.array([[0, 1]])
    trainer = Trainer(
        make_model(name, **settings),
        LinkSplit(left or whole, anything, anything),
        Negatives("random", anything, anything),
        TrainingSettings(),
    )
    if left is not None:
        trainer._remover.without = lambda pairs: left  # type: ignore[method-assign]
    network = trainer.model.build(left or whole, seed=0)
    torch.manual_seed(0)
    negatives = np.resize([[0, 9], [3, 40], [12, 60], [5, 33]], hidden.shape)
    trainer._step(network, torch.optim.Adam(network.parameters()), hidden, negatives)
    return {key: value.numpy() for key, value in network.state_dict().items()}


def same(name: str, graph: Graph, **settings: Any) -> bool:
    torch.set_num_threads(1)
    order = np.random.default_rng(3).permutation(graph.num_edges)
    hidden, kept = graph.edges[order[:40]].astype(np.int64), graph.edges[np.sort(order[40:])]
    left = Graph.from_edges(kept, graph.num_nodes, x=graph.x)
    there, here = (weights_after_a_step(name, graph, hidden, known, **settings) for known in (None, left))
    return all(np.array_equal(there[key], here[key]) for key in there)


@pytest.mark.parametrize("name", [name for name in TRAINABLE if name not in ENCODED | OWN_LINK_ALONE])
def test_a_step_is_the_same_for_one_who_never_knew_its_links(name: str, graph: Graph) -> None:
    assert same(name, graph)


@pytest.fixture
def built_on(monkeypatch) -> list[Graph]:
    """The graphs that networks are built on: what a careless model would take its colours from."""
    found = []
    for model in (resolve_model("eo-gnn"), resolve_model("eo-gnn-paper")):
        make_network = model.make_network
        monkeypatch.setattr(
            model,
            "make_network",
            lambda self, graph, width, make=make_network: found.append(graph) or make(self, graph, width),
        )
    return found


@pytest.mark.parametrize("name", ["eo-gnn", "eo-gnn-paper"])
def test_roles_of_the_unmasked_graph_would_be_noticed(name: str, graph: Graph, built_on, monkeypatch) -> None:
    """The bug that the paper's order of steps invites: colours first, and then the links of a batch are hidden."""
    find = OrbitEncoder.find_orbits
    monkeypatch.setattr(
        OrbitEncoder, "find_orbits", lambda self, given: find(self, given)._replace(rows=find(self, built_on[-1]).rows)
    )
    assert not same(name, graph)


def test_rates_of_the_unmasked_graph_would_be_noticed(graph: Graph, built_on, monkeypatch) -> None:
    find = OrbitEncoder.find_orbits

    def careless(self: OrbitEncoder, given: Graph) -> Any:
        orbits = find(self, given)
        return orbits._replace(rates=orbits.rates._replace(nodes=find(self, built_on[-1]).rates.nodes))

    monkeypatch.setattr(OrbitEncoder, "find_orbits", careless)
    assert not same("eo-gnn", graph, alpha_p=9.0, p_max=0.9)


def test_signals_of_the_unmasked_graph_would_be_noticed(graph: Graph, built_on, monkeypatch) -> None:
    signals = EOGNNNetwork._signals_of
    monkeypatch.setattr(EOGNNNetwork, "_signals_of", lambda self, given: signals(self, built_on[-1]))
    assert not same("eo-gnn", graph)


def test_what_is_derived_from_inputs_is_made_once(graph: Graph) -> None:
    calls = []
    inputs = Inputs.of(graph)

    def count(given: Graph) -> int:
        calls.append(given)
        return len(calls)

    assert inputs.derive(count) == inputs.derive(count) == 1
    assert calls == [graph]
