"""`edgeorbit tune`: a settings file for bench, the same command goes on, and one sentence for what cannot be tuned."""

import json
import signal
import sys
import tomllib

import pytest

pytest.importorskip("optuna")
pytest.importorskip("torch_geometric")

from edgeorbit.cli.tune import parse_duration
from edgeorbit.errors import InvalidParameterError

EXPERIMENT = """
models = ["cn", "katz", "wide katz", "ppr"]
negatives = ["random"]
seeds = 2
tuned = "found.toml"
[training]
metric = "auc"
[settings.katz]
max_length = 2
[variants."wide katz"]
model = "katz"
settings = { beta = 0.5 }
[[data]]
name = "Karate"
source = "karate"
features = ["constant", "degree"]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A directory of the test's own, and the signal as it was."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)


def tuned(path) -> list[dict]:
    return tomllib.loads(path.read_text())["tuned"]


def test_settings_are_found_written_and_shown(run, here) -> None:
    options = ["karate", "--model", "katz", "--features", "constant", "--trials", 6, "--metric", "auc", "--json"]
    outcome = run("tune", *options)
    assert outcome.code == 0
    lines = [line for line in outcome.err.splitlines() if line.startswith("tuning katz on karate, constant features")]
    assert lines[-1].endswith(", 6 of 6 trials") and ": best 0." in lines[-1] and 1 <= len(lines) <= 6
    found = json.loads(outcome.out)
    (entry,) = tuned(here / "tuned.toml")
    assert {key: found[key] for key in entry} == entry
    assert entry["model"] == "katz" and entry["trials"] == 6 and entry["seed"] == 1000 and entry["metric"] == "auc"
    assert entry["value"] >= entry["default_value"] and set(entry["settings"]) <= {"beta", "max_length"}
    assert sorted(path.name for path in here.iterdir()) == ["tuned.journal", "tuned.toml"]
    assert json.loads(run("tune", *options).out) == found  # nothing is left to do


def test_the_table_has_defaults_beside_the_best(run) -> None:
    outcome = run("tune", "karate", "--model", "ppr", "--features", "constant", "--trials", 3)
    assert outcome.code == 0 and "defaults" in outcome.out and "best" in outcome.out and "ppr" in outcome.out
    assert 'tuned = "tuned.toml"' in outcome.err


def test_an_experiment_is_tuned_model_by_model_with_the_same_budget(run, here) -> None:
    (here / "e.toml").write_text(EXPERIMENT)
    outcome = run("tune", "--from", "e.toml", "--trials", 4, "-o", "found.toml")
    assert outcome.code == 0 and "no settings to tune: cn" in outcome.err
    entries = tuned(here / "found.toml")
    assert [(one["data"], one["features"], one["model"]) for one in entries] == [
        ("Karate", features, model) for features in ("constant", "degree") for model in ("katz", "ppr")
    ]
    assert {one["trials"] for one in entries} == {4} and {one["metric"] for one in entries} == {"auc"}
    assert all("max_length" not in one["settings"] for one in entries)  # the file says what it is
    from edgeorbit.experiments.reading import read_experiment

    cells = read_experiment(here / "e.toml").cells
    katz = next(one for one in entries if (one["features"], one["model"]) == ("degree", "katz"))
    cell = next(one for one in cells if (one.features, one.label) == ("degree", "katz"))
    assert cell.settings == katz["settings"] | {"max_length": 2}


def test_only_some_of_an_experiment_are_tuned(run, here) -> None:
    (here / "e.toml").write_text(EXPERIMENT)
    assert run("tune", "--from", "e.toml", "--only", "^katz", "--only", "degree", "--trials", 2).code == 0
    assert [(one["features"], one["model"]) for one in tuned(here / "tuned.toml")] == [("degree", "katz")]


FOUND = """
[[tuned]]
data = "karate"
features = "degree"
model = "gcn"
trials = 3
epochs = 1
settings = { dropout = 0.2 }
training = { learning_rate = 1e-9 }

[[tuned]]
data = "karate"
features = "degree"
model = "katz"
settings = { beta = 0.5 }
training = {}
"""


def test_what_short_trials_found_is_confirmed_at_full_length(run, here) -> None:
    (here / "tuned.toml").write_text(FOUND)
    before = {entry["model"]: entry for entry in tuned(here / "tuned.toml")}
    options = ["karate", "--model", "gcn", "--model", "katz", "--features", "degree", "--metric", "auc", "--confirm"]
    outcome = run("tune", *options, "--epochs", 6)
    assert outcome.code == 0 and "more epochs change nothing: katz on karate" in outcome.err
    after = {entry["model"]: entry for entry in tuned(here / "tuned.toml")}
    confirmed = after["gcn"].pop("confirmed")
    found = {"settings": {"dropout": 0.2}, "training": {"learning_rate": 1e-9}}
    assert confirmed["epochs"] == 6 and {key: confirmed[f"found_{key}"] for key in found} == found
    kept = found if confirmed["found_value"] > confirmed["default_value"] else {key: {} for key in found}
    assert after == before | {"gcn": before["gcn"] | kept}
    katz = ["karate", "--model", "katz", "--features", "degree", "--confirm"]
    assert json.loads(run("tune", *katz, "--json").out) == []  # nothing to do is nothing wrong
    text = (here / "tuned.toml").read_text()
    outcome = run("tune", *options, "--epochs", 100_000, "--timeout", "0.01s")
    assert outcome.code == 2 and (here / "tuned.toml").read_text() == text  # no trial ends in time


def test_a_network_takes_ranges_and_is_tracked(run, here) -> None:
    pytest.importorskip("mlflow")
    outcome = run(
        *("tune", "karate", "--model", "gcn", "--features", "degree", "--trials", 2, "--epochs", 5),
        *("--search", "hidden_channels=8", "--search", "dropout=0.5..0.6", "--track", "runs", "--name", "Club"),
    )
    assert outcome.code == 0
    (entry,) = tuned(here / "tuned.toml")
    assert entry["data"] == "Club" and entry["epochs"] == 5
    assert entry["settings"].get("hidden_channels", 8) == 8 and 0.5 <= entry["settings"].get("dropout", 0.5) <= 0.6
    assert list((here / "runs").rglob("default_value"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["karate", "--model", "gnc"], "there is no model 'gnc'; did you mean"),
        (["karate", "--model", "cn"], "cn has no settings to tune"),
        (["karate", "--metric", "f1"], "there is no metric 'f1'"),
        (["karate", "--trials", 0], "--trials must be >= 1, got 0"),
        (["karate", "--jobs", 0], "--jobs must be >= 1, got 0"),
        (["karate", "--epochs", 0], "epochs must be at least 1"),
        (["karate", "--timeout", "soon"], "--timeout soon: give a time above 0"),
        (["karate", "--search", "depth=1..3"], "gcn has no setting 'depth' to search"),
        (["karate", "--search", "dropout"], "--search dropout: give for instance"),
        (["karate", "--only", "gcn"], "--only chooses from an experiment file"),
        (["nowhere.csv", "--model", "katz"], "nowhere.csv"),
        (["karate", "--confirm", "--trials", 3], "--confirm searches nothing; leave --trials and --search out"),
        (["karate", "--confirm"], "tuned.toml: has no settings of gcn on karate, original features; search them first"),
        ([], "give either a graph or --from"),
        (["--from", "nowhere.toml"], "nowhere.toml"),
        (["--from", "e.toml", "--only", "("], "is no regular expression"),
        (["--from", "e.toml", "--only", "seal"], "nothing is described by seal"),
        (["--from", "e.toml", "--model", "gcn"], "--model is what the experiment file says"),
        (["karate", "-o", "e.toml"], "e.toml: is no settings file"),
        (["karate", "--model", "katz", "--storage", "e.toml"], "e.toml: is no journal of trials"),
        (["karate", "--model", "katz", "--storage", "postgresql://me:s3cret@127.0.0.1:9/x"], "cannot be used"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list, sentence: str, run, here) -> None:
    (here / "e.toml").write_text(EXPERIMENT)
    outcome = run("tune", *arguments)
    assert outcome.code == 2 and outcome.out == "" and sentence in outcome.err and "s3cret" not in outcome.err
    assert outcome.err.strip().count("\n") == 0
    assert sorted(path.name for path in here.iterdir()) in (["e.toml"], ["e.toml", "cache"], ["cache", "e.toml"])


def test_without_optuna_one_sentence_says_what_to_install(run, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    outcome = run("tune", "karate")
    assert outcome.code == 2 and "tuning needs optuna; pip install 'edgeorbit[boost]'" in outcome.err


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("0.5d", 43200)])
def test_times_are_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1m", "1w", "m"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(InvalidParameterError):
        parse_duration(text)
