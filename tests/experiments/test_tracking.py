"""Tracking: what is logged can be read again, and nothing that goes wrong with it stops a run."""

import os
import socket
import sys
import time

import pytest

pytest.importorskip("mlflow")

from edgeorbit.errors import MissingExtraError
from edgeorbit.experiments.tracking import ENVIRONMENT, Tracker


@pytest.fixture(autouse=True)
def environment(monkeypatch) -> None:
    """What a tracker sets is gone after the test."""
    for name in ENVIRONMENT:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def fail(sentence: str) -> None:
    raise AssertionError(sentence)


def test_a_run_in_a_folder_is_read_again(tmp_path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text("value = 1\n")
    tracker = Tracker(tmp_path / "runs", "edgeorbit bench", fail)
    params = {"model": "gcn", "settings": {"dropout": 0.1, "long": "x" * 9000}}
    tracker.log("gcn on cora", params, {"test_hits@10": 0.5, "nothing": None, "nan": float("nan")}, [file])
    Tracker(tmp_path / "runs", "edgeorbit bench", fail).log("sage on cora", {}, {"test_mrr": 1})

    import mlflow

    client = mlflow.MlflowClient(tracking_uri=(tmp_path / "runs").as_uri())
    (experiment,) = [one for one in client.search_experiments() if one.name == "edgeorbit bench"]
    runs = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
    assert set(runs) == {"gcn on cora", "sage on cora"}
    found = runs["gcn on cora"]
    assert found.data.metrics == {"test_hits_at_10": 0.5} and found.info.status == "FINISHED"
    assert found.data.params["model"] == "gcn" and found.data.params["settings.dropout"] == "0.1"
    assert [one.path for one in client.list_artifacts(found.info.run_id)] == ["tuned.toml"]


def test_nothing_is_reported_to_the_makers_of_mlflow(tmp_path) -> None:
    Tracker(tmp_path, "x", fail)
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == os.environ["DO_NOT_TRACK"] == "true"
    telemetry = pytest.importorskip("mlflow.telemetry.utils")  # which older versions do not have
    assert telemetry.is_telemetry_disabled()


def test_what_a_user_set_is_obeyed(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "99")
    Tracker(tmp_path, "x", fail)
    assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "99"


def test_a_server_that_is_down_is_told_once_and_stops_nothing() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told: list[str] = []
    tracker = Tracker(f"http://me:s3cret@127.0.0.1:{port}", "x", told.append)
    begun = time.monotonic()
    for _ in range(3):
        tracker.log("run", {"a": 1}, {"auc": 0.5})
    assert len(told) == 1 and time.monotonic() - begun < 100  # mlflow alone would try for minutes
    assert told[0].startswith(f"http://127.0.0.1:{port}: tracking does not work (") and "s3cret" not in told[0]
    assert "\n" not in told[0]


def test_a_folder_that_cannot_be_written_is_told_and_stops_nothing(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    told: list[str] = []
    Tracker(tmp_path / "file" / "runs", "x", told.append).log("run", {}, {})
    assert len(told) == 1


def test_without_mlflow_one_sentence_says_what_to_install(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"tracking needs mlflow; pip install 'edgeorbit\[mlflow\]'"):
        Tracker(tmp_path, "x")
