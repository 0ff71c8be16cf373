"""`edgeorbit bench`: runs what is missing, writes tables, and refuses what it cannot run."""

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch_geometric")

from edgeorbit.cli.bench_progress import Lines, live_table, outcome
from edgeorbit.cli.commands import app
from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.running import Progress
from edgeorbit.experiments.store import Store

FILE = """
title = "Heuristics"
seeds = 2
models = ["cn", "ra"]
[[data]]
source = "karate"
features = ["constant"]
"""
# Its second graph has no such features.
FAILING = FILE + '[[data]]\nname = "without"\nsource = "prism"\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "heuristics.toml"
    path.write_text(FILE)
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def test_results_of_settings_that_were_changed_are_told_of_and_removed(file) -> None:
    assert run(file, "--jobs", 1).exit_code == 0
    assert "no longer planned" not in run(file, "--dry-run").output
    file.write_text(FILE.replace('"cn", "ra"', '"ra", "aa"'))
    assert "has 2 runs that are no longer planned; tables leave them out" in run(file, "--dry-run").output
    store = Store(file.with_suffix(".parquet"))
    before = store.path.read_bytes()
    told = run(file, "--prune", "--dry-run")
    assert told.exit_code == 0 and told.stdout.splitlines() == ["karate: cn (2)"]
    assert "2 rows of runs that" in told.stderr and "would be removed" in told.stderr and "2 would be" in told.stderr
    assert store.path.read_bytes() == before
    pruned = run(file, "--prune")
    assert pruned.exit_code == 0 and "2 rows of runs that" in pruned.output and "2 are left" in pruned.output
    assert {row["model"] for row in Store(file.with_suffix(".parquet")).rows} == {"ra"}
    rest = run(file, "--dry-run")
    assert len(rest.stdout.splitlines()) == 2 and "s, if aa, never run here, took as long as the others" in rest.output
    refused = run(file, "--prune", "--only", "ra")
    assert isinstance(refused.exception, EdgeorbitError) and "leave --only out" in str(refused.exception)


def test_runs_are_listed_made_once_and_shown(file, tmp_path) -> None:
    listed = run(file, "--dry-run")
    assert listed.stdout.splitlines()[0] == "cn on karate, constant features, seed 0" and "4 runs" in listed.output
    assert "known after the first ones" in listed.output
    first = run(file, "--only", "seed 0", "--jobs", 1)
    assert first.exit_code == 0 and "1/2 cn on karate, constant features, seed 0: test AUC " in first.output
    assert "2 runs made, 0 failed" in first.output
    rest = run(file, "--dry-run", "--jobs", 1)
    assert len(rest.stdout.splitlines()) == 2 and "2 runs to make, one after the other: about " in rest.output
    assert "never run" not in rest.output
    assert run(file, "--jobs", 1).exit_code == 0
    assert run(file, "--dry-run").stdout == ""
    assert len(run(file, "--dry-run", "--redo", "all").stdout.splitlines()) == 4
    assert (
        run(file, "--dry-run", "--redo", "outdated").stdout == run(file, "--dry-run", "--redo", "failed").stdout == ""
    )
    written = run(file, "--write", tmp_path / "page.md")
    assert written.exit_code == 0 and written.stdout == "" and f"Written to {tmp_path / 'page.md'}" in written.stderr
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Heuristics") and "| model | karate (2) |" in page


def test_a_page_is_not_replaced_by_one_without_results(file, tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Mine")
    for _ in range(2):
        with pytest.raises(EdgeorbitError, match=r"has no results of .*heuristics\.toml, so there is nothing to write"):
            CliRunner().invoke(app, ["bench", str(file), "--write", str(page)], catch_exceptions=False)
        assert page.read_text() == "# Mine"
        other = {"key": "of another plan", "data": "karate", "model": "ra", "seed": 0, "negatives": "random"}
        Store(file.with_suffix(".parquet")).add([other])  # rows that are not planned make no table, either


def test_runs_that_are_chosen_twice_over_are_described_by_both(file) -> None:
    assert run(file, "--dry-run", "--only", "^ra", "--only", "seed 1").stdout.splitlines() == [
        "ra on karate, constant features, seed 1"
    ]
    assert "given twice, both" in " ".join(run("--help").output.replace("│", " ").split())


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
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


@pytest.fixture
def filled(file):
    store = Store(file.with_suffix(".parquet"))
    for cell in read_experiment(file).cells[:3]:
        row = {"key": cell.key, "data": "karate", "features": "constant", "model": cell.model, "seed": cell.seed}
        failed = None if cell.model == "ra" else "for a reason"
        store.add([row | {"negatives": "random", "test_auc": 0.5, "seconds": 60.0, "failed": failed}])
    return store


def test_rows_of_unknown_code_are_told_and_chosen_to_be_run_again(file, filled) -> None:
    told = run(file, "--dry-run", "--jobs", 2)
    assert told.stdout.splitlines() == ["ra on karate, constant features, seed 1"]
    assert "4 runs, 3 of them done" in told.output and "3 by unknown code; --redo outdated" in told.output
    assert "1 runs to make, 2 at a time: about 1 min 0 s" in told.output
    assert len(run(file, "--dry-run", "--redo", "outdated").stdout.splitlines()) == 4
    assert len(run(file, "--dry-run", "--redo", "failed").stdout.splitlines()) == 3


def test_questions_to_the_results_are_answered_as_a_table_or_json(file, filled) -> None:
    sql = "SELECT model, count(*) AS runs FROM results GROUP BY model ORDER BY model"
    assert json.loads(run(file, "--sql", sql, "--json").stdout) == [
        {"model": "cn", "runs": 2},
        {"model": "ra", "runs": 1},
    ]
    table = run(file, "--sql", sql).stdout.splitlines()
    assert table[0].split() == ["model", "runs"] and table[-1].split() == ["ra", "1"]
    assert "no rows" in run(file, "--sql", "SELECT * FROM results WHERE false").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--redo", "some"], "choose from failed, outdated, all"),
        (["--json"], "--json goes with --sql"),
        (["--sql", "SELEC"], "SELEC"),
        (["--memory-limit", "0"], "must be above 0 GB, got 0"),
        (["--jobs", "0"], "--jobs must be at least 1, not 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(file, arguments, said) -> None:
    with pytest.raises(EdgeorbitError, match=said):
        CliRunner().invoke(app, ["bench", str(file), *arguments], catch_exceptions=False)


def test_a_quick_look_goes_to_another_file_and_fails_if_a_run_does(file) -> None:
    file.write_text(FILE.replace("[[data]]", '[quick]\nmodels = ["ra"]\n[[data]]'))
    found = run(file, "--quick", "--jobs", 1)
    assert found.exit_code == 0 and "1 runs made, 0 failed" in found.output
    place = Path(found.output.split("results go to ")[1].splitlines()[0])
    assert len(Store(place).rows) == 1 and not file.with_suffix(".parquet").exists()
    with pytest.raises(EdgeorbitError, match="leave -o out"):
        CliRunner().invoke(
            app, ["bench", str(file), "--quick", "-o", str(file.with_suffix(".parquet"))], catch_exceptions=False
        )
    file.write_text(FAILING)
    failing = run(file, "--quick", "--jobs", 1, "-o", file.with_name("q.parquet"))
    assert failing.exit_code == 1 and "4 runs made, 2 failed" in failing.output
    assert len(Store(file.with_name("q.parquet")).rows) == 4


def test_a_bench_makes_all_runs_and_ends_with_code_1_if_one_failed(file) -> None:
    file.write_text(FAILING)
    failing = run(file, "--only", "ra on", "--jobs", 1)
    assert failing.exit_code == 1 and "4 runs made, 2 failed" in failing.output
    assert run(file, "--only", "cn on karate", "--jobs", 1).exit_code == 0


def test_what_cannot_be_run_is_refused_by_a_dry_run_too(file) -> None:
    for old, new, said in (
        ('"karate"', '"karat"', r"heuristics.toml line 6, data\[0\].source: karat: no such file"),
        (
            "[[data]]",
            "[settings.gcn]\nhiden_channels = 8\n[[data]]",
            r" line 6, settings.gcn.hiden_channels: gcn has no",
        ),
    ):
        file.write_text(FILE.replace(old, new))
        for options in ([], ["--dry-run"]):
            with pytest.raises(EdgeorbitError, match=said):
                CliRunner().invoke(app, ["bench", str(file), *options], catch_exceptions=False)
    assert not file.with_suffix(".parquet").exists()


CELL = Cell("[red]graph", {"source": "x"}, "constant", "gcn", 3, ("random",))
DONE = [{"negatives": "random", "test_auc": 0.5, "cell_seconds": 3.0, "failed": None}]


def test_the_live_table_shows_what_runs_what_came_and_what_is_left() -> None:
    from rich.console import Console

    shown = io.StringIO()
    progress = Progress(((CELL, 75.0),), (CELL, DONE), 5, 1, 7, 3700.0)
    failed = [{"negatives": "random", "failed": "Traceback\n  in\nZeroDivisionError: a [b]defect"}]
    Console(file=shown, width=120).print(live_table(progress, [(CELL, DONE), (CELL, failed)]))
    for part in ("[red]graph", "1 min 15 s", "test AUC 50.00 (random), 3 s", "failed: ZeroDivisionError: a [b]defect"):
        assert part in shown.getvalue()
    assert "5 done, 1 failed, 1 running, 7 left; about 1 h 1 min left" in shown.getvalue()


def test_a_log_has_a_line_for_every_run(capsys) -> None:
    lines = Lines()
    lines(Progress(((CELL, 75.0),), None, 0, 0, 7, None))
    lines(Progress((), (CELL, DONE), 1, 0, 2, 90.0))
    lines(Progress((), None, 1, 0, 2, 90.0))
    said = capsys.readouterr().err.splitlines()
    assert said == [f"1/3 {CELL}: test AUC 50.00 (random), 3 s; about 1 min 30 s left"]
    assert outcome([{"negatives": "random"}]) == "done"


def test_runs_are_shown_to_mlflow_too(file, tmp_path, monkeypatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    from edgeorbit.experiments.tracking import ENVIRONMENT

    for name in ENVIRONMENT:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    assert run(file, "--jobs", 1, "--only", "^ra .* seed 0", "--track", tmp_path / "runs").exit_code == 0
    client = mlflow.MlflowClient(tracking_uri=(tmp_path / "runs").as_uri())
    (experiment,) = [one for one in client.search_experiments() if one.name == "Heuristics"]
    (shown,) = client.search_runs([experiment.experiment_id])
    (row,) = Store(file.with_suffix(".parquet")).rows
    assert shown.info.run_name == "ra on karate, constant features, seed 0, random negatives"
    assert shown.data.metrics["test_auc"] == row["test_auc"] and shown.data.params["model"] == "ra"
