"""What the processes of the tests of shared steps run; they import it by name."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.models import make_model, resolve_model
from edgeorbit.training import TrainingSettings
from edgeorbit.training.loop import Trainer
from edgeorbit.training.processes import HOST, connected
from edgeorbit.training.world import World

Case = tuple[str, dict[str, Any], dict[str, Any]]  # a model, its settings, and those of training


class FailingModel(resolve_model("gcn")):  # type: ignore[misc]
    """A model that has no room in the last process of three."""

    def make_network(self, graph: Graph, in_channels: int) -> Any:
        """Make the network, or fail."""
        if distributed.get_rank() == 2:
            raise MemoryError("no room")
        return super().make_network(graph, in_channels)


def split_of_karate() -> tuple[LinkSplit, Negatives]:
    """Every seventh edge is for validation; negatives are pairs of nodes far apart in their numbers."""
    graph = karate()
    edges = graph.edges.astype(np.int64)
    held = np.arange(len(edges)) % 7 == 0
    x = np.random.default_rng(0).normal(size=(graph.num_nodes, 5)).astype(np.float32)
    seen = Graph.from_edges(edges[~held], num_nodes=graph.num_nodes).with_attributes(x=x)
    nodes = np.arange(graph.num_nodes)
    pool = np.stack([nodes, (nodes + 17) % graph.num_nodes], axis=1)
    return LinkSplit(seen, edges[held], edges[held]), Negatives("random", pool, pool)


def make_trainer(model: str, settings: dict[str, Any] | None = None, **training: Any) -> Trainer:
    """Make a trainer that evaluates once, at the end: which of two epochs is better may be a matter of rounding."""
    chosen = {"epochs": 2, "evaluate_every": 2, "batch_size": 5, "exclude_isolated": False} | training
    return Trainer(make_model(model, **settings or {}), *split_of_karate(), TrainingSettings(**chosen), seed=5)


def train(case: Case, world: World) -> tuple[list[dict[str, float]], dict[str, Any]]:
    """Return the history of training, and the weights."""
    model, settings, training = case
    trainer = make_trainer(model, settings, **training)
    trainer.world = world
    with torch.random.fork_rng():
        history = trainer.train().history
    return history, {name: value.numpy() for name, value in trainer.model.network.state_dict().items()}


def work(rank: int, size: int, port: int, folder: Path, cases: dict[str, Case]) -> None:
    """Train all cases together with the other processes, and write what came out."""
    torch.set_num_threads(1)
    store = distributed.TCPStore(HOST, port, is_master=False)
    with connected(rank, size, store, HOST, "cpu") as world:
        results = {name: train(case, world) for name, case in cases.items()}
        counts = [0, 1, 2, 7, 1000]
        scores = [world.divide(score)(np.arange(2 * count).reshape(-1, 2)) for count in counts]
    (folder / str(rank)).write_bytes(pickle.dumps((results, scores)))


def score(pairs: Any) -> Any:
    """Return some score of each pair."""
    return np.sin(pairs[:, 0].astype(np.float32))
