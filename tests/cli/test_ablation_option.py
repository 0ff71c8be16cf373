"""`edgeorbit train --without PART`."""

import json

import pytest

pytest.importorskip("torch_geometric")


def test_parts_are_left_out_and_the_run_says_so(run, tmp_path) -> None:
    outcome = run(
        *("train", "karate", "--model", "eo-gnn-paper", "--without", "d1", "--without", "cn"),
        *("--features", "constant", "--set", "epochs=1", "--set", "evaluate_every=1", "-o", tmp_path / "run"),
    )
    assert outcome.code == 0, outcome.err
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["without"] == "d1,cn"


@pytest.mark.parametrize(
    ("model", "part", "said"),
    [("eo-gnn", "d9", "no part 'd9'"), ("gcn", "d1", "gcn has no setting 'without'")],
)
def test_what_cannot_be_left_out_is_told(run, tmp_path, model, part, said) -> None:
    outcome = run("train", "karate", "--model", model, "--without", part, "-o", tmp_path / "run")
    assert outcome.code == 2 and said in outcome.err
    assert not (tmp_path / "run").exists()
