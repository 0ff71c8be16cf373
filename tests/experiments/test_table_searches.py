"""Pages say how settings were chosen, as the experiment file and its file of tuned settings have it."""

from pathlib import Path

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.tables import to_markdown
from edgeorbit.experiments.tuning.settings_file import to_toml

EXPERIMENT = """
models = ["cn", "gcn", "gin", "sage"]
tuned = "tuned.toml"
[[data]]
source = "karate"
features = ["degree"]
[[data]]
source = "prism"
features = ["degree"]
tuned_as = "Karate"
[[data]]
source = "petersen"
features = ["degree"]
"""


def entry(data: str, model: str, **more) -> dict:
    told = {"trials": 6, "epochs": 9, "metric": "auc", "value": 0.5, "settings": {"dropout": 0.3}, "training": {}}
    return {"data": data, "features": "degree", "model": model} | told | more


def section(folder: Path, text: str, entries: list[dict]) -> str:
    """The section of the page of an experiment whose every cell was run."""
    (folder / "tuned.toml").write_text(to_toml(entries))
    (folder / "e.toml").write_text(text)
    experiment = read_experiment(folder / "e.toml")
    rows = [
        {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
        | {"negatives": "random", "test_auc": 0.5}
        for cell in experiment.cells
    ]
    page = to_markdown(experiment, rows, "a command")
    assert page.count("## How settings were chosen") == 1
    return page.split("## How settings were chosen")[1].split("\n## ")[0]


def test_searches_are_told_with_the_graphs_that_take_what_they_found(tmp_path) -> None:
    found = [
        entry("karate", "gcn"),
        entry("karate", "gin", settings={}),
        entry("petersen", "gcn", trials=12, metric="mrr"),
        entry("lobster", "gcn"),  # of a graph that the file does not have
    ]
    said = section(tmp_path, EXPERIMENT, found)
    assert "| karate; prism | degree | karate | 6 | 9 | auc | 2 of 4 | 1 |  |" in said
    assert "| petersen | degree | petersen | 12 | 9 | mrr | 1 of 4 | 0 |  |" in said
    assert "lobster" not in said and "Short trials can mislead" not in said


def test_what_was_confirmed_is_told_and_how_often_the_defaults_were_kept(tmp_path) -> None:
    confirmed = {"epochs": 60, "found_value": 0.4, "default_value": 0.5, "found_settings": {"dropout": 0.3}}
    found = [
        entry("karate", "gcn", confirmed=confirmed),
        entry("karate", "gin", settings={}, confirmed=confirmed),
        entry("karate", "sage", settings={}),
    ]
    said = section(tmp_path, EXPERIMENT, found)
    assert "| 3 of 4 | 2 | 2 for 60 epochs, 1 of them with defaults |" in said and "Short trials can mislead" in said


def test_entries_that_a_person_wrote_need_not_say_how_they_were_found(tmp_path) -> None:
    said = section(tmp_path, EXPERIMENT, [{"data": "karate", "features": "degree", "model": "gcn"}])
    assert "| karate; prism | degree | karate |  |  |  | 1 of 4 | 1 |  |" in said


@pytest.mark.parametrize("text", [EXPERIMENT, EXPERIMENT.replace('tuned = "tuned.toml"', "")])
def test_that_nothing_was_searched_is_said(tmp_path, text: str) -> None:
    said = section(tmp_path, text, [])
    assert said.strip().startswith("No settings were searched") and "|" not in said


def test_a_wrong_number_of_trials_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidParameterError, match="trials"):
        section(tmp_path, EXPERIMENT, [entry("karate", "gcn", trials="six")])
