"""`edgeorbit expressiveness`, as a user runs it."""

import json

import pytest


def test_the_prism_is_told_apart_by_ncn_and_not_by_gcn(run):
    done = run("expressiveness", "prism", "--models", "gcn,ncn", "--draws", 2)
    assert done.code == 0, done.err
    assert "ncn is strictly more expressive than gcn: 18 pairs more, such as " in done.out
    assert "1  ncn  50.0 % of pairs  > gcn" in done.out
    assert "Nodes had constant features; weights were random, 2 draws of them." in done.out


def test_json_has_models_orders_and_covers(run):
    done = run("expressiveness", "prism", "-m", "gcn, cn,gcn-lap", "--draws", 2, "--json", "--rounds", 1)
    found = json.loads(done.out)
    assert [one["num_classes"] for one in found["models"]][:2] == [1, 2]
    assert [one["relation"] for one in found["orders"]] == ["less", "less", "less"]
    assert found["covers"] == [[["gcn-lap"], ["cn"]], [["cn"], ["gcn"]]]
    assert (found["features"], found["rounds"]) == ("constant", 1)
    assert "gcn-lap depends on the numbering" in found["remarks"][0]
    example = found["models"][1]["discriminated"]
    assert set(example) == {"first", "second", "scores"}


def test_a_picture_is_written(run, tmp_path):
    done = run("expressiveness", "karate", "-m", "cn,aa", "--rounds", 1, "-o", tmp_path / "order.svg")
    assert done.code == 0, done.err
    assert (tmp_path / "order.svg").read_text().startswith("<?xml")
    assert "Written to " in done.out


def test_a_numbering_that_matters_is_a_warning_with_an_example(run):
    done = run("expressiveness", "prism", "-m", "linkx", "--draws", 1)
    assert done.code == 0
    assert "edgeorbit: linkx depends on the numbering of the nodes" in done.err
    assert "by numbering" in done.out


def test_a_graph_without_shared_orbits_says_that_there_is_nothing_to_discriminate(run, tmp_path):
    (tmp_path / "one.csv").write_text("x,y\n")
    done = run("expressiveness", tmp_path / "one.csv", "-m", "gcn,cn")
    assert done.code == 0, done.err
    assert done.err.count("nothing to discriminate") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-m", "gnc"], "there is no model 'gnc'"),
        (["-m", "cn,cn"], "cn stands twice"),
        (["-m", ","], "no model to judge"),
        (["--draws", 0], "draws must be at least 1, not 0"),
        (["--noise-draws", 1], "noise_draws must be at least 2"),
        (["--rounds", -1], "rounds must be 0 or more"),
        (["--features", "none", "-m", "cn"], "features 'none' are unknown"),
        (["--features", "original", "-m", "gcn"], "has no features of its own"),
        (["-o", "order.gif"], "the ending must be one of"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, options, told):
    done = run("expressiveness", "prism", *options)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.out == ""
