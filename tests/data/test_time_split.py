"""The split by time: the past is trained on, and nothing of the future is seen."""

import numpy as np
import pytest

from edgeorbit import LinkPredictor, split
from edgeorbit.data.splits import time_split
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import Graph


@pytest.fixture
def payments():
    rng = np.random.default_rng(102)
    pairs = (rng.pareto(1.0, (4000, 2)) * 20).astype(int) % 300
    return Graph.from_edges(pairs, 300, edge_time=rng.integers(0, 1000, 4000), edge_weight=rng.integers(1, 9, 4000))


def test_the_last_links_are_held_out(payments):
    found = time_split(payments)
    first = dict(
        zip(map(tuple, payments.edges.tolist()), payments.history.first_times(payments.num_edges), strict=True)
    )
    times = [[first[tuple(edge)] for edge in edges.tolist()] for edges in (found.graph.edges, found.valid, found.test)]
    assert max(times[0]) < min(times[1]) <= max(times[1]) < min(times[2])
    shares = np.array([len(part) for part in times]) / payments.num_edges
    assert np.abs(shares - [0.8, 0.15, 0.05]).max() < 0.02
    assert (found.protocol["valid_from"], found.protocol["test_from"]) == (
        f"{min(times[1]):.15g}",
        f"{min(times[2]):.15g}",
    )
    found.check()


def test_training_weights_are_those_before_the_first_held_out_link(payments):
    found = time_split(payments)
    history, cut = payments.history, float(found.protocol["valid_from"])
    expected = np.bincount(history.edge[history.time < cut], history.weight[history.time < cut], payments.num_edges)
    trained = payments.history.first_times(payments.num_edges) < cut
    assert found.graph.edge_weight.tolist() == expected[trained].tolist()
    assert found.graph.edge_weight.sum() < payments.edge_weight[trained].sum()  # some come again later
    assert found.graph.history is None
    assert found.whole.edge_weight.tolist() == payments.edge_weight.tolist()
    assert len(found.with_valid_edges.edge_weight) == len(found.graph.edges) + len(found.valid)


def test_nothing_after_the_first_validation_link_changes_what_is_seen(payments):
    found, history = time_split(payments), payments.history
    cut, ends = float(found.protocol["valid_from"]), payments.edges[history.edge]
    past = history.time < cut
    alone = Graph.from_edges(ends[past], 300, edge_weight=history.weight[past])
    assert np.array_equal(alone.indices, found.graph.indices)
    assert np.array_equal(alone.edge_weight, found.graph.edge_weight)


def test_times_make_it_the_split_by_default(payments, tmp_path):
    assert split(payments).protocol["split"] == "time"
    assert split(payments, "random").protocol["split"] == "random"
    fitted = LinkPredictor("ra").fit(payments, output=tmp_path / "run")
    loaded = LinkPredictor.load(tmp_path / "run")
    assert loaded.split.whole.edge_weight.tolist() == payments.edge_weight.tolist()
    assert loaded.split.digest == fitted.split.digest
    assert loaded.evaluate().test == fitted.evaluate().test
    assert loaded.evaluate(with_valid_edges=True).test != fitted.evaluate().test


@pytest.mark.parametrize(
    ("times", "ratios", "message"),
    [
        (None, (0.8, 0.15, 0.05), "name their column with --time"),
        ([1] * 30, (0.8, 0.15, 0.05), "at 1 times, too few"),
        ([1] * 29 + [2], (0.8, 0.15, 0.05), "too few to split by time"),
        (range(30), (0.8, 0.3, 0.05), "three shares"),
        (range(30), (1, 0, 0), "too few to split by time"),
    ],
)
def test_what_cannot_be_split_by_time_is_refused(times, ratios, message):
    path = Graph.from_edges([(i, i + 1) for i in range(30)], edge_time=None if times is None else [*times])
    with pytest.raises(InvalidParameterError, match=message):
        time_split(path, ratios)


def test_random_and_twin_splits_keep_weights(payments):
    found = split(payments, "random", seed=101)
    known = dict(zip(map(tuple, payments.edges.tolist()), payments.edge_weight.tolist(), strict=True))
    for edges, weights in ((found.graph.edges, found.graph.edge_weight), (found.valid, found.valid_weight)):
        assert [known[tuple(edge)] for edge in edges.tolist()] == weights.tolist()
    assert found.whole.edge_weight.tolist() == payments.edge_weight.tolist()
