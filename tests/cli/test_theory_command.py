"""`edgeorbit theory` as a user meets it: tables, JSON, pictures, and one sentence for every mistake."""

import json

import pytest

from edgeorbit.data import load_graph
from edgeorbit.theory import compare_with_uniform, d1_rates, sample_complexity

PNG = b"\x89PNG"


def test_the_table_of_complexity_has_both_numbers_of_draws_and_says_what_is_measured(run) -> None:
    outcome = run("theory", "complexity", "lobster", "karate", "--trials", "20")
    assert outcome.code == 0
    assert "lobster" in outcome.out and "karate" in outcome.out and "at least 1 - sigma" in outcome.out


def test_json_of_complexity_is_the_comparison_and_the_course(run) -> None:
    found = json.loads(
        run("theory", "complexity", "karate", "--trials", "30", "-k", "2", "--sigma", "0.1", "--json").out
    )
    graph = load_graph("karate")
    wanted = compare_with_uniform(graph, d1_rates(graph, rounds=2), 0.1, rounds=2).as_dict()
    assert {key: found[key] for key in wanted} == wanted
    assert 0.7 < found["share_changed"] <= 1
    assert found["course"]["trials"] == 30 and len(found["course"]["pairs_told"]) == 8


def test_two_rates_stand_in_the_place_of_d1s(run) -> None:
    options = ["--p-a", "0.3", "--p-n", "0.01", "--trials", "5", "--json"]
    found = json.loads(run("theory", "complexity", "lobster", *options).out)
    assert found["d1_draws"] == sample_complexity(load_graph("lobster"), 0.3, 0.01, 0.05)
    assert (found["lowest_rate"], found["highest_rate"]) == (0.01, 0.3)


def test_c8_has_the_papers_four_states(run) -> None:
    outcome = run("theory", "c8")
    assert outcome.code == 0 and "0.8571" in outcome.out
    rows = json.loads(run("theory", "c8", "--json").out)["rows"]
    assert [row["ear"] for row in rows] == [1, pytest.approx(6 / 7), 1, 0]


def test_distances_are_those_of_the_lobster_and_the_karate_club_unless_others_are_named(run) -> None:
    few = ["--draws", "2", "--weights", "1"]
    found = json.loads(run("theory", "distances", *few, "--json").out)
    assert [one["graph"] for one in found] == ["lobster", "karate"]
    assert [(row["stage"], row["d2"]) for row in found[0]["rows"]] == [
        ("input", False),
        ("output", False),
        ("input", True),
        ("output", True),
    ]
    outcome = run("theory", "distances", "prism", *few, "--tau", "0.5")
    assert outcome.code == 0 and "prism" in outcome.out and "16.000" in outcome.out and "tau 0.5" in outcome.out


def test_the_lobster_has_a_row_for_every_kind_of_links(run, tmp_path) -> None:
    few = ["--models", "gcn", "--seeds", "1", "--epochs", "1", "--length", "12", "--threads", "1"]
    picture = tmp_path / "lobster.png"
    found = json.loads(run("theory", "lobster", *few, "--json", "--picture", picture).out)
    assert len(found["rows"]) == 7 and found["epochs"] == 1
    assert picture.read_bytes().startswith(PNG)
    assert "automorphic" in run("theory", "lobster", *few).out


@pytest.mark.parametrize(
    "arguments",
    [
        ["c8"],
        ["complexity", "lobster", "--trials", "5"],
        ["distances", "lobster", "--draws", "1", "--weights", "1"],
    ],
)
def test_pictures_are_written_and_named(run, tmp_path, arguments) -> None:
    picture = tmp_path / "theory.png"
    outcome = run("theory", *arguments, "--picture", picture)
    assert outcome.code == 0 and str(picture) in outcome.out.replace("\n", "")
    assert picture.read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["complexity", "karate", "--sigma", "1"], "sigma is a probability above 0 and below 1, not 1.0"),
        (["complexity", "karate", "--p-a", "0.5"], "belong together"),
        (["complexity", "karate", "--p-a", "1", "--p-n", "0"], "a rate must be at least 0 and below 1, not 1.0"),
        (["complexity", "karate", "--p-max", "1"], "p_max must be at least 0 and below 1"),
        (["complexity", "karate", "--trials", "0"], "trials must be at least 1, not 0"),
        (["complexity", "karate", "--rounds", "-1"], "rounds must be 0 or more"),
        (["complexity", "karate", "--seed", "-1"], "a seed is a whole number from 0"),
        (["complexity", "nowhere"], "nowhere"),
        (["c8", "--picture", "c8.gif"], "the ending must be one of .png, .svg, .pdf"),
        (["distances", "lobster", "--tau", "-1"], "tau is a deviation of 0 or more"),
        (["distances", "lobster", "--layers", "0"], "num_layers must be at least 1"),
        (["lobster", "--models", "gcnn"], "did you mean gcn"),
        (["lobster", "--seeds", "0"], "seeds must be at least 1"),
        (["lobster", "--length", "0"], "length >= 1"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(run, arguments, sentence) -> None:
    outcome = run("theory", *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err and outcome.err.count("\n") == 1 and outcome.out == ""


CURVE = """
seeds = 2
models = ["cn", "ra"]
[[data]]
name = "karates, 1"
series = "karates"
generator = "syn-karate"
options = { edges = 0 }
features = ["constant"]
[[data]]
name = "half as many"
series = "karates"
generator = "syn-karate"
options = { edges = 40 }
features = ["constant"]
orbit_rounds = 2
"""


def test_a_curve_is_made_of_the_results_of_an_experiment(run, tmp_path) -> None:
    (tmp_path / "curve.toml").write_text(CURVE)
    assert run("bench", tmp_path / "curve.toml", "--jobs", 1).code == 0
    results, picture = tmp_path / "curve.parquet", tmp_path / "curve.png"
    outcome = run("theory", "curve", results, "--picture", picture, "--json")
    found = json.loads(outcome.out)
    assert [(row["family"], row["model"], row["number"]) for row in found] == [
        ("karates", "cn", 4),
        ("karates", "ra", 4),
    ]
    assert picture.stat().st_size > 1000
    assert "95 % interval" in run("theory", "curve", results).out
    for arguments, sentence in (
        ([tmp_path / "none.parquet"], "there is no such file"),
        ([results, "--metric", "luck"], "choose another metric"),
    ):
        refused = run("theory", "curve", *arguments)
        assert refused.code == 2 and sentence in refused.err
