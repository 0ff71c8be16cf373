"""`edgeorbit synth` with all its options, odd graphs and odd names, and the other commands on what it writes."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from edgeorbit import Graph, ear, refine, write_graph
from edgeorbit.data import load_graph
from edgeorbit.synthetic import GENERATORS, make, save_graph


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """A graph file with text names, two components and a repeated edge."""
    path = tmp_path / "links.csv"
    pairs = [(i, (i * i + 1) % 40) for i in range(40)] + [(50 + i, 51 + i) for i in range(9)] + [(1, 0)]
    path.write_text("from,to\n" + "".join(f"node {u},node {v}\n" for u, v in pairs))
    return path


# Options


@pytest.mark.parametrize(
    "own",
    [
        ["--rows", "3", "--columns", "7"],
        ["--rows=3", "--columns=7"],
        ["--rows", "3", "--seed", "5", "--columns=7"],
        ["--columns", "7", "--rows", "3", "--swaps", "0"],
    ],
)
def test_own_options_of_a_generator_in_every_form(run, tmp_path, own) -> None:
    assert run("synth", "grid", *own, "-o", tmp_path / "out").code == 0
    found = load_graph(tmp_path / "out")
    assert (found.num_nodes, found.num_edges) == (21, 32)
    assert found.origin.recipe["parameters"] | {"rows": 3, "columns": 7} == found.origin.recipe["parameters"]


def test_options_with_text_values(run, tmp_path) -> None:
    outcome = run("synth", "rewired-lattice", "--shape", "square", "--rows=2", "--columns=3", "-o", tmp_path / "out")
    assert outcome.code == 0 and load_graph(tmp_path / "out").num_nodes == 12


def test_every_option_reaches_the_library(run, tmp_path) -> None:
    options = [
        "--copies",
        3,
        "--edges",
        6,
        "--inter",
        0.5,
        "--swaps",
        4,
        "--twins",
        5,
        "--part",
        "pendant",
        "--seed",
        9,
    ]
    assert run("synth", "disjoint-copies", "--of", "karate", *options, "-o", tmp_path / "out", "--threads", 1).code == 2
    options[options.index("pendant")] = "node"
    outcome = run(
        "synth", "disjoint-copies", "--of", "karate", *options, "-o", tmp_path / "out", "--features", "random"
    )
    assert outcome.code == 0
    expected = make(
        "disjoint-copies", of="karate", copies=3, edges=6, inter=0.5, swaps=4, twins=5, seed=9, features="random"
    )
    found = load_graph(tmp_path / "out")
    assert np.array_equal(found.indices, expected.indices) and np.array_equal(found.x, expected.x)
    run("synth", "syn-karate", "--ear", 0.4, "-k", 2, "--dial", "edges", "-o", tmp_path / "dialled")
    expected = make("syn-karate", ear=0.4, rounds=2, dial="edges")
    assert np.array_equal(load_graph(tmp_path / "dialled").indices, expected.indices)


def test_json_is_the_card_of_one_graph_and_a_list_of_several(run, tmp_path) -> None:
    one = json.loads(run("synth", "syn-karate", "--ear", "0.5", "-o", tmp_path / "one", "--json").out)
    stored = json.loads((tmp_path / "one" / "graph.json").read_text())
    assert one.pop("output") == str(tmp_path / "one")
    assert one.items() <= stored.items() and 0.49 <= one["ear"] <= 0.51
    several = json.loads(run("synth", "syn-karate", "--ear", "0.5,0.8", "-o", tmp_path / "two", "--json").out)
    assert [card["target"]["ear"] for card in several] == [0.5, 0.8]
    assert [card["name"] for card in several] == ["syn-karate-0.5", "syn-karate-0.8"]


def test_the_list_names_every_generator_and_its_options(run) -> None:
    outcome = run("synth", "--list")
    assert outcome.code == 0 and "syn-X" in outcome.out
    for name, generator in GENERATORS.items():
        row = next(line for line in outcome.out.splitlines() if line.startswith(f"{name} "))
        assert all(f"--{option} {found.default}" in row for option, found in generator.parameters.items())
        assert ("--of GRAPH" in row) == generator.takes_source


def test_the_table_says_what_was_held_still_and_what_moved(run, tmp_path) -> None:
    outcome = run("synth", "syn-triangle", "--ear", "0.5", "--rounds", 4, "-o", tmp_path / "lattice")
    assert "EAR@4" in outcome.out and "2,091" in outcome.out and "6,090" in outcome.out
    assert "Held still: nodes, edges, mean degree, largest degree, components, degree distribution." in outcome.out
    assert "Moved: nothing." in outcome.out and f"Written to {tmp_path / 'lattice'}" in outcome.err.replace("\n", "")
    outcome = run("synth", "syn-karate", "--twins", 3, "--edges", 2, "-o", tmp_path / "karate")
    assert "Moved: nodes, edges, mean degree" in outcome.out


def test_help_names_the_options_and_has_examples(run) -> None:
    outcome = run("synth", "--help")
    assert outcome.code == 0
    for word in ("--ear", "--rounds", "--stable", "--dial", "--force", "edgeorbit synth syn-cora --ear 0.5"):
        assert word in outcome.out


# Reading what was written


def test_every_command_reads_a_directory_and_a_sweep(run, tmp_path, links) -> None:
    assert run("synth", f"syn-{links}", "--ear", "0.4,0.8", "-k", 2, "-o", tmp_path / "sweep").code == 0
    assert run("synth", f"syn-{links}", "--ear", "0.5", "--stable", "-o", tmp_path / "one").code == 0
    found = json.loads(run("ear", tmp_path / "sweep", tmp_path / "one", "karate", "--rounds", 2, "--json").out)
    assert [one["graph"] for one in found] == ["syn-links-0.4", "syn-links-0.8", "syn-links-0.5", "karate"]
    assert abs(found[0]["ear"] - 0.4) <= 0.01 and abs(found[1]["ear"] - 0.8) <= 0.01
    stats = json.loads(run("stats", tmp_path / "sweep", "--json").out)
    assert [one["num_edges"] for one in stats] == [one["num_edges"] for one in found[:2]]
    assert run("orbits", tmp_path / "one", "-o", tmp_path / "orbits.parquet").code == 0
    orbits = pq.read_table(tmp_path / "orbits.parquet")
    graph = load_graph(tmp_path / "one")
    assert np.mean(orbits["indistinguishable"].to_numpy()) == ear(graph)
    assert abs(ear(graph) - 0.5) <= 0.01
    outcome = run("orbits", tmp_path / "sweep", "-o", tmp_path / "o.csv")
    assert outcome.code == 2 and "name one of the 2 graphs in it, for instance" in outcome.err


def test_the_edge_list_is_a_graph_file_like_any_other(run, tmp_path) -> None:
    run("synth", "syn-karate", "--edges", 7, "-o", tmp_path / "out")
    for name in ("edges.csv", "edges.parquet"):
        found = json.loads(run("ear", tmp_path / "out" / name, "--json").out)
        assert found["num_edges"] == 163
    with (tmp_path / "out" / "edges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["kind"] == "added" for row in rows) == 7
    assert sum(row["copy"] == "" for row in rows) == 0


def test_changed_files_are_one_sentence(run, tmp_path) -> None:
    run("synth", "grid", "-o", tmp_path / "out")
    (tmp_path / "out" / "edges.csv").write_text("source,target\n0,1\n")
    for command in (["ear"], ["stats"], ["orbits", "-o", tmp_path / "o.csv"]):
        outcome = run(command[0], tmp_path / "out", *command[1:])
        assert outcome.code == 2 and outcome.out == "" and outcome.err.count("\n") == 1
        assert "edges.csv: was changed since graph.json was written; make the graph again" in outcome.err


# Odd graphs


def test_text_names_isolated_nodes_dense_features_and_text_labels_are_kept(run, tmp_path) -> None:
    graph = Graph.from_edges(
        [[0, 1], [1, 2], [2, 0], [2, 3]],
        6,
        node_names=np.array(["zoë", "b, c", "#1", "[red]", "e f", "0"]),
        x=np.arange(18, dtype=np.float64).reshape(6, 3),
        y=np.array(["cat", "dog", "cat", "ß", "", "dog"]),
    )
    write_graph(graph, tmp_path / "odd.npz")
    assert run("synth", f"syn-{tmp_path}/odd.npz", "--edges", 3, "--twins", 2, "-o", tmp_path / "out").code == 0
    found = load_graph(tmp_path / "out")
    assert found.num_nodes == 14 and found.origin.num_copies == 2
    assert np.array_equal(found.x, graph.x[found.origin.original]) and found.x.dtype == np.float64
    assert found.y.tolist() == graph.y[found.origin.original].tolist()
    assert found.origin.kind_counts() == {"original": 8, "added": 3, "twin": found.num_edges - 11}


@pytest.mark.parametrize("part", ["node", "pendant"])
def test_a_directory_is_a_source_again_and_its_twins_stay_twins(run, tmp_path, part) -> None:
    assert run("synth", "lobster", "--twins", 12, "--part", part, "-o", tmp_path / "first").code == 0
    for name, more in {
        "edges": ["--edges", 30],
        "swaps": ["--swaps", 10],
        "clones": ["--twins", 5],
        "dial": ["--ear", 0.6, "--rounds", 2],
        "copies": ["--copies", 2, "--edges", 20],
    }.items():
        generator = "disjoint-copies" if name == "copies" else "twins"
        outcome = run("synth", generator, "--of", tmp_path / "first", *more, "-o", tmp_path / name)
        assert outcome.code == 0, outcome.err
        found = load_graph(tmp_path / name)
        colours = refine(found).labels
        twins = np.flatnonzero(found.origin.twin_of >= 0)
        assert len(twins) >= 12
        assert np.array_equal(colours[twins], colours[found.origin.twin_of[twins]])
        touched = found.edges[found.origin.edge_kind == 1].ravel()
        assert not set(touched.tolist()) & set(np.flatnonzero(load_graph(tmp_path / "first").origin.twinned).tolist())


@pytest.mark.parametrize(
    "name", ["[red]trap[.csv", "späße ☃.csv", "-dash.csv", "syn-triangle", "two words", "a'b\"c.tsv"]
)
def test_odd_names_of_files_are_no_hindrance(run, tmp_path, monkeypatch, name) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("a\tb\nb\tc\nc\ta\nc\td\n" if name.endswith("tsv") else "a,b\nb,c\nc,a\nc,d\n")
    outcome = run("synth", f"syn-{name}", "--edges", 1, "-o", f"out {name}")
    assert outcome.code == 0, outcome.err
    stem = Path(name).stem
    assert f"syn-{stem}" in outcome.out
    assert json.loads(run("ear", f"out {name}", "--json").out)["graph"] == f"syn-{stem}"


def test_a_name_of_any_bytes_is_no_hindrance(run, tmp_path) -> None:
    path = tmp_path / "x\udcff.csv"
    try:
        path.write_text("a,b\nb,c\n")
    except OSError:
        pytest.skip("this system has no such file names")
    assert run("synth", f"syn-{path}", "-o", tmp_path / "out", "--json").code == 0
    assert load_graph(tmp_path / "out").num_edges == 4


# Where it goes


def test_missing_parents_are_made_and_an_empty_directory_is_filled(run, tmp_path, monkeypatch) -> None:
    assert run("synth", "prism", "-o", tmp_path / "a" / "b" / "c").code == 0
    assert load_graph(tmp_path / "a" / "b" / "c").num_edges == 9
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("synth", "prism", "-o", ".").code == 0
    assert Path("graph.json").exists() and json.loads(run("ear", ".", "--json").out)["num_edges"] == 9


def test_a_file_of_the_users_survives_a_graph_that_is_forced_beside_it(run, tmp_path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert run("synth", "prism", "-o", tmp_path).code == 2
    assert [entry.name for entry in tmp_path.iterdir() if entry.name != "cache"] == ["mine.txt"]
    assert run("synth", "prism", "-o", tmp_path, "--force").code == 0
    assert (tmp_path / "mine.txt").read_text() == "mine" and (tmp_path / "graph.json").exists()


def test_a_source_may_be_replaced_by_what_is_made_from_it(run, tmp_path) -> None:
    run("synth", "prism", "-o", tmp_path / "out")
    outcome = run("synth", "disjoint-copies", "--of", tmp_path / "out", "-o", tmp_path / "out", "--force")
    assert outcome.code == 0 and load_graph(tmp_path / "out").num_edges == 18


def test_a_graph_file_in_the_way_is_never_replaced(run, tmp_path) -> None:
    (tmp_path / "edges.csv").write_text("ann,bob\nbob,cid\ncid,ann\n")
    outcome = run("synth", f"syn-{tmp_path}/edges.csv", "-o", tmp_path, "--force")
    assert outcome.code == 2 and "edges.csv: is in the way" in outcome.err and outcome.err.count("\n") == 1
    assert (tmp_path / "edges.csv").read_text() == "ann,bob\nbob,cid\ncid,ann\n"
    assert {path.name for path in tmp_path.iterdir()} <= {"edges.csv", "cache"}


def stamps(directory: Path) -> dict[Path, tuple[int, bytes]]:
    return {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in directory.rglob("*") if file.is_file()}


@pytest.mark.parametrize("ears", ["0.5", "0.3,0.6"])
def test_what_is_there_already_is_recognised_and_nothing_else(run, tmp_path, links, ears) -> None:
    def synth(*options: object):
        return run("synth", f"syn-{links}", "--ear", ears, "-o", tmp_path / "out", *options)

    first = json.loads(synth("--json").out)
    before = stamps(tmp_path / "out")
    again = synth("--copies", "2", "--threads", "1")
    assert (
        again.code == 0 and "Already in" in again.err + again.out and "with the same options" in again.err + again.out
    )
    assert json.loads(synth("--json").out) == first
    for options in (
        ["--seed", "1"],
        ["--rounds", "2"],
        ["--inter", "0.5"],
        ["--copies", "3"],
        ["--features", "degree"],
    ):
        refused = synth(*options)
        assert refused.code == 2 and "is not empty; choose another directory, or add --force" in refused.err
    assert stamps(tmp_path / "out") == before
    links.write_text(links.read_text() + "another,node\n")
    assert synth().code == 2
    assert synth("--force").code == 0 and synth().code == 0


def test_a_damaged_output_or_one_of_another_generator_is_not_taken_for_what_is_asked(run, tmp_path) -> None:
    def synth(of: str) -> int:
        return run("synth", "disjoint-copies", "--of", of, "-o", tmp_path / "out").code

    assert [synth("grid"), synth("grid"), synth("cycle")] == [0, 0, 2]
    with (tmp_path / "out" / "edges.csv").open("a") as file:
        file.write("0,5,original,0\n")
    assert synth("grid") == 2


def test_a_graph_that_was_changed_and_saved_again_is_not_what_was_asked(run, tmp_path) -> None:
    options = ["synth", "syn-karate", "--features", "degree", "-o", tmp_path / "out"]
    assert [run(*options).code, run(*options).code] == [0, 0]
    save_graph(load_graph(tmp_path / "out").with_attributes(x=None), tmp_path / "out", force=True)
    assert run(*options).code == 2


KILLED = """
import os, signal, sys
from edgeorbit.cli.main import main
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
sys.argv = ["edgeorbit", "synth", "prism", "-o", sys.argv[1]]
main()
"""


def test_what_a_killed_command_left_is_gone_when_the_next_one_begins(run, tmp_path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "out"], capture_output=True, check=False)
    assert list(tmp_path.glob(".edgeorbit-*")) and not (tmp_path / "out").exists()
    assert run("synth", "syn-karate", "--ear", "2", "-o", tmp_path / "out").code == 2
    assert not list(tmp_path.glob(".edgeorbit-*"))
    assert run("synth", "prism", "-o", tmp_path / "out").code == 0
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "other"], capture_output=True, check=False)
    assert list(tmp_path.glob(".edgeorbit-*"))
    assert "Already in" in run("synth", "prism", "-o", tmp_path / "out").err
    assert {entry.name for entry in tmp_path.iterdir()} <= {"out", "cache"}


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say what to make and where, for instance edgeorbit synth syn-cora --ear 0.5 -o half; --list shows all"),
        (["grid"], "say what to make and where"),
        (["-o", "OUT"], "say what to make and where"),
        (["nothing", "-o", "OUT"], "'nothing' is not a generator; there are disjoint-copies, twins,"),
        (["barabasi", "-o", "OUT"], "did you mean barabasi-albert? There are"),
        (["syn-karat", "-o", "OUT"], "did you mean karate"),
        (["--rows", "3", "grid", "-o", "OUT"], "--rows stands before the generator; name the generator first, then its"),
        (["grid", "--row", "3", "-o", "OUT"], "grid has no option --row; did you mean --rows?"),
        (["grid", "--colour", "3", "-o", "OUT"], "grid has no option --colour; "),
        (["cycle", "--xyz", "-o", "OUT"], "cycle has no option --xyz; its own options are --nodes"),
        (["twins", "--of", "karate", "--xyz", "-o", "OUT"], "twins has no option --xyz; its own options are none"),
        (["grid", "3", "-o", "OUT"], "grid has no option 3; "),
        (["grid", "-x", "-o", "OUT"], "grid has no option -x; "),
        (["grid", "--rows", "-o", "OUT"], "--rows needs a value, for instance --rows 5"),
        (["grid", "--rows=", "-o", "OUT"], "--rows : give a whole number"),
        (["grid", "--rows", "2.5", "-o", "OUT"], "--rows 2.5: give a whole number"),
        (["grid", "--rows", "0", "-o", "OUT"], "rows of a grid must be at least 1, not 0"),
        (["grid", "--rows", "-3", "-o", "OUT"], "rows of a grid must be at least 1, not -3"),
        (["grid", "--rows", "9" * 30, "-o", "OUT"], "rows of grid must be at most 2,147,483,647, not "),
        (["tree", "--depth", "99", "-o", "OUT"], "a tree of that size has more than 2,147,483,647 nodes; ask for a"),
        (["syn-karate", "--ear", "1.01", "-o", "OUT"], "a target EAR lies from 0 to 1, not at 1.01"),
        (["syn-karate", "--ear", "nan", "-o", "OUT"], "a target EAR lies from 0 to 1, not at nan"),
        (["syn-karate", "--ear", "0.5,x", "-o", "OUT"], "--ear 0.5,x: give a number from 0 to 1, or several with commas"),
        (["syn-karate", "--ear", "", "-o", "OUT"], "give a number from 0 to 1, or several with commas"),
        (["syn-karate", "--ear", "0.5,0.50", "-o", "OUT"], "two graphs of the sweep are called ear-0.5; name targets once"),
        (["syn-karate", "--ear", "0.5", "-k", "-1", "-o", "OUT"], "rounds must be 0 or more, not -1"),
        (["syn-karate", "-k", "1", "--stable", "-o", "OUT"], "--rounds and --stable contradict each other; leave one"),
        (["syn-karate", "--seed", "-1", "-o", "OUT"], "a seed is a whole number from 0 to 2^63 - 1, not -1"),
        (["syn-karate", "--inter", "2", "-o", "OUT"], "inter is a share of edges from 0 to 1, not 2.0"),
        (["syn-karate", "--part", "leaf", "-o", "OUT"], "part 'leaf' cannot be cloned; choose from node, pendant"),
        (["syn-karate", "--dial", "up", "-o", "OUT"], "dial 'up' is unknown; choose from auto, edges, swaps, twins"),
        (["syn-karate", "--features", "all", "-o", "OUT"], "features 'all' are unknown; choose from original, constant"),
        (["syn-karate", "--edges", "9" * 30, "-o", "OUT"], "syn-karate has room for "),
        (["syn-karate", "--edges", "-1", "-o", "OUT"], "edges must not be negative, not -1"),
        (["syn-missing.csv", "-o", "OUT"], "missing.csv: no such file, and no data set of that name"),
        (["grid", "--threads", "0", "-o", "OUT"], "threads must be at least 1, not 0"),
        (["random-tree", "--nodes", "1", "-o", "OUT"], "random-tree has no edges, so it has no EAR to choose"),
        (["cycle", "--nodes", "3", "--swaps", "1", "-o", "OUT"], "cycle: 0 swaps that keep every degree and double no"),
        (["grid", "-o", "FILE"], "file: is a file; give the name of a directory"),
        (["grid", "-o", "FILE/inside"], "inside: cannot be written (Not a directory)"),
        (["grid", "-o", "FULL"], "is not empty; choose another directory, or add --force to write into it"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence_code_2_and_leave_nothing(run, tmp_path, arguments, sentence) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    places = {"OUT": "out", "FILE": "file", "FULL": "full"}
    given = [re.sub("^(OUT|FILE|FULL)", lambda found: f"{tmp_path}/{places[found[0]]}", one) for one in arguments]
    outcome = run("synth", *given)
    assert outcome.code == 2 and outcome.out == ""
    assert sentence in outcome.err and outcome.err.count("\n") == 1 and "Traceback" not in outcome.err
    assert sorted(path for path in tmp_path.rglob("*") if "cache" not in path.parts) == before


@pytest.mark.parametrize(
    "arguments", [["--seed", "x"], ["--edges", "1.5"], ["--inter", "half"], ["-k", "two"], ["--ear"]]
)
def test_misused_options_end_with_code_2(run, tmp_path, arguments) -> None:
    outcome = run("synth", "grid", "-o", tmp_path / "out", *arguments)
    assert outcome.code == 2 and "Traceback" not in outcome.err and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["syn-karate", "--ear", "0.5", "--rounds", "1"],
        ["syn-two-copies", "--ear", "0.6", "--rounds", "0"],
        ["syn-karate", "--ear", "0.2", "--dial", "twins"],
        ["grid", "--rows", "12", "--columns", "12", "--ear", "0.2", "--rounds", "2"],
        ["random-tree", "--nodes", "300", "--edges", "150", "--ear", "0.95", "--part", "pendant"],
        ["syn-karate", "--ear", "0.3", "--twins", "0", "--edges", "0"],
    ],
)
def test_what_a_refusal_advises_can_be_typed_and_works(run, tmp_path, arguments) -> None:
    outcome = run("synth", *arguments, "-o", tmp_path / "out")
    assert outcome.code == 2 and "the nearest is" in outcome.err and not (tmp_path / "out").exists()
    advice = re.search(r"; (.*) reaches ", outcome.err)
    assert advice is not None, outcome.err
    if advice[1].startswith("leaving "):
        for option in re.findall(r"--\w+", advice[1]):
            place = arguments.index(option)
            arguments = arguments[:place] + arguments[place + 2 :]
    else:
        option, *value = advice[1].split()
        if option in ("--rounds", "--stable"):
            place = arguments.index("--rounds")
            arguments = arguments[:place] + arguments[place + 2 :]
        if option in arguments:
            place = arguments.index(option)
            arguments = arguments[:place] + arguments[place + 2 :]
        arguments = [*arguments, option, *value]
    assert run("synth", *arguments, "-o", tmp_path / "out").code == 0
    rounds = arguments[arguments.index("--rounds") :][:2] if "--rounds" in arguments else []
    found = json.loads(run("ear", tmp_path / "out", *rounds, "--json").out)
    assert abs(found["ear"] - float(arguments[arguments.index("--ear") + 1])) <= 0.01
