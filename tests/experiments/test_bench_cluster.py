"""A bench on a real dask cluster on loopback: workers that are killed, other versions, a scheduler that is gone."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from edgeorbit import __version__
from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.executors import Cluster
from edgeorbit.experiments.running import run_cells, unfit
from edgeorbit.experiments.store import Store
from edgeorbit.experiments.tuning import Task, tune
from edgeorbit.experiments.tuning.space import Range

HERE = Path(__file__).parent
CHECK = partial(unfit, __version__)


class Dask:
    """A scheduler and workers, as processes."""

    def __init__(self, place: Path) -> None:
        self.place, self.processes = place, {}
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        self.environment = os.environ | {
            "PYTHONPATH": path,
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
            "EDGEORBIT_CACHE": str(place / "cache"),
        }

    def start(self, name: str, *command: str) -> str:
        log = self.place / f"{name}.log"
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler" if name == "scheduler" else "distributed.cli.dask_worker", *command],
            env=self.environment,
            stderr=log.open("w"),
            stdout=subprocess.DEVNULL,
            cwd=self.place,
        )  # fmt: skip
        self.processes[name] = process
        ready = re.compile(r"Scheduler at:\s+(tcp://\S+)" if name == "scheduler" else r"Registered to:\s+(tcp://\S+)")
        deadline = time.monotonic() + 120
        while not (said := ready.search(log.read_text())):
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        return said[1]

    def worker(self, name: str, address: str) -> None:
        self.start(name, address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "20")

    def kill(self, name: str) -> None:
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def stop(self) -> None:
        for name in self.processes:
            self.kill(name)


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    cluster = Dask(tmp_path)
    yield cluster
    cluster.stop()


@pytest.fixture
def address(dask: Dask) -> str:
    where = dask.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    for name in ("one", "two"):
        dask.worker(name, where)
    return where


@pytest.fixture
def faulty(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    import faulty_cells

    return faulty_cells


def begun(log: Path) -> list[int]:
    return [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("begin")]


def test_a_worker_that_is_killed_loses_no_run_and_none_is_made_twice(dask, address, faulty, tmp_path) -> None:
    log, store = tmp_path / "log", Store(tmp_path / "r.parquet")
    fates = {2: "raise", 3: "die once"}  # which kills the worker in the middle of it
    cells = [faulty.make_cell(log, seed, fates.get(seed, ""), 0.1) for seed in range(8)]
    made, failed = run_cells(cells, store, Cluster(address, CHECK), run=faulty.run)
    assert (made, failed) == (8, 1)
    reasons = {row["seed"]: row["failed"] for row in Store(store.path).rows}
    assert set(reasons) == set(range(8)) and [seed for seed, reason in reasons.items() if reason] == [2]
    runs = begun(log)
    # A result that was still on the worker when it was killed is made again; its rows are there once.
    assert set(runs) == set(range(8)) and runs.count(3) == 2 and len(runs) <= 10
    assert len(Store(store.path).rows) == 8
    assert sum(process.poll() is not None for process in dask.processes.values()) == 1


def test_a_search_runs_on_a_cluster(address, tmp_path) -> None:
    task = Task("karate", {"source": "karate"}, "katz", "constant", space={"beta": Range(0.0005, 0.5, log=True)})
    executor = Cluster(address, CHECK)
    try:
        assert tune(task, tmp_path / "a.journal", trials=6, executor=executor).trials == 6
    finally:
        executor.shutdown()


def test_a_scheduler_that_is_killed_ends_the_bench_with_a_sentence_and_keeps_what_was_found(
    dask, address, faulty, tmp_path
) -> None:
    log, store = tmp_path / "log", Store(tmp_path / "r.parquet")
    cells = [faulty.make_cell(log, seed, "", 0.2) for seed in range(40)]

    def end(cell, rows) -> None:
        if len(store.keys) == 3:
            dask.kill("scheduler")

    with pytest.raises(EdgeorbitError, match="the scheduler no longer answers; finished runs are kept"):
        run_cells(cells, store, Cluster(address, CHECK), run=faulty.run, on_rows=end)
    assert 3 <= len(Store(store.path).keys) < 40


def test_a_worker_of_another_version_is_refused_by_its_name(address) -> None:
    with pytest.raises(EdgeorbitError, match=rf"worker tcp://\S+ cannot be used: it has edgeorbit {__version__}, and"):
        Cluster(address, partial(unfit, "99.0"))


def test_a_scheduler_that_does_not_answer_is_given_up_within_seconds() -> None:
    since = time.monotonic()
    with pytest.raises(EdgeorbitError, match="no dask scheduler answers"):
        Cluster("tcp://127.0.0.1:9", CHECK)
    assert time.monotonic() - since < 100


def test_a_cluster_without_workers_is_refused(dask) -> None:
    where = dask.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with pytest.raises(EdgeorbitError, match="has no workers; start some with dask worker"):
        Cluster(where, CHECK)
