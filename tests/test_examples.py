"""The examples run, each in a folder of its own, and print what they promise."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch_geometric")

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "examples"


def run(folder: Path, *command: str, path: str = "") -> str:
    """Run a command of the examples, with further folders to import from, and return what it prints."""
    known = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH", "")]))
    finished = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": known},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def install(package: Path, target: Path) -> None:
    """Write what `pip install --target` leaves of the package: its module and its entry points."""
    about = tomllib.loads((package / "pyproject.toml").read_text())
    project = about["project"]
    for module in about["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        shutil.copy(package / module, target / module)
    metadata = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_fits_on_a_screen(script: str) -> None:
    assert len((EXAMPLES / script).read_text().splitlines()) <= 40


def test_there_are_six_examples() -> None:
    own = ["own_data.py", "own_module.py", "own_scorer.py"]
    assert sorted(["audit_leak.py", "installed_model.py", *own, "pair_signals.py"]) == SCRIPTS


def test_an_own_module_stands_in_the_table_beside_gcn_and_eo_gnn(folder: Path, monkeypatch) -> None:
    file = folder / "own_module.toml"
    file.write_text(file.read_text().replace("seeds = 2", "seeds = 1").replace("epochs = 20, ", "epochs = 5, "))
    commands = folder / "bin"
    commands.mkdir()
    (commands / "edgeorbit").write_text(
        f"#!{sys.executable}\nfrom edgeorbit.cli.main import main\nif __name__ == '__main__':\n    main()\n"
    )
    (commands / "edgeorbit").chmod(0o755)
    monkeypatch.setenv("PATH", str(commands), prepend=os.pathsep)
    run(folder, "own_module.py")
    page = (folder / "own_module.md").read_text()
    assert all(f"| {model} |" in page for model in ("gcn", "eo-gnn", r"own\_module:Net"))


def test_own_data_is_split_by_pyg_and_not_again(folder: Path) -> None:
    lines = run(folder, "own_data.py", "--epochs", "3").splitlines()
    assert [line.partition(":")[0].split(".")[0] for line in lines] == ["ra", "gcn", "torch_geometric"]


def test_an_own_scorer_sees_what_colours_do_not(folder: Path) -> None:
    lines = run(folder, "own_scorer.py").splitlines()
    against_orbit = {line.split(":")[0]: float(line.split()[6]) for line in lines}
    assert against_orbit["degrees"] == 0.5 < against_orbit["common_neighbors"]


def test_pair_signals_in_a_pipeline_are_better_than_one_of_them(folder: Path) -> None:
    pytest.importorskip("pandas")
    alone, together = (float(line.split()[-1]) for line in run(folder, "pair_signals.py").splitlines())
    assert alone < 0.7 < together


def test_a_model_of_an_installed_package_is_found_by_name(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    target.mkdir()
    install(folder / "orbit_package", target)
    lines = run(folder, "installed_model.py", path=str(target)).splitlines()
    assert lines[0] == "installed: preferential-attachment" and len(lines) == 5
    assert (
        run(
            folder,
            "-c",
            "import sys; sys.argv[1:] = ['models', '--json']; from edgeorbit.cli.main import main; main()",
            path=str(target),
        ).count("The product of the degrees of two nodes.")
        == 1
    )


def test_the_audit_finds_a_model_that_leaks(folder: Path) -> None:
    pytest.importorskip("edgeorbit.auditing", reason="the audit is not there yet")
    lines = run(folder, "audit_leak.py").splitlines()
    assert lines[0].startswith("AUC 1.000") and lines[-1] == "this model leaks"
