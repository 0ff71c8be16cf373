"""`edgeorbit bench`: runs what is missing, writes tables, and refuses what it cannot run."""

import signal
import subprocess
import sys
import time

import psutil
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch_geometric")

from edgeorbit.cli.main import app
from edgeorbit.errors import EdgeorbitError

FILE = """
title = "Heuristics"
seeds = 2
models = ["cn", "ra"]
[[data]]
source = "karate"
features = ["constant"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "heuristics.toml"
    path.write_text(FILE)
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def test_runs_are_listed_made_once_and_shown(file, tmp_path) -> None:
    listed = run(file, "--dry-run")
    assert listed.stdout.splitlines()[0] == "cn on karate, constant features, seed 0" and "4 runs" in listed.output
    assert run(file, "--only", "seed 0", "--jobs", 1).exit_code == 0
    assert len(run(file, "--dry-run").stdout.splitlines()) == 2
    assert run(file, "--jobs", 1).exit_code == 0
    assert run(file, "--dry-run").stdout == ""
    assert run(file, "--write", tmp_path / "page.md").exit_code == 0
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Heuristics") and "| model | karate (2) |" in page


def test_no_run_of_that_description_is_told(file) -> None:
    with pytest.raises(EdgeorbitError, match="no run is described by gin"):
        CliRunner().invoke(app, ["bench", str(file), "--only", "gin"], catch_exceptions=False)


def test_a_broken_pattern_is_told(file) -> None:
    with pytest.raises(EdgeorbitError, match="no regular expression"):
        CliRunner().invoke(app, ["bench", str(file), "--only", "("], catch_exceptions=False)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs Unix signals")
def test_a_command_that_is_ended_leaves_no_process_behind(tmp_path) -> None:
    experiment = tmp_path / "long.toml"
    experiment.write_text(
        'seeds = 1\nmodels = ["gcn"]\n[training]\nepochs = 100000\npatience = 100000\n'
        '[[data]]\nsource = "karate"\nfeatures = ["constant"]\n'
    )
    command = [sys.executable, "-c", "from edgeorbit.cli.main import main; main()", "bench", str(experiment)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)

    children: list[psutil.Process] = []
    deadline = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < deadline:  # one that runs, and one that watches shared memory
        time.sleep(0.2)
        children = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive
