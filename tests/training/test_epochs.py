"""What an epoch is: every link once, or as many as are asked for, others in each epoch."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits.random import random_split
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.tuning.task import Task, prepare
from edgeorbit.graph.toys import karate
from edgeorbit.models import make_model
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings

SPLIT = random_split(karate().with_attributes(x=np.eye(34, dtype=np.float32)))
LINKS = SPLIT.graph.num_edges


def epochs_of(monkeypatch, **given) -> list[list[np.ndarray]]:
    """Return the target links of every step of every epoch."""
    settings = TrainingSettings(epochs=6, evaluate_every=6, metric="auc", **given)
    trainer = Trainer(make_model("gcn", hidden_channels=4), SPLIT, sample_negatives(SPLIT, "random"), settings)
    steps: list[np.ndarray] = []

    def step(network, optimizer, positives, negatives) -> float:
        assert len(positives) == len(negatives)
        steps.append(positives)
        return 0.0

    monkeypatch.setattr(trainer, "_step", step)
    trainer.train()
    assert len(steps) == 6 * trainer.steps
    return [steps[start : start + trainer.steps] for start in range(0, len(steps), trainer.steps)]


@pytest.mark.parametrize("links", [0, LINKS, 10**9])
def test_an_epoch_has_every_link_once(monkeypatch, links: int) -> None:
    for epoch in epochs_of(monkeypatch, batch_size=20, links_per_epoch=links):
        assert [len(step) for step in epoch] == [20, 20, 20, LINKS - 60]
        assert np.array_equal(np.unique(np.concatenate(epoch), axis=0), SPLIT.graph.edges)


def test_an_epoch_of_fewer_links_has_others_each_time(monkeypatch) -> None:
    epochs = epochs_of(monkeypatch, batch_size=4, links_per_epoch=10)
    assert all([len(step) for step in epoch] == [4, 4, 2] for epoch in epochs)
    drawn = [frozenset(map(tuple, np.concatenate(epoch).tolist())) for epoch in epochs]
    assert all(len(links) == 10 for links in drawn) and len(set(drawn)) == len(drawn)
    edges = set(map(tuple, SPLIT.graph.edges.tolist()))
    assert all(links <= edges for links in drawn)
    assert len(frozenset.union(*drawn)) > 30  # of six times ten among 62


def test_a_step_has_no_more_links_than_its_epoch(monkeypatch) -> None:
    assert [[len(step) for step in epoch] for epoch in epochs_of(monkeypatch, links_per_epoch=7)] == 6 * [[7]]


def test_a_negative_number_of_links_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="links_per_epoch must be at least 0, not -1"):
        TrainingSettings(links_per_epoch=-1)


def test_a_search_takes_batches_that_fit_into_such_an_epoch() -> None:
    found = {}
    for links in (0, 100, 10**9):
        source = {"generator": "grid", "options": {"rows": 20, "columns": 20}}
        task = Task("grid", source, "gcn", "constant", training={"links_per_epoch": links})
        found[links] = prepare(task).searched.space["batch_size"]
    assert found[0] == found[10**9] == [32, 64, 128, 256, 512] and found[100] == [32, 64]
