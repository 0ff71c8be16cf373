"""`edgeorbit train --devices`: the same results from several processes, and clean ends when one is killed."""

import contextlib
import importlib.util
import itertools
import json
import os
import signal
import socket
from pathlib import Path

import pytest

from cli.forked_commands import Command, fork_server, wait_for

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs torch_geometric"),
    pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="looks at processes in /proc"),
]

QUICK = ["--model", "gcn", "--set", "hidden_channels=8", "--set", "dropout=0", "--set", "batch_size=15"]
# Long enough to be killed in, short enough to be finished by the last command.
LONG = [*QUICK, "--set", "epochs=300", "--set", "evaluate_every=100", "--threads", "1"]

# A checkpoint is written after every step, and steps are slow enough to be killed in between.
PREPARE = """
import time
import edgeorbit.prediction, edgeorbit.training.processes
from edgeorbit.training import loop

step = loop.Trainer._step

def slow(*arguments):
    time.sleep(0.01)
    return step(*arguments)

loop.CHECKPOINT_SECONDS, loop.Trainer._step = 0.0, slow
"""


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Start commands side by side."""
    folder = tmp_path_factory.mktemp("logs")
    numbers = itertools.count()
    with fork_server(PREPARE) as server:
        yield lambda *arguments, **environment: server.start(
            folder / f"command{next(numbers)}", *arguments, environment={"OMP_NUM_THREADS": "1"} | environment
        )


def workers_of(parent: int) -> list[int]:
    """Return the processes that train with another one, which started them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(state[1]) == parent and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def is_at_work(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def train_until_a_new_checkpoint(start, output: Path) -> tuple[Command, int]:
    """Start a run with two processes; return it and the second one of them."""
    checkpoint = output / "checkpoint.safetensors"
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
    running = start("train", "karate", *LONG, "--devices", 2, "-o", output)
    wait_for(lambda: not running.is_running() or (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before))
    assert running.is_running(), running.read("err")
    [worker] = workers_of(running.pid)
    return running, worker


def test_a_run_that_loses_processes_ends_cleanly_and_goes_on_with_another_number(run, start, tmp_path) -> None:
    output, whole = tmp_path / "run", tmp_path / "whole"
    # A killed worker.
    running, worker = train_until_a_new_checkpoint(start, output)
    os.kill(worker, signal.SIGKILL)
    assert running.finish() == 2
    said = running.read("err")  # a slow run also says how far it is, a line now and then
    assert running.read("out") == "" and "Traceback" not in said and said.count("edgeorbit: ") == 1
    assert said.splitlines()[-1].startswith("edgeorbit: process 2 of 2 was ended by SIGKILL")
    assert "give the same command again" in said.splitlines()[-1]
    # Control-C goes to the whole group of the terminal.
    running, worker = train_until_a_new_checkpoint(start, output)
    os.killpg(running.pid, signal.SIGINT)
    assert running.finish() == 130
    assert "Traceback" not in running.read("err") and "give the same command again to resume" in running.read("err")
    wait_for(lambda: not is_at_work(worker))
    # A killed parent.
    running, worker = train_until_a_new_checkpoint(start, output)
    os.kill(running.pid, signal.SIGKILL)
    wait_for(lambda: not is_at_work(worker))
    assert running.finish() == -1 and "edgeorbit: " not in running.read("err")
    # The rest, alone; up to rounding, it is as if nothing had happened.
    assert run("train", "karate", *LONG, "-o", output).code == 0
    assert run("train", "karate", *LONG, "-o", whole).code == 0
    assert {file.name for file in output.iterdir()} == {file.name for file in whole.iterdir()}
    assert losses_of(output) == pytest.approx(losses_of(whole), rel=0.05)


def losses_of(output: Path) -> list[float]:
    course = json.loads((output / "run.json").read_text())["training_result"]
    return [entry["loss"] for entry in course["history"]]


def test_processes_that_a_launcher_started_are_taken_and_only_the_first_of_them_speaks(run, start, tmp_path) -> None:
    arguments = ["train", "karate", *QUICK, "--set", "epochs=4", "--set", "evaluate_every=2", "--threads", 2, "--json"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    for turn in range(2):  # the second time there is nothing left to train
        ranks = [
            start(
                *(*arguments, "-o", tmp_path / "run"),
                **{"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"},
                **{"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
            )
            for rank in range(2)
        ]
        assert [rank.finish() for rank in ranks] == [0, 0], (turn, [rank.read("err") for rank in ranks])
        assert ranks[1].read("out") == "" and ranks[1].read("err") == ""
    alone = run(*arguments, "-o", tmp_path / "alone")
    found, expected = json.loads(ranks[0].read("out")), json.loads(alone.out)
    assert found["test"]["auc"] == pytest.approx(expected["test"]["auc"], abs=0.02)
    assert losses_of(tmp_path / "run") == pytest.approx(losses_of(tmp_path / "alone"), rel=1e-3)
    courses = [json.loads((tmp_path / name / "run.json").read_text())["training_result"] for name in ("run", "alone")]
    assert [course["devices"] for course in courses] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--devices", "0"], "devices must be an integer >= 1, or auto, got 0"),
        (["--devices", "-1"], "devices must be an integer >= 1, or auto, got -1"),
        (["--devices", "two"], "got two"),
        (["--devices", "1.5"], "got 1.5"),
        (["--model", "ra", "--devices", "2"], "ra has nothing to train"),
        (
            ["--model", "gcn", "--set", "batch_size=2", "--devices", "3"],
            "a batch has 2 target edges, too few for 3 processes",
        ),
        (["--model", "buddy", "--devices", "2"], "buddy normalizes over all pairs of a batch"),
    ],
)
def test_bad_numbers_of_devices_get_one_sentence_and_leave_nothing(run, tmp_path, arguments, sentence: str) -> None:
    outcome = run("train", "karate", *arguments, "-o", tmp_path / "run")
    assert outcome.code == 2 and sentence in outcome.err
    assert outcome.err.strip().splitlines()[-1].startswith("edgeorbit: ") and not (tmp_path / "run").exists()


def test_devices_that_differ_from_those_of_the_launcher_are_refused(run, tmp_path, monkeypatch) -> None:
    launched = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    for name, value in launched.items():
        monkeypatch.setenv(name, value)
    outcome = run("train", "karate", "--devices", "3", "-o", tmp_path / "run")
    assert outcome.code == 2 and "2 processes were launched, but 3 devices requested" in outcome.err
    monkeypatch.setenv("RANK", "first")
    outcome = run("train", "karate", "-o", tmp_path / "run")
    assert outcome.code == 2 and "RANK and WORLD_SIZE" in outcome.err


def test_auto_is_one_process_and_heuristics_take_it(run, tmp_path) -> None:
    assert run("train", "karate", "--model", "ra", "--devices", "auto", "-o", tmp_path / "run").code == 0
