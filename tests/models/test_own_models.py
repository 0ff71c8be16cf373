"""Models found by name outside the package: entry points of installed packages, and module:Class."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import MODELS, installed_models, make_model, resolve_model

OWN = '''
from edgeorbit.models import LinkModel

class Degrees(LinkModel):
    """The product of degrees."""

    name = "degrees"
    citation = "none"

    def on(self, graph):
        return lambda pairs: graph.degree[pairs].prod(axis=1).astype(float)

class Half(LinkModel):
    name = "half"
    citation = "none"

NUMBER = 3
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as pip leaves it: a module, and beside it what it says of itself."""
    name = f"others_{tmp_path.name.replace('-', '_')}"  # modules of that name are imported once in a process
    (tmp_path / f"{name}.py").write_text(OWN)
    (tmp_path / f"{name}_broken.py").write_text("import a_module_that_there_is_not")
    about = tmp_path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    points = {"degrees": "Degrees", "number": "NUMBER", "half": "Half", "gone": "Gone", "gcn": "Degrees"}
    lines = [f"{point} = {name}:{value}" for point, value in points.items()]
    lines.append(f"broken = {name}_broken:Model")
    (about / "entry_points.txt").write_text("[edgeorbit.models]\n" + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_installed_models_are_found_by_name_and_not_imported(package, tmp_path):
    assert {"degrees", "number", "half", "gone", "broken"} <= set(installed_models())
    assert "gcn" not in installed_models()  # the package's own names come first
    module = installed_models()["degrees"].value.partition(":")[0]
    assert module not in sys.modules
    fitted = eo.LinkPredictor("degrees").fit("karate", output=tmp_path / "run")
    degree = fitted.split.graph.degree
    loaded = eo.LinkPredictor.load(tmp_path / "run")  # an installed model needs no model=
    assert loaded.score_pairs([[0, 9]], training_edges_only=True).scores.tolist() == [degree[0] * degree[9]]
    assert make_model("degrees").name == "degrees" and len(fitted.evaluate().code) == 16


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", r"model 'broken' of entry point \w+:Model cannot be imported \(ModuleNotFoundError.*uninstall"),
        ("gone", "model 'gone' of entry point .* cannot be imported"),
        ("half", "half is abstract; implement on"),
        ("number", "number is no model: give a name, a subclass of LinkModel"),
        ("degree", "did you mean degrees"),
    ],
)
def test_an_entry_point_that_is_no_model_is_refused_in_one_sentence(package, name, message):
    with pytest.raises(InvalidParameterError, match=message):
        resolve_model(name)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (":Nothing", r"has no 'Nothing'; check the name behind the colon"),
        ("_broken:Model", r"cannot be imported \(ModuleNotFoundError: No module named 'a_module_that_there_is_not'"),
        ("_absent:Model", r"cannot be imported \(ModuleNotFoundError"),
        (":Half", "is abstract; implement on"),
        (":NUMBER", "is no model"),
        (":", "is no module:Class"),
        (":a b", "is no module:Class"),
        (":Degrees.__init__", "is no model"),
    ],
)
def test_a_class_that_there_is_not_is_refused_in_one_sentence(package, attribute, message):
    module = installed_models()["degrees"].value.partition(":")[0]
    with pytest.raises(InvalidParameterError, match=message):
        eo.LinkPredictor(f"{module}{attribute}")


def test_a_class_by_name_and_itself_are_the_same_model(package):
    module = installed_models()["degrees"].value.partition(":")[0]
    by_name = eo.LinkPredictor(f"{module}:Degrees").fit("karate")
    itself = eo.LinkPredictor(sys.modules[module].Degrees).fit("karate")
    assert by_name.reference == itself.reference == f"{module}:Degrees"
    assert np.array_equal(by_name.score_pairs([[0, 9]]).scores, itself.score_pairs([[0, 9]]).scores)
    assert not set(MODELS) & {"degrees"}


def test_the_file_of_a_run_imports_nothing_by_itself(tmp_path):
    """Loading what somebody else sent must not run a module that it names."""
    (tmp_path / "trap.py").write_text(OWN + "\nprint('TRAPPED')\n")
    code = f"""
import os, sys
os.chdir({str(tmp_path)!r})
import edgeorbit as eo
from edgeorbit.errors import EdgeorbitError
if sys.argv[1] == "train":
    eo.LinkPredictor("trap:Degrees").fit("karate", output="run")
else:
    try:
        eo.LinkPredictor.load("run")
    except EdgeorbitError as error:
        print(error)
"""
    said = [
        subprocess.run([sys.executable, "-c", code, step], capture_output=True, text=True, check=True).stdout
        for step in ("train", "load")
    ]
    assert "TRAPPED" in said[0] and "TRAPPED" not in said[1] and "--model trap:Degrees" in said[1]
