"""Tables on a terminal of 80 columns: no name and no number is cut."""

import pytest

from edgeorbit.cli import console


@pytest.fixture(autouse=True)
def narrow(monkeypatch) -> None:
    monkeypatch.setattr(console, "PIPE_WIDTH", 80)


@pytest.mark.parametrize(
    "command",
    [
        ["ear", "karate", "two-copies-joined"],
        ["stats", "karate", "two-copies-joined"],
        ["datasets"],
        ["models"],
        ["expressiveness", "two-copies-joined", "--models", "cn,ra"],
        ["synth", "--list"],
        ["theory", "c8"],
    ],
    ids=lambda command: command[0],
)
def test_nothing_is_cut(run, command) -> None:
    shown = run(*command)
    assert shown.code == 0 and "…" not in shown.out and max(map(len, shown.out.splitlines())) > 40


def test_the_metrics_of_a_model_are_not_cut(run, tmp_path) -> None:
    assert run("synth", "syn-karate", "--edges", 20, "-o", tmp_path / "graph").code == 0
    trained = run("train", tmp_path / "graph", "--model", "ra", "-o", tmp_path / "run")
    judged = run("evaluate", tmp_path / "run", "--negatives", "orbit", "--rounds", 1, "--exact")
    for shown in (trained, judged):
        assert shown.code == 0 and "…" not in shown.out and "hits@100" in shown.out
    assert "valid, original edges" in trained.out
    assert "rounds 1" in judged.out and "walks and" in judged.out and "any model" in judged.out
