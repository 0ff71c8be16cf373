"""Pairs that an automorphism maps onto each other have the same score, to the last bit, whatever they are scored with."""

from functools import cache

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

from edgeorbit import Graph
from edgeorbit.models import MODELS, resolve_model
from edgeorbit.prediction import LinkPredictor
from edgeorbit.training.settings import TrainingSettings, training_class

COPIES, ONE = 60, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5)]  # K4 with a tail
SIZE = 6
MESSAGE_PASSING = ["mlp", "gcn", "sage", "gat", "gin", "mixhop", "chebgcn"]
# Each node has weights, sketches or a position of its own, so that no two nodes are the same to them.
WITH_IDENTITIES = {"linkx", "gcn-dw", "gcn-lap", "gcn-rf", "buddy"}
SETTINGS = {name: {"tau": 0.0} for name in ("eo-gnn", "eo-gnn-paper")}  # without the noise of roles, an identity too


@cache
def number() -> np.ndarray:
    """Return the number of every node of every copy; they are shuffled, so that neighbours stand in every order."""
    return np.random.default_rng(0).permutation(COPIES * SIZE).reshape(COPIES, SIZE)


@cache
def copies() -> Graph:
    return Graph.from_edges(number()[:, ONE].reshape(-1, 2), COPIES * SIZE, x=np.ones((COPIES * SIZE, 1), np.float32))


@cache
def fitted(name: str, epochs: int) -> LinkPredictor:
    training = {"epochs": epochs} if training_class(resolve_model(name)) is TrainingSettings else None
    predictor = LinkPredictor(name, settings=SETTINGS.get(name), training=training, threads=1)
    return predictor.fit(copies(), features="constant")


def scores(name: str, pairs: np.ndarray, *, at_once: int) -> np.ndarray:
    predictor = fitted(name, 2)
    score = predictor.model.on(predictor.split.graph if predictor.model.transductive else copies())
    return np.concatenate([score(pairs[i : i + at_once]) for i in range(0, len(pairs), at_once)])


def random_pairs(count: int) -> np.ndarray:
    """Return pairs of nodes of one copy, and as many of two."""
    rng = np.random.default_rng(1)
    copy, node = rng.integers(COPIES, size=(2 * count, 2)), rng.permuted(np.tile(range(SIZE), (2 * count, 1)), axis=1)
    copy[:count, 1] = copy[:count, 0]
    return number()[copy, node[:, :2]]


def automorphism(seed: int) -> np.ndarray:
    """Return a map of all nodes: copies trade places, and in each of them the three nodes without a tail."""
    rng = np.random.default_rng(seed)
    nodes = np.tile(range(SIZE), (COPIES, 1))
    nodes[:, :3] = rng.permuted(nodes[:, :3], axis=1)
    image = np.empty(COPIES * SIZE, np.int64)
    image[number()] = number()[rng.permutation(COPIES)[:, None], nodes]
    return image


@pytest.mark.parametrize("epochs", [2, 30])
@pytest.mark.parametrize("name", MESSAGE_PASSING)
def test_message_passing_is_at_chance_against_orbit_negatives(name: str, epochs: int) -> None:
    found = fitted(name, epochs).evaluate("orbit")["orbit"]
    assert [(found[part]["ties"], found[part]["auc"]) for part in ("valid", "test")] == [(1.0, 0.5)] * 2


@pytest.mark.parametrize("name", sorted(MODELS.keys() - WITH_IDENTITIES))
def test_an_automorphism_changes_no_score(name: str) -> None:
    pairs = random_pairs(500)
    found = scores(name, pairs, at_once=len(pairs))
    assert len(np.unique(found)) > 1 or name in MESSAGE_PASSING
    for seed in range(3):
        image = automorphism(seed)
        edges = {tuple(edge) for edge in np.sort(image[copies().edges], axis=1).tolist()}
        assert edges == {tuple(edge) for edge in copies().edges.tolist()}
        assert np.array_equal(scores(name, image[pairs], at_once=len(pairs)), found)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_score_does_not_depend_on_what_is_scored_with_it(name: str) -> None:
    pairs = random_pairs(100)
    found = scores(name, pairs, at_once=len(pairs))
    for at_once in (1, 7, 64):
        order = np.random.default_rng(at_once).permutation(len(pairs))
        assert np.array_equal(scores(name, pairs[order], at_once=at_once), found[order])


@pytest.mark.parametrize("name", ["gcn", "ncn"])
def test_predicted_links_that_are_the_same_have_the_same_score(name: str) -> None:
    """The likeliest missing links of one copy stand in every copy, with one score."""
    predictor = fitted(name, 2)
    within = np.array([(u, v) for u in range(SIZE) for v in range(u) if (v, u) not in ONE])
    found = predictor.score_pairs(number()[:, within].reshape(-1, 2), on=copies()).scores.reshape(COPIES, -1)
    assert (found == found[0]).all()
    top = predictor.predict(top=70_000, on=copies(), exact=True)  # all: a shorter list could end among equals
    known = {tuple(sorted(pair)): score for pair, score in zip(top.pairs.tolist(), top.scores, strict=True)}
    listed = [[known.get(tuple(sorted(number()[copy, pair].tolist()))) for pair in within] for copy in range(COPIES)]
    assert all(row == listed[0] for row in listed)
