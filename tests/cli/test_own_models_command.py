"""The user's own models on the command line: module:Class, entry points, and runs that import nothing by themselves."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch_geometric")

OWN = '''
from torch_geometric.nn import GCNConv
from torch import nn

from edgeorbit.models import LinkModel

class Degrees(LinkModel):
    """The product of degrees."""

    name = "degrees"
    citation = "none"

    def on(self, graph):
        return lambda pairs: graph.degree[pairs].prod(axis=1).astype(float)

class Net(nn.Module):
    def __init__(self, in_channels, hidden_channels=8):
        super().__init__()
        self.conv = GCNConv(in_channels, hidden_channels)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory that offers its models by entry points too."""
    name = "own_" + "".join(letter for letter in tmp_path.name if letter.isalnum())
    (tmp_path / f"{name}.py").write_text(OWN)
    about = tmp_path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[edgeorbit.models]\ndegrees = {name}:Degrees\nbroken = {name}:Nothing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return name


def test_a_module_is_trained_evaluated_and_predicts(run, own):
    trained = run(
        "train",
        "karate",
        "--model",
        f"{own}:Net",
        "--set",
        "epochs=2",
        "--set",
        "hidden_channels=4",
        "-o",
        "run",
        "--json",
    )
    assert trained.code == 0 and json.loads(trained.out)["model"] == f"{own}:Net"
    for command in (["evaluate", "run"], ["predict", "run"]):
        refused = run(*command)
        assert refused.code == 2 and f"--model {own}:Net" in refused.err and refused.err.count("\n") == 1
    found = run("evaluate", "run", "--model", f"{own}:Net", "--json")
    assert json.loads(found.out)["test"] == json.loads(trained.out)["test"]
    assert len(run("predict", "run", "--model", f"{own}:Net", "--top", "3").out.splitlines()) == 4
    wrong = run("evaluate", "run", "--model", f"{own}:Degrees")
    assert wrong.code == 2 and "train again" in wrong.err


def test_an_installed_model_is_listed_and_found_by_name(run, own):
    listed = {each["name"]: each for each in json.loads(run("models", "--json").out)}
    assert listed["degrees"]["summary"] == "The product of degrees."
    assert "cannot be imported" in listed["broken"]["missing"]
    assert "degrees" in run("models").out
    assert run("train", "karate", "--model", "degrees", "-o", "run").code == 0
    assert run("evaluate", "run").code == 0  # an installed model needs no --model


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{own}:Absent", "check the name behind the colon"),
        ("absent_module:Net", "cannot be imported"),
        ("degree", "did you mean degrees"),
    ],
)
def test_a_model_that_there_is_not_is_refused(run, own, name, message):
    name = name.format(own=own)
    for command in (["train", "karate", "--model", name, "-o", "run"], ["tune", "karate", "--model", name]):
        refused = run(*command)
        assert refused.code == 2 and message in refused.err and not Path("run").exists()


def test_own_models_are_tuned_and_stand_in_experiments(run, own):
    tuned = run("tune", "karate", "--model", f"{own}:Net", "--trials", "1", "--epochs", "1", "--json")
    assert tuned.code == 0 and json.loads(tuned.out)["model"] == f"{own}:Net"
    assert f'model = "{own}:Net"' in Path("tuned.toml").read_text()
    Path("mine.toml").write_text(
        f'title = "Mine"\nmodels = ["ra", "degrees", "{own}:Degrees"]\nseeds = 1\nnegatives = ["random"]\n'
        '[[data]]\nsource = "karate"\nfeatures = ["constant"]\n'
    )
    assert run("bench", "mine.toml").code == 0
    assert run("bench", "mine.toml", "--write", "mine.md").code == 0
    page = Path("mine.md").read_text()
    rows = {
        line.split("|")[1].strip().replace("\\", ""): line.split("|")[2:]
        for line in page.splitlines()
        if line.startswith("|")
    }
    assert rows["degrees"] == rows[f"{own}:Degrees"] and "ra" in rows


def test_an_experiment_with_a_model_that_there_is_not_is_refused(run, own):
    for name, message in (
        (f"{own}:Absent", "check the name"),
        ("degree", "is unknown"),
        ("absent:Net", "cannot be imported"),
    ):
        Path("mine.toml").write_text(
            f'title = "Mine"\nmodels = ["{name}"]\nseeds = 1\n[[data]]\nsource = "karate"\nfeatures = ["constant"]\n'
        )
        refused = run("bench", "mine.toml")
        assert refused.code == 2 and "mine.toml" in refused.err and message in refused.err
