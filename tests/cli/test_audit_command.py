"""`edgeorbit audit`: a table or JSON, and exit codes that a script can rely on."""

import json

import pytest

pytest.importorskip("torch_geometric")

MODELS = """
import torch

class Net(torch.nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.linear = torch.nn.Linear(in_channels, 8)

    def forward(self, x, edge_index):
        return self.linear(x)

def lopsided(pairs):
    return pairs[:, 0]

def leaking(split):
    degree = split.whole.degree
    return lambda pairs: degree[pairs].prod(axis=1)
"""


@pytest.fixture
def own(tmp_path, monkeypatch) -> str:
    """The name of a module of the user's own, in the working directory."""
    (tmp_path / "audited_models.py").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "audited_models"


def test_a_model_that_passes_ends_with_code_0_and_a_table(run) -> None:
    code, out, err = run("audit", "karate", "--model", "gcn", "--features", "constant")
    assert (code, err) == (0, "")
    assert "gcn on karate, seed 0: 13 passed" in out and "target links" in out


def test_a_failed_check_ends_with_code_1_and_names_the_claim(run, own) -> None:
    code, out, _ = run("audit", "karate", "--model", f"{own}:lopsided")
    assert code == 1
    assert "order of nodes" in out and "violated: The score of (u, v) is that of (v, u)." in out


def test_findings_are_printed_as_json(run, own) -> None:
    code, out, _ = run("audit", "karate", "--train", f"{own}:leaking", "--json")
    told = json.loads(out)
    assert code == 1 and not told["passed"]
    assert [each["check"] for each in told["checks"] if each["verdict"] == "failed"] == ["test links"]


def test_a_module_and_some_checks(run, own) -> None:
    code, out, _ = run("audit", "karate", "--model", f"{own}:Net", "--checks", "target links, test links", "--json")
    assert code == 0 and [each["check"] for each in json.loads(out)["checks"]] == ["target links", "test links"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["karate"], "give --model or --train"),
        (["karate", "--model", "gcm"], "did you mean gcn"),
        (["nowhere.csv", "--model", "cn"], "nowhere.csv"),
        (["karate", "--model", "cn", "--checks", "leak"], "choose from split"),
        (["karate", "--train", "json:JSONDecoder"], "must name a function"),
        (["karate", "--train", "no_such_module:fit"], "cannot be imported"),
    ],
)
def test_bad_input_ends_with_code_2_and_a_sentence(run, arguments, sentence: str) -> None:
    code, out, err = run("audit", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err and err.count("\n") == 1
