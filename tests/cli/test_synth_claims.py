"""`edgeorbit synth` as a user types it."""

import json

import pytest


def test_the_dial_is_within_a_hundredth_by_the_ear_command(run, tmp_path) -> None:
    for options in (["--rounds", 2], ["--stable"]):
        output = tmp_path / "-".join(map(str, options))
        assert run("synth", "syn-karate", "--ear", 0.5, *options, "--seed", 7, "-o", output).code == 0
        measured = run("ear", output, *(options if "--rounds" in options else []), "--json")
        assert 0.49 <= json.loads(measured.out)["ear"] <= 0.51


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [["--rounds", 2], []])
def test_syn_cora_is_within_a_hundredth(run, tmp_path, data_dir, seed: int, options: list) -> None:
    assert run("synth", "syn-cora", "--ear", 0.5, *options, "--seed", seed, "-o", tmp_path / "x").code == 0
    assert 0.49 <= json.loads(run("ear", tmp_path / "x", *options, "--json").out)["ear"] <= 0.51


def test_a_sweep_from_a_file_is_read_by_every_command(run, tmp_path) -> None:
    links = tmp_path / "links.csv"
    links.write_text("".join(f"n{i},n{(7 * i + 3) % 60}\nn{i},n{i + 1}\n" for i in range(60)))
    outcome = run("synth", f"syn-{links}", "--ear", "0.3,0.6", "-o", tmp_path / "sweep")
    assert outcome.code == 0 and "Held still:" in outcome.out and "syn-links-0.6" in outcome.out
    found = json.loads(run("ear", tmp_path / "sweep", "--json").out)
    assert [round(one["ear"], 1) for one in found] == [0.3, 0.6]
    assert run("stats", tmp_path / "sweep" / "ear-0.3").code == 0
    assert run("orbits", tmp_path / "sweep" / "ear-0.3", "-o", tmp_path / "orbits.csv").code == 0


def test_a_generator_has_options_of_its_own(run, tmp_path) -> None:
    assert run("synth", "grid", "--rows", 3, "--columns=4", "-o", tmp_path / "grid").code == 0
    assert json.loads(run("ear", tmp_path / "grid", "--json").out)["num_edges"] == 17
    assert "--columns 5" in run("synth", "--list").out
    card = json.loads(run("synth", "cycle", "--nodes", 9, "-o", tmp_path / "cycle", "--json").out)
    assert card["num_nodes"] == 9 if "num_nodes" in card else card["changes"]["after"]["nodes"] == 9


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lobsta"], "did you mean lobster"),
        (["syn-karate", "--ear", "1.2"], "from 0 to 1"),
        (["syn-karate", "--ear", "half"], "give a number"),
        (["syn-karate", "--ear", "0.5", "--rounds", "1"], "the nearest is"),
        (["syn-karate", "--rounds", "2", "--stable"], "contradict"),
        (["tree", "--branching", "9", "--depth", "1", "--swaps", "3"], "swaps"),
        (["grid", "--colums", "3"], "did you mean --columns"),
        (["grid", "--rows"], "needs a value"),
        (["grid", "--rows", "x"], "whole number"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_nothing(run, tmp_path, arguments, sentence) -> None:
    outcome = run("synth", *arguments, "-o", tmp_path / "out")
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_directory_that_is_not_empty_is_refused_unless_forced(run, tmp_path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "mine.txt").write_text("mine")
    outcome = run("synth", "prism", "-o", output)
    assert outcome.code == 2 and "is not empty" in outcome.err and [*output.iterdir()] == [output / "mine.txt"]
    assert run("synth", "prism", "-o", output, "--force").code == 0
    assert (output / "mine.txt").read_text() == "mine" and (output / "graph.json").exists()
