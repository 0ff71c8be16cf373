"""`edgeorbit draw`."""

import json

import pytest

from edgeorbit import Graph, ear
from edgeorbit.cli import draw
from edgeorbit.data import load_graph
from edgeorbit.graph.writing import write_graph
from edgeorbit.report import drawing

KEYS = ["graph", "output", "ear", "rounds", "num_nodes", "num_edges", "drawn_nodes", "drawn_edges", "sample"]


@pytest.fixture(autouse=True)
def coarse(monkeypatch) -> None:
    """Pictures of few dots, which are drawn quickly."""
    monkeypatch.setattr("edgeorbit.report.saving.RESOLUTION", 40)


@pytest.fixture
def lollipops(tmp_path):
    """Triangles, each with a tail of another length: a graph too large for a small picture."""
    edges = []
    for tail in range(1, 40):
        start = 100 * tail
        edges += [(start, start + 1), (start + 1, start + 2), (start, start + 2)]
        edges += [(start + 2 + step, start + 3 + step) for step in range(tail)]
    path = tmp_path / "lollipops.csv"
    path.write_text("\n".join(f"{u},{v}" for u, v in edges) + "\n")
    return path


def test_a_picture_is_written_and_the_ear_is_told(run, tmp_path) -> None:
    outcome = run("draw", "karate", "-o", tmp_path / "orbits.png")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        f"karate: EAR = {ear(load_graph('karate')):.4f} (stable after 2 rounds)",
        f"Written to {tmp_path / 'orbits.png'}",
    ]
    assert (tmp_path / "orbits.png").read_bytes().startswith(b"\x89PNG")


def test_json_has_what_was_measured_and_drawn(run, lollipops, tmp_path) -> None:
    output = tmp_path / "orbits.svg"
    outcome = run("draw", lollipops, "-o", output, "-k", 2, "--max-nodes", 50, "--panel", "network", "--json")
    found = json.loads(outcome.out)
    graph = load_graph(lollipops)
    assert list(found) == [*KEYS, "read"]
    assert found["ear"] == ear(graph, rounds=2) and found["rounds"] == 2 and found["output"] == str(output)
    assert (found["num_nodes"], found["num_edges"]) == (graph.num_nodes, graph.num_edges)
    assert found["drawn_nodes"] == 50 > found["drawn_edges"] > 0
    assert found["sample"].startswith(f"50 of {graph.num_nodes} nodes: the neighbourhoods of")
    whole = json.loads(run("draw", "prism", "-o", output, "--panel", "sizes", "--json").out)
    assert (whole["drawn_nodes"], whole["sample"]) == (0, None)


def test_a_sample_is_stated_in_print_and_in_the_picture(run, lollipops, tmp_path) -> None:
    outcome = run("draw", lollipops, "-o", tmp_path / "orbits.svg", "--max-nodes", 40, "--panel", "network")
    sentence = next(line for line in outcome.out.splitlines() if line.startswith("Drawn: "))
    assert sentence.startswith("Drawn: 40 of ")
    # Text in SVG files is drawn as outlines, with what it says in a comment.
    comments = " ".join((tmp_path / "orbits.svg").read_text().split("<!-- ")).replace("\n", " ")
    assert "Drawn: 40 of " in comments and "largest" in comments


def test_several_graphs_are_drawn_side_by_side(run, tmp_path) -> None:
    found = json.loads(run("draw", "prism", "lobster", "-o", tmp_path / "both.pdf", "--json").out)
    assert [one["graph"] for one in found] == ["prism", "lobster"]
    assert [one["drawn_edges"] for one in found] == [9, 9]
    assert (tmp_path / "both.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_command_gives_the_same_bytes(run, tmp_path) -> None:
    for name in ("first", "second"):
        run("draw", "lobster", "-o", tmp_path / f"{name}.svg", "--panel", "network")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_initial_colours_are_used(run, tmp_path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("ann,bob\nbob,cid\n")
    (tmp_path / "colours.csv").write_text("ann,red\nbob,red\ncid,blue\n")
    output = tmp_path / "a.png"
    plain = json.loads(run("draw", path, "-o", output, "--panel", "network", "--json").out)
    told = json.loads(
        run("draw", path, "-o", output, "--panel", "network", "--json", "--initial", tmp_path / "colours.csv").out
    )
    assert (plain["ear"], told["ear"]) == (1.0, 0.0)


def test_a_name_from_a_file_cannot_break_the_picture(run, tmp_path) -> None:
    path = tmp_path / "a$\\frac{$ [bold]x_{.csv"
    path.write_text("1,2\n2,3\n")
    outcome = run("draw", path, "-o", tmp_path / "a.png", "--panel", "network")
    assert outcome.code == 0 and outcome.out.startswith("a$\\frac{$ [bold]x_{: EAR")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "a.gif"], "a.gif: the ending must be one of .png, .svg, .pdf"),
        (["-o", "a"], "the ending must be one of"),
        (["-o", "no/such/a.png"], "create the directory first"),
        (["-o", "a.png", "--max-nodes", "1"], "max_nodes must be at least 2 and at most 2,000, not 1"),
        (["-o", "a.png", "--max-nodes", "99999"], "at most 2,000"),
        (["-o", "a.png", "--seed", "-1"], "a seed is a whole number from 0 to 2^63 - 1, not -1"),
        (["-o", "a.png", "--rounds", "-1"], "rounds must be 0 or more"),
        (["-o", "a.png", "prism", "--panel", "all"], "panel all shows one graph, not 2"),
        (["-o", "a.png", "--initial", "nonsense"], "neither a file nor one of"),
        (["-o", "a.png", "karatee"], "did you mean karate"),
        (["-o", "folder.png"], "is a directory"),
    ],
)
def test_bad_input_gets_one_sentence_and_nothing_is_written(run, tmp_path, monkeypatch, arguments, sentence) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    outcome = run("draw", "karate", *arguments)
    assert outcome.code == 2 and sentence in outcome.err
    assert outcome.err.count("\n") == 1 and "Traceback" not in outcome.err
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and "cache" not in file.parts]


def test_a_graph_without_nodes_is_refused_and_one_without_links_is_drawn(run, tmp_path) -> None:
    for num_nodes in (0, 3):
        write_graph(Graph.empty(num_nodes), tmp_path / f"{num_nodes}.npz")
    refused = run("draw", tmp_path / "0.npz", "-o", tmp_path / "a.png")
    assert refused.code == 2 and "has no nodes" in refused.err.splitlines()[-1]
    drawn = run("draw", tmp_path / "3.npz", "-o", tmp_path / "a.png")
    assert drawn.code == 0 and "EAR = 0.0000 (no links)" in drawn.out


def test_the_graph_itself_is_never_overwritten(run, tmp_path) -> None:
    path = tmp_path / "links.png"
    path.write_text("1,2\n")
    outcome = run("draw", path, "-o", path, "--format", "edgelist")
    assert outcome.code == 2 and "is the graph itself" in outcome.err
    assert path.read_text() == "1,2\n"


def test_help_has_examples_and_the_bound_of_the_library(run) -> None:
    outcome = run("draw", "--help")
    assert outcome.code == 0 and "edgeorbit draw links.csv -o orbits.png" in outcome.out
    assert draw.MAX_NODES == drawing.MAX_NODES


def test_a_real_graph_is_drawn_by_a_sample(run, data_dir, tmp_path) -> None:
    found = json.loads(run("draw", "cora", "-o", tmp_path / "cora.png", "--panel", "network", "--json").out)
    assert found["ear"] == pytest.approx(0.1311, abs=5e-5)
    assert found["drawn_nodes"] == 500 and "3 nodes of each of the 12 largest orbits" in found["sample"]
