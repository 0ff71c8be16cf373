"""`edgeorbit backtest`, and probabilities of `edgeorbit predict`, as a user sees them."""

import csv
import json

import numpy as np
import pytest

from edgeorbit.graph.toys import karate


@pytest.fixture
def trained(run, tmp_path):
    """A run on a file of links within groups, by the owner's names."""
    pairs = np.stack(np.triu_indices(160, 1), axis=1)
    inside = pairs[pairs[:, 0] // 20 == pairs[:, 1] // 20]
    links = inside[np.random.default_rng(0).random(len(inside)) < 0.6]
    path = tmp_path / "links.csv"
    path.write_text("source,target\n" + "".join(f"m{u},m{v}\n" for u, v in links.tolist()))
    assert run("train", path, "--model", "ra", "-o", tmp_path / "run").code == 0
    return tmp_path / "run"


def test_a_backtest_prints_what_the_list_is_worth(run, trained) -> None:
    shown = run("backtest", trained)
    assert shown.code == 0 and "hidden test links" in shown.out and "chance" in shown.out
    assert "expected calibration error" in shown.out and "came true" in shown.out
    found = json.loads(run("backtest", trained, "--json").out)
    assert found["model"]["model"] == "ra" and [row["k"] for row in found["model"]["at"]] == [10, 50, 100, 500]
    evaluated = json.loads(run("evaluate", trained, "--json").out)["backtest"]
    assert evaluated["reliability"] == found["reliability"]
    assert json.loads((trained / "results.json").read_text())["backtest"] == evaluated
    assert "hidden test links" in run("evaluate", trained).out
    assert "hidden test links" not in run("evaluate", trained, "--no-backtest").out


def test_links_have_a_probability_beside_their_score(run, trained, tmp_path) -> None:
    found = run("predict", trained, "--top", 30)
    rows = list(csv.DictReader(found.out.splitlines()))
    likely = [float(row["probability"]) for row in rows]
    assert len(rows) == 30 and likely == sorted(likely, reverse=True) and 0 < likely[-1] <= likely[0] <= 0.99
    assert "about 60 % would be expected to be true if missing links resemble the held-out ones" in found.err
    as_json = json.loads(run("predict", trained, "--top", 30, "--json").out)
    assert [row["probability"] for row in as_json] == likely
    fewer = json.loads(run("predict", trained, "--top", 30, "--json", "--missing", 20).out)
    assert all(few["probability"] < row["probability"] for few, row in zip(fewer, as_json, strict=True))
    assert run("predict", trained, "-o", tmp_path / "scores.csv", "--no-probability").err.count("\n") == 1
    assert (tmp_path / "scores.csv").read_text().count("probability") == 0
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("".join(f"{row['node_a']},{row['node_b']}\n" for row in rows))
    assert [
        float(row["probability"]) for row in csv.DictReader(run("predict", trained, "--pairs", pairs).out.split())
    ] == (likely)


def test_too_few_links_are_said(run, tmp_path) -> None:
    path = tmp_path / "club.csv"
    path.write_text("".join(f"m{u},m{v}\n" for u, v in karate().edges.tolist()))
    run("train", path, "--model", "cn", "-o", tmp_path / "run")
    found = run("predict", tmp_path / "run", "--top", 3)
    assert found.code == 0 and found.out.startswith("node_a,node_b,score\n")
    assert "only 12 of 12 validation links" in found.err
    shown = run("backtest", tmp_path / "run").out
    assert "small sample" in shown and "No probabilities" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["predict", "--missing", 0], "missing must be a number above 0"),
        (["predict", "--missing", -3], "missing must be a number above 0"),
        (["predict", "--missing", 9, "--no-probability"], "leave it or --no-probability out"),
    ],
)
def test_bad_input_gets_one_sentence(run, trained, arguments, sentence: str) -> None:
    outcome = run(arguments[0], trained, *arguments[1:])
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1


def test_a_damaged_calibration_and_no_run_get_one_sentence(run, trained, tmp_path) -> None:
    assert run("predict", trained, "--top", 1).code == 0
    (trained / "calibration.json").write_text('{"form": 1')
    for command in ("predict", "backtest", "evaluate"):
        outcome = run(command, trained)
        assert outcome.code == 2 and "calibration.json: is damaged" in outcome.err and outcome.err.count("\n") == 1
    nothing = run("backtest", tmp_path)
    assert nothing.code == 2 and "is no run" in nothing.err
