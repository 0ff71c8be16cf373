"""A step that three processes share is the step of one, up to rounding."""

import pickle
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch import distributed, multiprocessing  # noqa: E402

from edgeorbit.training.processes import HOST  # noqa: E402
from edgeorbit.training.world import World  # noqa: E402
from training.parallel_steps import Case, score, train, work  # noqa: E402

SIZE = 3
SMALL = {"dropout": 0, "hidden_channels": 8}
DECAY = {"weight_decay": 0.01}
NCN = SMALL | {"decoder_dropout": 0, "feature_dropout": 0, "edge_dropout": 0}
# Without dropout and noise. Batches of 5 edges and 5 negatives: the shares of three processes are 4, 3 and 3 pairs.
STILL: dict[str, Case] = {
    "gcn": ("gcn", SMALL, DECAY),
    "ncn": ("ncn", NCN, DECAY),
    "neo-gnn": ("neo-gnn", SMALL, DECAY),
    "eo-gnn": ("eo-gnn", SMALL | {"tau": 0, "without": "d1"}, DECAY),
    "seal": ("seal", SMALL, DECAY),
    # 66 edges in batches of 13 leave a last batch of one edge: two pairs for three processes.
    "a process without pairs": ("gcn", SMALL, DECAY | {"batch_size": 13}),
    "several negatives": (
        *("gcn", SMALL),
        DECAY | {"negatives_per_link": 3, "objective": "softmax", "averaging": "ema", "schedule": "cosine"},
    ),
}
NOISY: dict[str, Case] = {
    "dropout": ("gcn", {"dropout": 0.5, "hidden_channels": 8}, {}),
    "perturbation": ("gcn", SMALL, {"perturbation": "dropedge", "perturbation_rate": 0.5}),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> list[Any]:
    """What each process has found."""
    folder = tmp_path_factory.mktemp("processes")
    store = distributed.TCPStore(HOST, 0, is_master=True, wait_for_workers=False)
    multiprocessing.start_processes(work, (SIZE, store.port, folder, STILL | NOISY), SIZE)
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(SIZE)]


@pytest.mark.parametrize("name", STILL)
def test_weights_after_shared_steps_are_those_of_one_process(name: str, results) -> None:
    expected_history, expected = train(STILL[name], World())
    for trained, _ in results:
        history, weights = trained[name]
        assert weights.keys() == expected.keys()
        for weight, value in expected.items():
            np.testing.assert_allclose(weights[weight], value, rtol=1e-3, atol=2e-4, err_msg=weight)
        assert [entry["epoch"] for entry in history] == [entry["epoch"] for entry in expected_history]
        losses = [[entry["loss"] for entry in entries] for entries in (history, expected_history)]
        np.testing.assert_allclose(*losses, rtol=1e-3)


@pytest.mark.parametrize("name", STILL | NOISY)
def test_all_processes_end_with_the_same_bits(name: str, results) -> None:
    (first_history, first), *others = (trained[name] for trained, _ in results)
    for history, weights in others:
        assert history == first_history
        assert all(np.array_equal(value, first[weight]) for weight, value in weights.items())


@pytest.mark.parametrize("name", NOISY)
def test_each_process_draws_for_itself(name: str, results) -> None:
    """With the same draws everywhere, the loss would be that of one process."""
    history, _ = train(NOISY[name], World())
    assert results[0][0][name][0][0]["loss"] != pytest.approx(history[0]["loss"], rel=1e-4)


def test_divided_scores_are_the_scores_themselves(results) -> None:
    for _, scores in results:
        for found, count in zip(scores, (0, 1, 2, 7, 1000), strict=True):
            expected = score(np.arange(2 * count).reshape(-1, 2))
            assert found.dtype == np.float32 and np.array_equal(found, expected)
