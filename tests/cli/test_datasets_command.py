"""`edgeorbit datasets`: every data set with its size, its source, and whether it is here."""

import json

import pytest

from edgeorbit.data import DATASETS


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("EDGEORBIT_OFFLINE", "1")


def test_all_data_sets_are_listed(run, tmp_path) -> None:
    outcome = run("datasets", "--data-dir", tmp_path)
    assert outcome.code == 0
    rows = {line.split()[0]: line.split() for line in outcome.out.splitlines() if line.strip()}
    assert set(DATASETS) <= set(rows)
    assert rows["cora"][:7] == ["cora", "planetoid", "2,708", "5,278", "1,433", "-", "no"]
    assert rows["ogbl-ddi"][:7] == ["ogbl-ddi", "ogb", "4,267", "1,334,889", "-", "official", "no"]
    assert rows["karate"][1:] == ["toy", "34", "78", "-", "-", "yes", "built", "in"]
    assert f"Data directory: {tmp_path}" in outcome.out


def test_json_says_the_same_for_scripts(run, tmp_path) -> None:
    found = json.loads(run("datasets", "--json", "--data-dir", tmp_path).out)
    assert [one["name"] for one in found] == list(DATASETS)
    one = json.loads(run("datasets", "OGBL-citation2", "--json", "--data-dir", tmp_path).out)
    assert (one["num_nodes"], one["num_edges"], one["num_features"]) == (2927963, 30561187, 128)
    assert one["split"] == "official" and one["here"] is False and one["source"].startswith("https://")
    assert "ogb/ogbl_citation2/split/time/train.pt" in one["files"]


def test_what_is_here_is_said_to_be_here(run, data_dir) -> None:
    found = json.loads(run("datasets", "cora", "ogbl-ddi", "usair", "--json", "--data-dir", data_dir).out)
    assert [one["here"] for one in found] == [True, True, True]


def test_only_the_named_ones_are_listed(run, tmp_path) -> None:
    out = run("datasets", "Cora", "ns", "--data-dir", tmp_path).out
    assert "planetoid" in out and "seal" in out and "karate" not in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["corra"], "no data set of that name; did you mean cora?"),
        (["--fetch"], "--fetch needs names of data sets"),
        (["ns", "--fetch"], "NS.mat is missing; put it there (it comes from https://github.com/muhanzhang/SEAL"),
        (["ogbl-ppa", "--fetch"], "ppassoc.zip, whose folder ppassoc becomes ogb/ogbl_ppa"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence(run, tmp_path, arguments, sentence) -> None:
    outcome = run("datasets", *arguments, "--data-dir", tmp_path / "none")
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_fetching_what_is_here_checks_it(run, data_dir, tmp_path) -> None:
    assert run("datasets", "ns", "--fetch", "--data-dir", data_dir).code == 0
    (tmp_path / "seal").mkdir()
    (tmp_path / "seal" / "NS.mat").write_bytes((data_dir / "seal" / "USAir.mat").read_bytes())
    outcome = run("datasets", "ns", "--fetch", "--data-dir", tmp_path)
    assert outcome.code == 2 and "holds 332 nodes" in outcome.err


def test_help_has_examples(run) -> None:
    outcome = run("datasets", "--help")
    assert outcome.code == 0 and "edgeorbit datasets cora ogbl-ddi" in outcome.out
