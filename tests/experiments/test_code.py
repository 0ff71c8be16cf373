"""Which rows a change of the sources makes outdated: those whose model uses what was changed, and no others."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import edgeorbit
from edgeorbit.models import MODELS
from edgeorbit.prediction.code import code_digest, definitions_of

PACKAGE = Path(edgeorbit.__file__).parent


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the sources."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "edgeorbit", ignore=shutil.ignore_patterns("__pycache__")))


def edit(package: Path, name: str, old: str, new: str) -> None:
    path = package / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{name} has changed; choose something else to edit"
    path.write_bytes(text.replace(old, new, 1).encode())


def outdated(package: Path) -> set[str]:
    return {
        f"{model}, synthetic" if synthetic else model
        for model in [*MODELS, "statistics"]
        for synthetic in (False, True)
        if code_digest(model, synthetic=synthetic) != code_digest(model, synthetic=synthetic, package=package)
    }


def test_what_changes_no_number_leaves_all_rows_current(package: Path) -> None:
    edit(package, "__init__.py", f'__version__ = "{edgeorbit.__version__}"', '__version__ = "99.0"')
    for name in ("pairwise/common_neighbours.py", "models/base.py"):
        edit(package, name, "\n\n\n", "\n\n\n# A comment.\n")
    windows = package / "graph" / "csr.py"
    windows.write_bytes(windows.read_bytes().replace(b"\n", b"\r\n"))
    edit(package, "evaluation/metrics.py", '"""The one place', '"""The only place')
    edit(package, "data/splits/random.py", '    """Split the edges of a graph at random.\n', '    """Divide them.\n')
    edit(package, "data/negatives/random_pool.py", "too few for", "which are too few for")  # what an error says
    for folder in ("cli", "report", "theory", "expressiveness", "engines"):
        for path in (package / folder).rglob("*.py"):
            path.write_text("answer = 42\n")
    assert outdated(package) == set()


@pytest.mark.parametrize(
    ("name", "old", "new", "models"),
    [
        ("pairwise/_minhash_hyperloglog.py", "SHIFT = 40", "SHIFT = 41", {"buddy"}),
        ("models/nbfnet/messages.py", "SMALLEST_SCALE = 1e-2", "SMALLEST_SCALE = 1e-3", {"nbfnet"}),
        ("pairwise/drnl.py", "1 + ", "2 + ", {"seal"}),
        ("pairwise/walks.py", "factor *= beta", "factor *= 2 * beta", {"katz"}),
        ("models/heuristics.py", "beta: float = ", "beta: float = 2 * ", {"katz"}),  # others share the file
        ("models/heuristics.py", "PAIRS_AT_ONCE = 1", "PAIRS_AT_ONCE = 2", {"ppr"}),
        ("models/encoder_models.py", "heads: int = 4", "heads: int = 2", {"gat"}),
        ("models/encoders.py", "class SAGELayer(", "class SAGELayer(Joined, ", {"sage"}),
    ],
)
def test_a_change_of_a_kernel_concerns_the_models_that_use_it(
    package: Path, name: str, old: str, new: str, models: set[str]
) -> None:
    edit(package, name, old, new)
    assert outdated(package) == models | {f"{model}, synthetic" for model in models}


def test_a_move_to_another_file_leaves_all_rows_current(package: Path) -> None:
    shutil.move(package / "pairwise" / "drnl.py", package / "labels.py")
    edit(package, "pairwise/enclosing_subgraphs.py", "edgeorbit.pairwise.drnl", "edgeorbit.labels")
    assert outdated(package) == set()


def test_it_matters_which_of_two_definitions_of_one_name_is_used(package: Path, tmp_path: Path) -> None:
    for name, value in (("one", 1), ("two", 2)):
        (package / f"{name}.py").write_text(f"def pick():\n    return {value}\n")
    both = "    from edgeorbit.one import pick as a\n    from edgeorbit.two import pick as b\n"
    edit(package, "models/heuristics.py", '    name = "katz"\n', both + '    name = "katz"\n')
    swapped = Path(shutil.copytree(package, tmp_path / "swapped" / "edgeorbit"))
    edit(
        swapped,
        "models/heuristics.py",
        both,
        both.replace("as a", "as c").replace("as b", "as a").replace("as c", "as b"),
    )
    assert code_digest("katz", package=package) != code_digest("katz", package=swapped)
    assert code_digest("cn", package=package) == code_digest("cn", package=swapped) == code_digest("cn")


def test_a_change_of_the_generators_concerns_synthetic_graphs_alone(package: Path) -> None:
    edit(package, "synthetic/generators.py", "copies < 1", "copies < 2")
    assert outdated(package) == {f"{model}, synthetic" for model in [*MODELS, "statistics"]}


def test_a_change_of_the_splits_concerns_all_models(package: Path) -> None:
    edit(package, "data/splits/random.py", "0.80, 0.15, 0.05", "0.85, 0.10, 0.05")
    assert {model for model in outdated(package) if "synthetic" not in model} == set(MODELS)


CALLED = """
import json, sys, threading
from edgeorbit.experiments.cell import run_cell
from edgeorbit.experiments.plan import Cell
called = set()
def record(frame, event, argument):
    is_function = frame.f_code.co_flags & 1  # and no body of a class or a module
    if event == "call" and is_function and frame.f_globals.get("__name__", "").startswith("edgeorbit."):
        called.add((frame.f_globals["__name__"], frame.f_code.co_qualname.split(".")[0]))
threading.setprofile(record)
sys.setprofile(record)
name = sys.argv[1]
training = {"epochs": 1, "perturbation": "d1", "perturbation_rate": 0.1} if sys.argv[2] == "trained" else {}
run_cell(Cell("karate", {"source": "karate"}, "constant", name, 0, ("random", "heart", "orbit"), training=training))
sys.setprofile(None)
print(json.dumps(sorted(called)))
"""
# What a run calls that changes none of its numbers: how jobs are planned and kept, words, files, memory limits.
OTHER = {
    "_files",
    "_memory",
    "_parallel.default_threads",
    "errors.naming_extras",
    "experiments",
    "graph.npz_layout",
    "graph.writing",
    "models.make_model",
    "models.reference_of",
    "models.resolve_model",
    "prediction.code",
    "prediction.predictions",
    "prediction.result",
    "prediction.run_directory",
    "prediction._stored_runs",
    "training.devices",
    "training.fitting.make_trainer",
    "training.needs",
    "training.settings.shared_training",
    "training.settings.training_class",
}


@pytest.mark.parametrize("name", ["ra", "gcn", "buddy", "eo-gnn"])
def test_no_definition_that_a_run_calls_is_forgotten(name: str) -> None:
    if name != "ra":
        pytest.importorskip("torch_geometric")
    command = [sys.executable, "-c", CALLED, name, "trained" if name != "ra" else ""]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    called = {(module.removeprefix("edgeorbit."), part) for module, part in json.loads(finished.stdout)}
    counted = definitions_of(name)
    assert ("evaluation.scoring", "evaluate_part") in called
    forgotten = {f"{module}:{part}" for module, part in called if not part.startswith(("<", "__"))} - counted
    assert {
        found for found in forgotten if not any(f"{found}.".replace(":", ".").startswith(f"{each}.") for each in OTHER)
    } == set()
