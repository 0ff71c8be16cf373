"""What `make test-lowest` installs."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.version import Version

from lowest_versions import lowest_versions

ROOT = Path(__file__).parents[1]


def test_every_dependency_states_a_bound_that_holds_here() -> None:
    found = dict(line.split("==") for line in lowest_versions((ROOT / "pyproject.toml").read_text(), ""))
    assert {"numpy", "typer", "torch", "igraph", "pyspark", "mlflow-skinny"} <= found.keys()
    assert not {"pytest", "ruff"} & found.keys()
    for name, bound in found.items():
        try:
            assert Version(version(name)) >= Version(bound), name
        except PackageNotFoundError:
            continue  # of an extra that is not installed


def test_every_extra_is_installed_where_the_tests_run() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    installed = re.findall(r'--editable "\.\[([\w,]+)\]"', (ROOT / "Makefile").read_text())
    assert len(installed) == 2
    assert all(set(some.split(",")) == extras.keys() for some in installed)


def test_what_is_pinned_is_left_out_and_a_dependency_without_a_bound_is_an_error() -> None:
    project = (
        '[project]\ndependencies = ["torch>=2.6", "numpy>=2.0"]\n[project.optional-dependencies]\nmore = ["igraph"]'
    )
    with pytest.raises(ValueError, match="igraph states no lower bound"):
        list(lowest_versions(project, ""))
    bounded = project.replace('"igraph"', '"igraph>=0.11.2"')
    assert list(lowest_versions(bounded, "torch==2.13.0\n")) == ["numpy==2.0", "igraph==0.11.2"]
