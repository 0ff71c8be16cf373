"""What is confirmed of a settings file, and what is left out with a reason."""

import pytest

pytest.importorskip("optuna")

from edgeorbit.experiments.tuning import Task
from edgeorbit.experiments.tuning.settings_file import find_candidates, read_entries, write_entry
from edgeorbit.experiments.tuning.space import Point

SOURCE = {"source": "karate"}
TASKS = [Task("Karate", SOURCE, model, "degree", epochs=9) for model in ("gcn", "sage", "gin", "katz")]


def entry(model: str, settings: dict, **more: object) -> dict:
    return {"data": "karate", "features": "degree", "model": model, "settings": settings, "training": {}, **more}


def test_tasks_get_what_was_found_for_them_and_others_are_left_out_with_a_reason() -> None:
    entries = [entry("gcn", {"dropout": 0.1}), entry("sage", {}), entry("katz", {"beta": 0.5})]
    tasks, remarks = find_candidates(TASKS, entries, "tuned.toml")
    assert [(task.model, task.epochs, task.candidate) for task in tasks] == [("gcn", 9, Point({"dropout": 0.1}, {}))]
    assert remarks == [
        "Not in tuned.toml, search it first: gin on Karate, degree features",
        "Not trained, so that more epochs change nothing: katz on Karate, degree features",
        "The defaults were found best, there is nothing to compare them with: sage on Karate, degree features",
    ]


def test_what_was_searched_by_one_metric_is_confirmed_by_it_unless_another_is_asked_for() -> None:
    entries = [entry("gcn", {"dropout": 0.1}, metric="auc")]
    assert find_candidates(TASKS, entries, "tuned.toml").tasks[0].metric == "auc"
    assert find_candidates(TASKS, entries, "tuned.toml", "hits@10").tasks[0].metric == "hits@10"


def test_what_was_found_is_compared_again_although_it_was_not_kept() -> None:
    said = {"found_settings": {"dropout": 0.2}, "found_training": {"learning_rate": 0.1}}
    tasks, remarks = find_candidates(TASKS[:1], [entry("gcn", {}, confirmed=said)], "tuned.toml")
    assert tasks[0].candidate == Point({"dropout": 0.2}, {"learning_rate": 0.1}) and not remarks
    by_hand = entry("gcn", {"dropout": 0.3}, confirmed={"epochs": 9})
    assert find_candidates(TASKS[:1], [by_hand], "tuned.toml").tasks[0].candidate == Point({"dropout": 0.3}, {})


def test_what_was_confirmed_changes_an_entry_and_a_search_replaces_it(tmp_path) -> None:
    file = tmp_path / "tuned.toml"
    write_entry(file, entry("gcn", {"dropout": 0.1}, trials=6))
    write_entry(file, entry("gcn", {}, confirmed={"epochs": 9}))
    assert read_entries(file) == [entry("gcn", {}, trials=6, confirmed={"epochs": 9})]
    write_entry(file, entry("gcn", {"dropout": 0.3}, trials=2))
    assert read_entries(file) == [entry("gcn", {"dropout": 0.3}, trials=2)]
