"""A long cell that was killed goes on from its checkpoint, to the same result."""

import signal
import subprocess
import sys

import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.experiments.cell import run_cell
from edgeorbit.experiments.plan import Cell
from edgeorbit.prediction.run_directory import CHECKPOINT, INFO, WEIGHTS
from edgeorbit.training import loop

TRAINING = {"epochs": 60, "evaluate_every": 5, "patience": 100, "metric": "auc"}
CELL = Cell("karate", {"source": "karate"}, "constant", "gcn", 0, ("random",), None, {"hidden_channels": 8}, TRAINING)
INCIDENTAL = {"seconds", "cell_seconds", "peak_memory", "made"}

RUN = """
import itertools, os, signal, sys, time
from pathlib import Path
from edgeorbit.experiments.cell import run_cell
from edgeorbit.experiments.plan import Cell
from edgeorbit.training import loop
loop.CHECKPOINT_SECONDS = 0.0
step, number = loop.Trainer._step, itertools.count()

def killed_at_the_20th(*given):
    if next(number) == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return step(*given)

loop.Trainer._step = killed_at_the_20th
run_cell(eval(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs Unix signals")
def test_a_killed_cell_goes_on_from_its_checkpoint_to_the_same_result(tmp_path, monkeypatch) -> None:
    place = tmp_path / "cell"
    killed = subprocess.run([sys.executable, "-c", RUN, repr(CELL), place], check=False)
    assert killed.returncode == -signal.SIGKILL and (place / "run" / CHECKPOINT).exists()
    steps = []
    step = loop.Trainer._step
    monkeypatch.setattr(loop.Trainer, "_step", lambda *given: steps.append(1) or step(*given))
    resumed, after = run_cell(CELL, place), len(steps)
    whole = run_cell(CELL)
    assert len(steps) - after == after + 20, "it made all steps but those before the kill"
    assert [{key: row[key] for key in row if key not in INCIDENTAL} for row in resumed] == [
        {key: row[key] for key in row if key not in INCIDENTAL} for row in whole
    ]
    assert resumed[0]["seconds"] > 0.5, "the time before the kill counts"
    assert run_cell(CELL, place)[0]["test_auc"] == whole[0]["test_auc"], "a finished run is taken as it is"


def test_a_damaged_checkpoint_is_no_reason_to_fail(tmp_path) -> None:
    found = run_cell(CELL, tmp_path / "cell")
    for name in (INFO, WEIGHTS):
        assert (tmp_path / "cell" / "run" / name).exists()
        (tmp_path / "cell" / "run" / name).write_text("damaged")
        assert run_cell(CELL, tmp_path / "cell")[0]["test_auc"] == found[0]["test_auc"]
