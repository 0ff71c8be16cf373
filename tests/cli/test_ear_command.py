"""`edgeorbit ear` as a user meets it: tables, JSON, options, and one sentence for every mistake."""

import json

import numpy as np
import pytest

from edgeorbit.data import load_graph
from edgeorbit.measures.ear import measure


@pytest.fixture
def links(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("source,target\nann,bob\nbob,cid\ncid,dan\nbob,ann\ndan,dan\n")
    return path


def test_the_table_shows_the_measure_and_says_what_it_means(run, links) -> None:
    outcome = run("ear", links)
    assert outcome.code == 0
    assert "links" in outcome.out and "0.6667" in outcome.out
    assert "2 of 3 links (66.7 %) have a look-alike" in outcome.out
    assert "Merged 1 repeated edges, dropped 1 self-loops." in outcome.out


def test_json_holds_all_numbers_of_one_graph(run, links) -> None:
    found = json.loads(run("ear", links, "--json").out)
    read = found.pop("read")
    assert (read["columns"], read["rows"], read["header"]) == (["source", "target"], 5, True)
    assert (read["both_directions_merged"], read["repeats_merged"], read["self_loops_dropped"]) == (1, 0, 1)
    assert found == {
        "graph": "links",
        "num_nodes": 4,
        "num_edges": 3,
        "merged_edges": 1,
        "self_loops": 1,
        "rounds": 1,
        "stable": True,
        "num_node_orbits": 2,
        "num_edge_orbits": 2,
        "num_indistinguishable_edges": 2,
        "gamma": 1.0,
        "variant": "multiset",
        "initial": None,
        "ear": pytest.approx(2 / 3),
        "alpha_v": 1.0,
        "alpha_e": pytest.approx(2 / 3),
        "ear_by_round": [1.0, pytest.approx(2 / 3)],
    }


def test_json_of_several_graphs_is_a_list(run, links) -> None:
    found = json.loads(run("ear", links, "karate", "--json").out)
    assert [one["graph"] for one in found] == ["links", "karate"]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--rounds", "1"], {"rounds": 1}),
        (["-k", "0"], {"rounds": 0}),
        (["--gamma", "0.5"], {"gamma": 0.5}),
        (["--variant", "ordered"], {"variant": "ordered"}),
        (["--initial", "degree"], {"initial": "degree"}),
        (["--threads", "1"], {"threads": 1}),
    ],
)
def test_every_option_reaches_the_measure(run, options, arguments) -> None:
    found = json.loads(run("ear", "karate", "--json", *options).out)
    assert found == measure(load_graph("karate"), **arguments).as_dict()


def test_initial_colours_from_a_file(run, links, tmp_path) -> None:
    colours = tmp_path / "colours.csv"
    colours.write_text("ann,red\nbob,red\ncid,blue\ndan,blue\n")
    found = json.loads(run("ear", links, "--initial", colours, "--json").out)
    assert (found["ear"], found["initial"], found["num_node_orbits"]) == (0.0, "given", 4)


def test_exact_orbits_stand_beside_the_colours(run) -> None:
    pytest.importorskip("igraph")
    found = json.loads(run("ear", "prism", "--exact", "--json").out)
    assert (found["num_edge_orbits"], found["exact_num_edge_orbits"], found["exact_ear"]) == (1, 2, 1.0)
    assert "exact" in run("ear", "prism", "--exact").out


def test_real_data_sets_by_name(run, data_dir) -> None:
    found = json.loads(run("ear", "cora", "citeseer", "pubmed", "--data-dir", data_dir, "--json").out)
    assert [round(one["ear"], 4) for one in found] == [0.1311, 0.3135, 0.2163]


def test_text_from_files_is_not_read_as_markup(run, tmp_path) -> None:
    path = tmp_path / "[red]trap.csv"
    path.write_text("a,b\n")
    assert "[red]trap" in run("ear", path).out


def test_not_stable_is_said(run) -> None:
    assert "* not stable" in run("ear", "karate", "--rounds", "1").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.csv"], "missing.csv: no such file, and no data set of that name"),
        (["koora"], "did you mean cora"),
        (["karate", "--rounds", "-1"], "rounds must be 0 or more, not -1"),
        (["karate", "--gamma", "0"], "gamma must be above 0 and at most 1, not 0.0"),
        (["karate", "--gamma", "nan"], "gamma must be above 0 and at most 1, not nan"),
        (["karate", "--threads", "0"], "threads must be at least 1, not 0"),
        (["karate", "--initial", "colour"], "--initial colour: neither a file nor one of degree, labels, features"),
        (["karate", "--initial", "labels"], "karate has no labels to start from"),
        (["karate", "--format", "csv"], "format and columns do not go with the data set"),
    ],
)
def test_mistakes_get_one_sentence_and_code_2(run, arguments, sentence) -> None:
    outcome = run("ear", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1 and "Traceback" not in outcome.err


@pytest.mark.parametrize("arguments", [["karate", "--variant", "both"], ["karate", "--rounds", "x"], [], ["--nope"]])
def test_misused_options_end_with_code_2(run, arguments) -> None:
    outcome = run("ear", *arguments)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("ann\n", "line 1"), ("ann,red\n", "no colour for node bob"), ("\x00\xff", "line 1")],
)
def test_bad_colour_files_get_one_sentence(run, links, tmp_path, content, sentence) -> None:
    colours = tmp_path / "colours.csv"
    colours.write_text(content)
    outcome = run("ear", links, "--initial", colours)
    assert outcome.code == 2
    read, refused = outcome.err.splitlines()
    assert read.startswith(f"{links}: edge list with a header") and sentence in refused


def test_a_graph_without_edges_is_no_error(run, tmp_path) -> None:
    path = tmp_path / "dots.npz"
    np.savez(path, edges=np.zeros((0, 2), np.int64), num_nodes=3)
    found = json.loads(run("ear", path, "--json").out)
    assert (found["num_nodes"], found["num_edges"], found["ear"]) == (3, 0, 0.0)
