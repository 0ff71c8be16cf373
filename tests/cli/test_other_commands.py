"""`edgeorbit orbits`, `stats`, `demo` and the frame around all commands."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from edgeorbit.data import load_graph
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import refine


@pytest.fixture
def links(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("ann,bob\nbob,cid\ncid,dan\n")
    return path


def test_orbits_are_written_by_the_users_own_ids(run, links, tmp_path) -> None:
    outcome = run("orbits", links, "-o", tmp_path / "out.csv")
    assert outcome.code == 0 and "3 edges to" in outcome.out
    edges = list(csv.DictReader((tmp_path / "out.csv").open()))
    assert [(row["source"], row["target"], row["orbit_size"], row["indistinguishable"]) for row in edges] == [
        ("ann", "bob", "2", "true"),
        ("bob", "cid", "1", "false"),
        ("cid", "dan", "2", "true"),
    ]
    nodes = list(csv.DictReader((tmp_path / "out.nodes.csv").open()))
    assert [(row["node"], row["orbit_size"], row["degree"]) for row in nodes] == [
        ("ann", "2", "1"), ("bob", "2", "2"), ("cid", "2", "2"), ("dan", "2", "1"),
    ]  # fmt: skip


def test_orbits_as_parquet_are_those_of_the_library(run, tmp_path) -> None:
    assert run("orbits", "karate", "-o", tmp_path / "out.parquet", "--rounds", "1").code == 0
    graph = load_graph("karate")
    colouring = refine(graph, 1)
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["orbit"].to_pylist() == edge_orbits(graph, colouring).labels.tolist()
    assert pq.read_table(tmp_path / "out.nodes.parquet")["orbit"].to_pylist() == colouring.labels.tolist()


def test_exact_orbits_are_a_column_more(run, tmp_path) -> None:
    pytest.importorskip("igraph")
    found = json.loads(run("orbits", "prism", "-o", tmp_path / "out.parquet", "--exact", "--json").out)
    assert len(set(pq.read_table(found["edges"])["exact_orbit"].to_pylist())) == 2


@pytest.mark.parametrize(
    ("output", "sentence"),
    [("out.txt", "the ending must be one of .parquet, .csv"), ("no/such/dir/out.csv", "create the directory first")],
)
def test_outputs_that_cannot_be_written_get_one_sentence(run, tmp_path, output, sentence) -> None:
    outcome = run("orbits", "karate", "-o", tmp_path / output)
    assert outcome.code == 2
    assert sentence in outcome.err and outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "cache"])


def test_the_graph_itself_is_never_overwritten(run, links) -> None:
    before = links.read_text()
    outcome = run("orbits", links, "-o", links)
    assert outcome.code == 2 and "is the graph itself; write to another file" in outcome.err
    assert links.read_text() == before


def test_a_table_that_cannot_be_written_leaves_none_behind(run, tmp_path) -> None:
    (tmp_path / "out.csv").mkdir()
    outcome = run("orbits", "karate", "-o", tmp_path / "out.csv")
    assert outcome.code == 2 and "is a directory" in outcome.err
    assert not (tmp_path / "out.nodes.csv").exists()


def test_stats_show_plain_and_orbit_statistics(run) -> None:
    outcome = run("stats", "karate", "prism")
    assert outcome.code == 0
    assert all(word in outcome.out for word in ["Clustering", "0.5706", "EAR@2", "Largest edge orbit"])
    found = json.loads(run("stats", "karate", "--json").out)
    assert found["transitivity"] == pytest.approx(0.25568181818)
    assert sum(int(size) * count for size, count in found["edge_orbit_sizes"].items()) == 78
    assert sum(int(size) * count for size, count in found["node_orbit_sizes"].items()) == 34


def test_the_demo_shows_what_one_model_tells_apart_and_the_other_cannot(run, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    pytest.importorskip("lightgbm")
    outcome = run("demo", "--json", "--picture", tmp_path / "demo.png")
    assert outcome.code == 0
    shown = json.loads(outcome.out)
    by_name = {one["graph"]: one["ear"] for one in shown["graphs"]}
    assert by_name["two-copies"] == 1 > by_name["two-copies-joined"]
    auc = {one["model"]: one["auc"] for one in shown["models"]}
    assert auc["gcn"] == pytest.approx(0.5, abs=0.01) and min(auc["eo-gnn"], auc["orbit-boost"]) > 0.9
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_explains_itself(run, monkeypatch) -> None:
    from edgeorbit.cli import demo
    from edgeorbit.report import JudgedLinks

    found = {name: JudgedLinks(np.zeros(2), np.zeros((2, 3)), auc) for name, auc in (("gcn", 0.5), ("eo-gnn", 0.9))}
    monkeypatch.setattr(demo, "_train_models", lambda: found)
    outcome = run("demo")
    assert outcome.code == 0
    assert "two-copies-joined" in outcome.out and "EAR is the share of links" in outcome.out
    assert "0.900" in outcome.out and "coin toss" in outcome.out


def test_the_demo_refuses_a_picture_of_no_kind_before_it_trains(run, monkeypatch) -> None:
    from edgeorbit.cli import demo

    monkeypatch.setattr(demo, "_train_models", lambda: pytest.fail("trained"))
    assert run("demo", "--picture", "demo.gif").code == 2


@pytest.mark.parametrize("command", [[], ["ear"], ["orbits"], ["stats"], ["draw"], ["gallery"], ["synth"], ["demo"]])
def test_help_has_examples(run, command) -> None:
    outcome = run(*command, "--help")
    assert outcome.code == 0
    assert not command or f"edgeorbit {command[0]}" in outcome.out


def test_the_version_is_printed(run) -> None:
    assert run("--version").out.startswith("edgeorbit 0.")


def test_python_runs_the_package_as_the_command() -> None:
    found = subprocess.run([sys.executable, "-m", "edgeorbit", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("edgeorbit 0.")


@pytest.mark.parametrize(
    "statement", ["import edgeorbit", "import edgeorbit.cli.main", "import edgeorbit.cli.commands"]
)
def test_start_up_loads_nothing_heavy(statement: str) -> None:
    heavy = "numba scipy pyarrow networkx torch igraph pandas matplotlib"
    program = f"{statement}; import sys; print([m for m in '{heavy}'.split() if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_measuring_a_graph_does_not_load_linear_algebra() -> None:
    program = (
        "import sys; sys.argv = ['edgeorbit', 'ear', 'karate', '--json']; from edgeorbit.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert 'numba' in sys.modules and not [m for m in ('scipy.linalg', 'pyarrow', 'networkx') if m in sys.modules]\n"
        "import scipy.linalg; scipy.linalg.inv([[2.0]])"
    )
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)


def test_a_reader_that_stops_early_is_no_error() -> None:
    program = "from edgeorbit.cli.main import main; import sys; sys.argv = ['edgeorbit', 'demo', '--json']; main()"
    read_end, write_end = os.pipe()
    os.close(read_end)
    found = subprocess.run(
        [sys.executable, "-c", program], stdout=write_end, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write_end)
    assert "Traceback" not in found.stderr and "Exception" not in found.stderr
