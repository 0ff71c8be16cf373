"""From an experiment file to the runs that it plans."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.named_graphs import digests
from edgeorbit.experiments.plan import (
    STATISTICS,
    Cell,
    Experiment,
    features_of,
    general_settings,
    search_ranges,
    source_of,
    training_of,
)
from edgeorbit.models import MODELS
from edgeorbit.models.base import Preset

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import DataSection, ExperimentFile, TunedEntry, VariantSection

MOST_RUNS = 1_000_000  # of a file
Tuned: TypeAlias = "dict[tuple[str, str, str], TunedEntry]"  # by graph in lower case, features and model


def read_experiment(path: str | Path, *, thorough: bool = False) -> Experiment:
    """Read an experiment file, which is TOML.

    Cells are ordered by seed, so that an experiment that is stopped early has all models with fewer seeds.

    Parameters
    ----------
    path
        The file.
    thorough
        Also check the settings of models, which takes the seconds that loading PyTorch takes.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or says what cannot be run. The message names the file, the line, the key and the
        way out.
    """
    from edgeorbit.experiments._checking import check_experiment, check_model_settings
    from edgeorbit.experiments.schema import ExperimentFile
    from edgeorbit.experiments.toml_files import TomlKeyError, read_validated

    def check(file: "ExperimentFile") -> None:
        check_experiment(file, Path(path).parent)
        if file.tuned is not None and not os.path.exists(Path(path).parent / file.tuned):  # noqa: PTH110
            raise TomlKeyError(
                ("tuned",), f"{file.tuned}: No such file; name one that edgeorbit tune wrote, or leave it out"
            )
        if thorough:
            check_model_settings(file)

    said = read_validated(path, ExperimentFile, check)
    planned = sum(len(graph.features) * sum(_seeds_of(graph, said).values()) for graph in said.data)
    if planned > MOST_RUNS:
        raise InvalidParameterError(
            f"{path}: plans {planned:,} runs and may plan {MOST_RUNS:,}; take fewer seeds, or divide it into files"
        )
    tuned = {} if said.tuned is None else read_tuned(Path(path).parent / said.tuned)
    found = [pair for graph in said.data for pair in _cells_of(graph, said, tuned, Path(path).parent)]
    cells = sorted((cell for cell, _ in found), key=lambda cell: cell.seed)
    _check_unique(path, cells)
    return Experiment(
        said.title,
        tuple(cells),
        _quick(said, cells),
        published=said.published,
        kind=said.kind,
        protocol=said.protocol,
        remarks=said.remarks,
        tuned=None if said.tuned is None else {cell.key: entry for cell, entry in found if entry is not None},
        stated={graph.title: graph.stated for graph in said.data if graph.stated},
        published_features=None if said.published_features is None else tuple(said.published_features),
        series=_series(said),
    )


def _series(said: "ExperimentFile") -> dict[str, str]:
    """Return by graph the curve that it is a point of; without any, a file of kind `curve` has one of all graphs."""
    named = {graph.title: graph.series for graph in said.data if graph.series}
    return named if named or said.kind != "curve" else {graph.title: said.title for graph in said.data}


def _cells_of(
    graph: "DataSection", said: "ExperimentFile", tuned: "Tuned", folder: Path
) -> list[tuple[Cell, "TunedEntry | None"]]:
    """Return the cells of a graph, and the entries of their tuned settings; a variant takes those of its model."""
    cells: list[tuple[Cell, TunedEntry | None]] = []
    source = source_of(graph)
    own: dict[str, Any] = {"content": digests(source, folder), "folder": str(folder)}
    if said.kind == STATISTICS:
        return [(Cell(graph.title, source, features="", model=STATISTICS, seed=0, negatives=("",), **own), None)]
    seeds = _seeds_of(graph, said)
    for features in graph.features:
        for name in seeds:
            if features not in features_of(said, graph, name):
                continue
            variant = said.variants.get(name)
            cell = Cell(
                data=graph.title,
                source=source,
                features=features,
                model=name if variant is None else variant.model,
                variant="" if variant is None else name,
                seed=0,
                negatives=tuple(graph.negatives or said.negatives),
                orbit_rounds=graph.orbit_rounds,
                exact=graph.exact,
                backtest=said.backtest,
                **own,
            )
            given = Preset(
                said.settings.get(cell.model, {}) | graph.settings.get(cell.model, {}),
                training_of(said, graph, cell.model),
            )
            if variant is not None:
                given |= Preset(variant.settings, variant.training)
            entry = tuned.get((graph.searched.lower(), features, cell.model))
            found = Preset() if entry is None else Preset(entry.settings, entry.training)
            chosen = general_settings(said, cell.model) | found | given | _before_all(found, said, graph, variant)
            cell = replace(cell, settings=dict(chosen.settings), training=dict(chosen.training))
            cells += [(replace(cell, seed=seed), entry) for seed in range(seeds[name])]
    return cells


def _seeds_of(graph: "DataSection", said: "ExperimentFile") -> dict[str, int]:
    """Return by model or variant how many seeds it is run with on a graph."""
    return dict.fromkeys(graph.models or said.models or MODELS, graph.seeds or said.seeds) | graph.also


def _before_all(
    found: Preset, said: "ExperimentFile", graph: "DataSection", variant: "VariantSection | None"
) -> Preset:
    """Return the tuned settings that count before those of the file: what it lets be searched, and no variant sets."""
    names = search_ranges(said, graph).keys() - (variant.settings.keys() | variant.training.keys() if variant else ())
    return Preset(*({key: value for key, value in part.items() if key in names} for part in found))


def _quick(said: "ExperimentFile", cells: list[Cell]) -> tuple[Cell, ...]:
    """Return a short run of every cell of the first seed that the file wants for a quick look."""
    return tuple(
        replace(cell, training={**cell.training, "epochs": said.quick.epochs})
        for cell in cells
        if cell.seed == 0
        and (said.quick.models is None or cell.label in said.quick.models)
        and (said.quick.data is None or cell.data in said.quick.data)
    )


def _check_unique(path: str | Path, cells: list[Cell]) -> None:
    seen: dict[str, Cell] = {}
    for cell in cells:
        other = seen.setdefault(cell.key, cell)
        if other is not cell:
            raise InvalidParameterError(f"{path}: {other} and {cell} are the same run; leave one of them out")


def read_tuned(path: str | Path) -> Tuned:
    """Read a file of tuned settings, which is TOML: a table `[[tuned]]` for every graph, features and model.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or has no tuned settings; the message names the line and the key.
    """
    from edgeorbit.experiments._checking import check_tuned
    from edgeorbit.experiments.schema import TunedFile
    from edgeorbit.experiments.toml_files import read_validated

    return {
        (entry.data.lower(), entry.features, entry.model): entry
        for entry in read_validated(path, TunedFile, check_tuned).tuned
    }
