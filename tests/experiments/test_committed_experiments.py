"""Every committed experiment file can be run."""

import os
from pathlib import Path

import pytest

from edgeorbit.data.registry import DATASETS
from edgeorbit.experiments.plan import STATISTICS
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.state import examine
from edgeorbit.experiments.store import Store
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.synthetic.generators import resolve_generator

FILES = sorted(
    path for path in (Path(__file__).parents[2] / "experiments").glob("*.toml") if "\n[[data]]" in path.read_text()
)
FINISHED = [path for path in FILES if path.with_suffix(".parquet").exists()]  # others have no results yet
FOLDERS = {"heart/citeseer"}  # of the data directory, which have no name of their own


def test_there_are_experiments() -> None:
    assert len(FINISHED) >= 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_experiment_is_whole(path) -> None:
    experiment = read_experiment(path)
    assert experiment.title and experiment.cells
    assert len({cell.key for cell in experiment.cells}) == len(experiment.cells)
    assert len({(cell.label, cell.data, cell.features, cell.seed) for cell in experiment.cells}) == len(
        experiment.cells
    )
    for cell in experiment.cells:
        if "generator" in cell.source:
            name = resolve_generator(cell.source["generator"])[1] or cell.source.get("options", {}).get("of")
        else:
            name = cell.source["source"]
        assert name is None or name in DATASETS or name in FOLDERS or name.startswith("syn-"), name
    labels = {cell.label for cell in experiment.cells}
    for graph, metrics in experiment.published.items():
        assert graph in {cell.data for cell in experiment.cells}
        for kinds in metrics.values():
            for figures in kinds.values():
                assert set(figures) <= labels | set(MODELS)
                assert all(0 <= value <= 100 for values in figures.values() for value in values)
    assert experiment.protocol or not experiment.published
    assert {cell.seed for cell in experiment.quick} == {0}


@pytest.mark.parametrize("path", FINISHED, ids=lambda path: path.stem)
def test_committed_results_can_be_compared(path) -> None:
    """Of a graph and a seed all models were judged by one split, and by the same negatives."""
    state = examine(read_experiment(path).cells, Store(path.with_suffix(".parquet")))
    assert state.done and not state.failed and state.mixed == ()


def test_results_are_found_by_keys_that_new_settings_leave_as_they_are() -> None:
    path = next(path for path in FINISHED if path.stem == "real")
    experiment = read_experiment(path)
    assert len(examine(experiment.cells, Store(path.with_suffix(".parquet"))).done) == len(experiment.cells)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_settings_of_an_experiment_are_those_of_its_models(path) -> None:
    pytest.importorskip("torch_geometric")
    from edgeorbit.training import TrainingSettings

    seen = set()
    for cell in read_experiment(path, thorough=True).cells:
        if cell.model != STATISTICS and (cell.model, str(cell.settings), str(cell.training)) not in seen:
            seen.add((cell.model, str(cell.settings), str(cell.training)))
            make_model(cell.model, **cell.settings)
            if resolve_model(cell.model).trainable:
                TrainingSettings.from_mapping(cell.training, "training")


@pytest.mark.skipif("EDGEORBIT_DATA" not in os.environ, reason="real graphs lie where EDGEORBIT_DATA says")
@pytest.mark.parametrize("path", FINISHED, ids=lambda path: path.stem)
def test_a_quick_look_at_an_experiment_works(path, tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    from typer.testing import CliRunner

    from edgeorbit.cli.commands import app

    kept = tmp_path / "quick.parquet"
    found = CliRunner().invoke(app, ["bench", str(path), "--quick", "--jobs", "2", "-o", str(kept)])
    assert found.exit_code == 0, found.output
    assert Store(kept).keys == {cell.key for cell in read_experiment(path).quick}
