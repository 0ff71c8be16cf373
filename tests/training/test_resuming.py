"""A run that was killed goes on as if nothing had happened."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {"model.safetensors", "run.json", "graph.npz", "split.npz"}

# Loads all code by a first run, and then makes each run in a process of its own, which kills itself at the wanted moment: after a step
# of training, or just before or after the n-th file gets its final name.
PROGRAM = """
import gc, json, os, signal, sys
from pathlib import Path
from edgeorbit.prediction import LinkPredictor
from edgeorbit.training import loop

loop.CHECKPOINT_SECONDS = 0.0
counts = {"step": 0, "before": 0, "after": 0}

def run(directory, moment, last):
    def reach(reached):
        counts[reached] += 1
        if reached == moment and counts[reached] == last:
            os.kill(os.getpid(), signal.SIGKILL)

    rename = Path.replace

    def replace(path, target):
        reach("before")
        rename(path, target)
        reach("after")

    Path.replace = replace
    fit(directory, lambda *_: reach("step"))

def fit(directory=None, report=None):
    settings = {"epochs": 2, "evaluate_every": 1, "batch_size": 31}
    predictor = LinkPredictor("gcn", settings={"hidden_channels": 8}, training=settings, seed=3, threads=1)
    predictor.fit("karate", output=directory, report=report)

fit()
gc.freeze()  # a collection in a child would copy all that it shares with this process
for directory, moment, last in json.loads(sys.argv[1]):
    child = os.fork()
    if child == 0:
        try:
            run(directory, moment, last)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def run_all(runs: list[tuple[Path, str, int]]) -> list[int]:
    """Make runs one after the other, each killed at its moment; return how each ended."""
    wanted = json.dumps([(str(directory), moment, last) for directory, moment, last in runs])
    found = subprocess.run([sys.executable, "-c", PROGRAM, wanted], check=True, stdout=subprocess.PIPE, text=True)
    return list(map(int, found.stdout.split()))


@pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs torch_geometric")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_killed_run_ends_with_the_bytes_of_one_that_was_not(tmp_path) -> None:
    whole, often = tmp_path / "whole", tmp_path / "often"
    steps = [(often, "step", last) for last in (1, 3, 2)]
    # Files: the graph, the split, what the run is; a checkpoint after each of 4 steps; the weights, what came out.
    moments = [("before", 1), ("before", 2), ("before", 3), ("after", 3), ("before", 4), ("after", 4)]
    moments += [("before", 6), ("after", 7), ("before", 8), ("after", 8), ("before", 9), ("after", 9)]
    once = [(tmp_path / f"{moment}-{last}", moment, last) for moment, last in moments]
    ends = run_all(
        [(whole, "never", 0), *steps, (often, "never", 0), (often, "step", 1), *once]
        + [(directory, "never", 0) for directory, _, _ in once]
    )
    killed = [-signal.SIGKILL]
    # The sixth: a finished run makes no further step.
    assert ends == [0, *3 * killed, 0, 0, *len(once) * killed, *len(once) * [0]]
    for directory in (often, *(directory for directory, _, _ in once)):
        assert {file.name for file in directory.iterdir()} == FILES, directory.name
        for name in FILES:
            assert (directory / name).read_bytes() == (whole / name).read_bytes(), (directory.name, name)
