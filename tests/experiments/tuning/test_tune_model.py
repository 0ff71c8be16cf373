"""Tuning: validation alone, never below the defaults, and the same however often it is interrupted."""

import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("optuna")

import optuna

from edgeorbit.errors import EdgeorbitError, InvalidParameterError, LimitExceededError
from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.tuning import Task, tune
from edgeorbit.experiments.tuning import search as tuning_search
from edgeorbit.experiments.tuning import task as tuning_data
from edgeorbit.experiments.tuning.space import Point, Range
from edgeorbit.experiments.tuning.storage import open_storage
from edgeorbit.experiments.tuning.task import TUNING_SEED, prepare, study_name
from edgeorbit.prediction import LinkPredictor

KARATE = {"source": "karate"}
KATZ = Task("karate", KARATE, "katz", "constant", space={"beta": Range(0.0005, 0.5, log=True)})


def trials_of(storage: object) -> list[tuple]:
    """Return what a storage's one study found, trial by trial."""
    opened = open_storage(str(storage))
    (name,) = optuna.get_all_study_names(opened)
    study = optuna.load_study(study_name=name, storage=opened)
    return [
        (trial.number, trial.state.name, trial.value, trial.user_attrs.get("point", {}).get("settings"))
        for trial in study.trials
    ]


@pytest.fixture(autouse=True)
def no_waiting_for_disks(monkeypatch) -> None:
    """A power cut is nothing that happens here, and a busy disk would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """A whole search, to compare with."""
    storage = tmp_path_factory.mktemp("whole") / "a.journal"
    return tune(KATZ, storage, trials=8), trials_of(storage)


def test_the_first_trial_is_the_defaults_and_the_end_is_not_below(uninterrupted) -> None:
    found, trials = uninterrupted
    assert len(trials) == found.trials == 8
    assert trials[0][2] == found.default_value and trials[0][3] == {}
    assert found.value == max(value for _, _, value, _ in trials) >= found.default_value
    assert found.settings in [settings for _, _, value, settings in trials if value == found.value]
    assert set(found.entry()) == {
        *("data", "features", "model", "settings", "training", "trials", "epochs", "metric", "value"),
        *("default_value", "seed", "seconds", "version"),
    }


def test_values_are_those_of_the_predictor_on_validation(uninterrupted) -> None:
    found, _ = uninterrupted
    for chosen, value in ((found.settings, found.value), ({}, found.default_value)):
        predictor = LinkPredictor("katz", settings=chosen, seed=TUNING_SEED).fit("karate", features="constant")
        assert predictor.evaluate("random").valid["mrr"] == value


def test_a_network_is_tuned_and_its_defaults_are_those_of_the_predictor(tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    task = Task("karate", KARATE, "gcn", "degree", epochs=10, metric="auc")
    found = tune(task, tmp_path / "a.journal", trials=4)
    training = {"epochs": 10, "metric": "auc"}
    predictor = LinkPredictor("gcn", training=training, seed=TUNING_SEED, threads=1).fit("karate", features="degree")
    assert found.default_value == predictor.info["training_result"]["best"] <= found.value
    assert found.trials == 4 and found.failed == 0


def test_test_edges_are_withheld_before_any_model_comes_in(monkeypatch, tmp_path, uninterrupted) -> None:
    data = prepare(KATZ)
    assert len(data.split.test) == len(data.negatives.test) == 0 and not data.split.negatives
    looked = []
    real = tuning_data.evaluate_part
    monkeypatch.setattr(tuning_data, "evaluate_part", lambda *given: (looked.append(given[3]), real(*given))[1])
    # With the test edges in the split again, the study is the same: nothing looks at them.
    monkeypatch.setattr(tuning_data, "without_test", lambda split: split)
    assert len(prepare(KATZ).split.test) > 0
    tune(KATZ, tmp_path / "a.journal", trials=8)
    assert trials_of(tmp_path / "a.journal") == uninterrupted[1]
    assert set(looked) == {"valid"}


def test_training_of_a_network_is_the_same_without_test_edges(monkeypatch) -> None:
    pytest.importorskip("torch_geometric")
    task = Task("karate", KARATE, "gcn", "degree", epochs=5)
    point = tuning_search.Point({"hidden_channels": 16}, {"batch_size": 32})
    value = tuning_data.judge(task, prepare(task), point)
    monkeypatch.setattr(tuning_data, "without_test", lambda split: split)
    with_test = prepare(task)
    assert len(with_test.split.test) and tuning_data.judge(task, with_test, point) == value


def test_the_split_of_a_search_is_that_of_no_evaluation_seed() -> None:
    valid = prepare(KATZ).split.valid
    for seed in range(10):
        assert not np.array_equal(LinkPredictor("cn", seed=seed).fit("karate", features="constant").split.valid, valid)


@settings(max_examples=4)
@given(stops=st.lists(st.integers(0, 7), max_size=3))
def test_a_search_that_is_interrupted_finds_what_one_finds_that_is_not(stops, tmp_path_factory, uninterrupted) -> None:
    storage = tmp_path_factory.mktemp("interrupted") / "a.journal"
    real = tuning_search.judge
    for stop in stops:
        left = stop

        def judge(*given: object) -> float:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return real(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tuning_search, "judge", judge)
            try:
                tune(KATZ, storage, trials=8)
            except KeyboardInterrupt:
                continue
    assert tune(KATZ, storage, trials=8).value == uninterrupted[0].value
    assert trials_of(storage) == uninterrupted[1]


def test_more_trials_go_on_and_fewer_are_looked_at_alone(tmp_path, uninterrupted) -> None:
    storage = tmp_path / "a.journal"
    few = tune(KATZ, storage, trials=5)
    assert tune(KATZ, storage, trials=8).entry() | {"seconds": 0} == uninterrupted[0].entry() | {"seconds": 0}
    assert tune(KATZ, storage, trials=5).entry() == few.entry()


SLOW = """
import sys, time
from edgeorbit.experiments.tuning import search as tuning_search
from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.tuning import Task, tune
from edgeorbit.experiments.tuning.space import Point, Range

real = tuning_search.judge

def judge(*given, left=iter(range(int(sys.argv[2])))):
    print("begun", flush=True)
    if next(left, None) is None:
        time.sleep(600)
    return real(*given)

tuning_search.judge = judge
task = Task("karate", {"source": "karate"}, "katz", "constant", space={"beta": Range(0.0005, 0.5, log=True)})
found = tune(task, sys.argv[1], trials=8)
print("found", found.trials, found.value)
"""


def start(storage: object, trials: int) -> subprocess.Popen:
    """Start a search that makes so many trials, and then stays in the next one."""
    return subprocess.Popen([sys.executable, "-c", SLOW, str(storage), str(trials)], stdout=subprocess.PIPE, text=True)


def test_a_search_that_is_killed_goes_on_with_the_trial_that_it_was_at(tmp_path, uninterrupted) -> None:
    storage = tmp_path / "a.journal"
    process = start(storage, 3)
    assert [process.stdout.readline() for _ in range(4)] == ["begun\n"] * 4
    process.kill()
    process.wait()
    assert [state for _, state, _, _ in trials_of(storage)].count("RUNNING") == 1
    begun = time.monotonic()
    assert tune(KATZ, storage, trials=8).value == uninterrupted[0].value
    assert time.monotonic() - begun < 60  # nobody waits for a dead process
    assert trials_of(storage) == uninterrupted[1]


@pytest.mark.parametrize("kind", ["journal", "sqlite"])
def test_a_search_belongs_to_one_process_at_a_time(kind: str, tmp_path) -> None:
    storage = tmp_path / "a.journal" if kind == "journal" else f"sqlite:///{tmp_path}/a.db"
    process = start(storage, 0)
    assert process.stdout.readline() == "begun\n"
    with pytest.raises(EdgeorbitError, match="another tune is at work on this search"):
        tune(KATZ, storage, trials=8)
    other = tune(replace(KATZ, seed=1), storage, trials=2)  # another search may use the storage meanwhile
    assert other.trials == 2
    process.kill()
    process.wait()
    assert tune(KATZ, storage, trials=8).trials == 8


def test_jobs_are_processes_that_share_the_budget(tmp_path) -> None:
    with LocalPool(2) as pool:
        found = tune(KATZ, tmp_path / "a.journal", trials=6, executor=pool)
    trials = trials_of(tmp_path / "a.journal")
    assert found.trials == len(trials) == 6 and {state for _, state, _, _ in trials} == {"COMPLETE"}


def fake(curves):
    """Return a judge for which the number of the trial decides how its metric goes."""
    numbers = iter(range(1000))

    def judge(task, data, point, watch):
        curve = curves(next(numbers))
        for epoch in range(len(curve)):
            watch([{"epoch": i + 1, task.metric: value} for i, value in enumerate(curve[: epoch + 1])], epoch + 1)
        return max(curve)

    return judge


def test_hopeless_trials_are_cut_short_but_never_the_defaults(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tuning_search, "judge", fake(lambda i: [0.1 if i in {0, 8} else 0.5 + i / 100] * 100))
    found = tune(KATZ, tmp_path / "a.journal", trials=10)
    states = [state for _, state, _, _ in trials_of(tmp_path / "a.journal")]
    assert states[0] == "COMPLETE" and states[8] == "PRUNED" and found.pruned == states.count("PRUNED")
    assert found.default_value == 0.1 and found.value == 0.59


def test_of_equal_trials_the_defaults_are_taken(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tuning_search, "judge", lambda *given: 0.5)
    found = tune(KATZ, tmp_path / "a.journal", trials=6)
    assert found.settings == found.training == {} and found.value == found.default_value == 0.5


def test_trials_that_fail_are_kept_with_their_reason_and_the_rest_go_on(monkeypatch, tmp_path) -> None:
    real, numbers = tuning_search.judge, iter(range(100))

    def judge(*given):
        number = next(numbers)
        if number == 0:
            raise InvalidParameterError("the loss is nan")
        if number == 2:
            raise ZeroDivisionError("a defect")
        return real(*given)

    monkeypatch.setattr(tuning_search, "judge", judge)
    found = tune(KATZ, tmp_path / "a.journal", trials=5)
    assert found.trials == 5 and found.failed == 2 and math.isnan(found.default_value)
    assert found.remarks == ("2 of 5 trials failed, the first one so: the loss is nan",)


def test_a_search_all_of_whose_trials_fail_says_why(monkeypatch, tmp_path) -> None:
    def judge(*given):
        raise MemoryError

    monkeypatch.setattr(tuning_search, "judge", judge)
    with pytest.raises(EdgeorbitError, match="all 3 trials failed, the first one so: MemoryError"):
        tune(KATZ, tmp_path / "a.journal", trials=3)


def test_time_that_is_over_ends_a_trial_which_then_waits(monkeypatch, tmp_path, uninterrupted) -> None:
    real, clock = tuning_search.judge, [0.0]
    monkeypatch.setattr(tuning_search, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slow_after(trials):
        left = iter(range(trials))

        def judge(task, data, point, watch):
            if next(left, None) is None:
                clock[0] += 10
                watch([], 1)
            return real(task, data, point, watch)

        return judge

    storage = tmp_path / "a.journal"
    monkeypatch.setattr(tuning_search, "judge", slow_after(0))
    with pytest.raises(LimitExceededError, match="no trial was over in time"):
        tune(KATZ, storage, trials=8, timeout=5)
    assert [state for _, state, _, _ in trials_of(storage)] == ["RUNNING"], "the next call resumes it"
    monkeypatch.setattr(tuning_search, "judge", slow_after(3))
    some = tune(KATZ, storage, trials=8, timeout=5)
    assert some.trials == 3 and some.remarks[0].startswith("3 of 8 trials were over in time")
    monkeypatch.setattr(tuning_search, "judge", real)
    tune(KATZ, storage, trials=8)
    assert trials_of(storage) == uninterrupted[1]


def test_a_model_that_fits_itself_is_ended_in_time_too() -> None:
    pytest.importorskip("lightgbm")
    task = Task("karate", KARATE, "orbit-boost", "constant", settings={"trees": 5, "folds": 2})
    defaults = Point({}, {})
    assert tuning_search.run_trial(task, defaults, {}, 0.0).state == "late"
    assert tuning_search.run_trial(task, defaults, {}, None).state == "complete"


def test_equal_settings_are_not_judged_twice(monkeypatch, tmp_path) -> None:
    judged = []
    real = tuning_search.judge
    monkeypatch.setattr(tuning_search, "judge", lambda *given: (judged.append(given[2]), real(*given))[1])
    task = Task("karate", KARATE, "ppr", "constant")  # four values in all
    found = tune(task, tmp_path / "a.journal", trials=15)
    assert found.trials == 15 and len(judged) <= 1 + 4 < 15


@pytest.mark.parametrize(
    "change",
    [
        {"model": "ppr", "space": {}},
        {"features": "degree"},
        {"metric": "auc"},
        {"epochs": 7},
        {"seed": 1},
        {"negatives": "heart"},
        {"space": {"beta": Range(0.001, 0.5, log=True)}},
        {"settings": {"max_length": 2}},
    ],
)
def test_what_decides_a_search_gives_it_another_name(change: dict) -> None:
    other = replace(KATZ, **change)
    names = {study_name(task, prepare(task)).rpartition("(")[2] for task in (KATZ, other)}
    assert len(names) == 2
    assert study_name(KATZ, prepare(KATZ)) == study_name(KATZ, prepare(KATZ))


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({}, {"trials": 0}, "trials must be >= 1, got 0"),
        ({}, {"timeout": 0.0}, "timeout must be > 0"),
        ({"model": "cn"}, {}, "cn has no settings to tune"),
        ({"model": "gnc"}, {}, "there is no model 'gnc'; did you mean"),
        ({"metric": "f1"}, {}, "there is no metric 'f1'"),
        ({"epochs": 0}, {}, "epochs must be at least 1"),
        ({"seed": -1}, {}, "a seed is a whole number"),
        ({"space": {"depth": [1]}}, {}, "katz has no setting 'depth' to search"),
        ({"settings": {"beta": 7}}, {}, "beta must be above 0 and at most 1"),
        ({"negatives": "hard"}, {}, "negatives 'hard' are unknown"),
        ({"features": "nice"}, {}, "nice"),
    ],
)
def test_bad_input_gets_one_sentence(change: dict, options: dict, sentence: str, tmp_path) -> None:
    with pytest.raises(EdgeorbitError, match=sentence):
        tune(Task(**{"data": "karate", "source": KARATE, "model": "katz"} | change), tmp_path / "a.journal", **options)
    assert not list(tmp_path.glob("*.journal"))


SHORT = Task("karate", KARATE, "gcn", "degree", epochs=8, metric="auc")


@pytest.mark.parametrize("gain", [-0.1, 0.0, 0.1])
def test_a_candidate_is_compared_with_the_defaults_alone_and_the_better_is_kept(tmp_path, monkeypatch, gain) -> None:
    point = Point({"dropout": 0.1}, {"learning_rate": 0.02})
    monkeypatch.setattr(tuning_search, "judge", lambda task, data, given, watch: 0.5 + gain * (given == point))
    found = tune(replace(SHORT, candidate=point), tmp_path / "a.journal", trials=7)
    assert (found.trials, found.default_value, found.candidate_value) == (2, 0.5, 0.5 + gain)
    assert Point(found.settings, found.training) == (point if gain > 0 else Point({}, {}))  # of equals the defaults
    assert found.entry()["confirmed"]["found_value"] == 0.5 + gain


def test_what_is_compared_is_trained_as_it_will_be(tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    training = {"epochs": 8, "metric": "auc", "learning_rate": 0.02}
    found = tune(replace(SHORT, candidate=Point({}, {"learning_rate": 0.02})), tmp_path / "a.journal")
    predictor = LinkPredictor("gcn", training=training, seed=TUNING_SEED, threads=1).fit("karate", features="degree")
    assert found.candidate_value == predictor.info["training_result"]["best"]
    assert found.default_value == tune(SHORT, tmp_path / "b.journal", trials=1).value


def test_a_candidate_that_no_model_takes_is_refused_before_anything_is_trained() -> None:
    with pytest.raises(InvalidParameterError, match="dropout"):
        replace(SHORT, candidate=Point({"dropout": 2.0}, {}))
