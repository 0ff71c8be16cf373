"""A run that was killed goes on as if nothing had happened."""

import signal
import subprocess
import sys

import pytest

pytest.importorskip("torch_geometric")
PROGRAM = """
import os, signal, sys
from edgeorbit.prediction import LinkPredictor
from edgeorbit.training import loop

loop.CHECKPOINT_SECONDS = 0.0
directory, last_step = sys.argv[1], int(sys.argv[2])
made = 0

def report(progress, steps, loss):
    global made
    made += 1
    if made == last_step:
        os.kill(os.getpid(), signal.SIGKILL)

settings = {"epochs": 6, "evaluate_every": 2, "batch_size": 20, "patience": 2}
LinkPredictor("gcn", training=settings, seed=3, threads=1).fit("karate", output=directory, report=report)
"""


def run(directory, last_step: int) -> int:
    return subprocess.run([sys.executable, "-c", PROGRAM, directory, str(last_step)], check=False).returncode


def test_a_killed_run_ends_with_the_weights_of_one_that_was_not(tmp_path) -> None:
    assert run(tmp_path / "whole", 0) == 0
    for last_step in (1, 3, 2):
        assert run(tmp_path / "killed", last_step) == -signal.SIGKILL
    assert not (tmp_path / "killed" / "model.safetensors").exists()
    assert run(tmp_path / "killed", 0) == 0
    for name in ("model.safetensors", "run.json", "graph.npz", "split.npz"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert not (tmp_path / "killed" / "checkpoint.safetensors").exists()
    assert run(tmp_path / "killed", 1) == 0  # a finished run makes no further step
