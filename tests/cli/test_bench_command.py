"""`edgeorbit bench`: runs what is missing, writes tables, and refuses what it cannot run."""

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
