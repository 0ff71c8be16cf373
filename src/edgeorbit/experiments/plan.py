"""What an experiment file says: which models on which graphs, with which features, negatives, settings and seeds."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit import __version__
from edgeorbit.data.features import FeatureMode
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.named_graphs import digests
from edgeorbit.models import MODELS, resolve_model
from edgeorbit.models.base import Preset

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import DataSection, ExperimentFile, TunedEntry, VariantSection
    from edgeorbit.experiments.tuned import Tuned

ALL = "all"  # of settings, those for all models that have them
STATISTICS = "statistics"  # the kind of an experiment that measures graphs, and what stands for the model of its cells
TIME = "time"  # the kind of an experiment about running time
SOURCE = ("source", "features_from", "generator", "options")

# By graph, metric, kind of negatives and model: a mean and, if it varies, a deviation, in per cent.
Published = Mapping[str, Mapping[str, Mapping[str, Mapping[str, list[float]]]]]


@dataclass(frozen=True)
class Cell:
    """One run: a model on a graph with a seed, and what it is judged by.

    Attributes
    ----------
    data : str
        What tables call the graph.
    source : mapping
        How it is had: `source`, a data set or a file (`features_from` another data set), or `generator` and its
        `options`.
    features, model, seed
        As for `edgeorbit train`.
    negatives : tuple of str
        The kinds of negatives to judge by.
    orbit_rounds : int, optional
        Rounds of the colours of orbit negatives; None for stable ones.
    settings, training : mapping
        Settings of the model and of training in the place of their defaults.
    exact : bool
        Whether the bound of the automorphism group is found for orbit negatives.
    variant : str
        What tables call the model, if that is not its name.
    content : mapping
        Digests of the user's own files that the graph comes from (`named_graphs`); data sets have none.
    folder : str
        Where those files are looked for: the folder of the experiment file.
    """

    data: str
    source: Mapping[str, Any]
    features: str
    model: str
    seed: int
    negatives: tuple[str, ...]
    orbit_rounds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False
    variant: str = ""
    content: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.variant or self.model

    @cached_property
    def key(self) -> str:
        """A digest of all that decides the result, the version of the package included.

        Results are found by it: what is added to a cell may change the keys only of cells that use it.
        """
        decisive = {"version": __version__, **asdict(self)}
        del decisive["variant"], decisive["folder"]  # names alone
        del decisive["exact"]  # a bound says nothing of the model
        if not self.content:
            del decisive["content"]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

    def __str__(self) -> str:
        """Name the cell for people."""
        if self.model == STATISTICS:
            return f"{self.label} of {self.data}"
        return f"{self.label} on {self.data}, {self.features} features, seed {self.seed}"


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes
    ----------
    title : str
        What its page is called.
    cells : tuple of Cell
        All runs, first seeds first.
    published : mapping
        What others found, in per cent: by graph, metric, kind of negatives and model (or variant) a mean and, if it
        varies, a deviation.
    kind : str
        What the report draws: `table`, `curve`, `ablation`, `dropout` or `time`; or `statistics`, of graphs alone.
    protocol : str
        How the published figures were obtained.
    remarks : str
        What readers of its tables must know of the runs.
    quick : tuple of Cell
        The few short runs of `--quick`.
    tuned : mapping, optional
        By the key of a cell with settings from a file of tuned ones, its entry there; None if the experiment names no
        such file.
    stated : mapping
        What others say of graphs themselves: by graph and statistic.
    published_features : tuple of str, optional
        The features that the published figures are for; None if they stand beside all of ours.
    """

    title: str
    cells: tuple[Cell, ...]
    published: Published = field(default_factory=dict)
    kind: str = "table"
    protocol: str = ""
    remarks: str = ""
    quick: tuple[Cell, ...] = ()
    tuned: "Mapping[str, TunedEntry] | None" = None
    stated: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    published_features: tuple[str, ...] | None = None

    @property
    def labels(self) -> dict[str, str]:
        """By the key of a cell, what tables call its model."""
        return {cell.key: cell.label for cell in self.cells}


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
    from edgeorbit.experiments.checking import check_experiment, check_model_settings
    from edgeorbit.experiments.schema import ExperimentFile
    from edgeorbit.experiments.tuned import read_tuned
    from edgeorbit.experiments.validated_toml import TomlKeyError, read_validated

    def check(file: "ExperimentFile") -> None:
        check_experiment(file, Path(path).parent)
        if file.tuned is not None and not (Path(path).parent / file.tuned).is_file():
            raise TomlKeyError(
                ("tuned",), f"{file.tuned}: No such file; name one that edgeorbit tune wrote, or leave it out"
            )
        if thorough:
            check_model_settings(file)

    said = read_validated(path, ExperimentFile, check)
    tuned = {} if said.tuned is None else read_tuned(Path(path).parent / said.tuned)
    found = [pair for graph in said.data for pair in _cells_of(graph, said, tuned, Path(path).parent)]
    cells = sorted((cell for cell, _ in found), key=lambda cell: cell.seed)
    _check_unique(path, cells)
    return Experiment(
        said.title,
        tuple(cells),
        said.published,
        said.kind,
        said.protocol,
        said.remarks,
        _quick(said, cells),
        None if said.tuned is None else {cell.key: entry for cell, entry in found if entry is not None},
        {graph.title: graph.stated for graph in said.data if graph.stated},
        None if said.published_features is None else tuple(said.published_features),
    )


@cache
def setting_names(model: str) -> frozenset[str]:
    """Return the names of the settings that a model has, which loads it."""
    return frozenset(one.name for one in fields(resolve_model(model).Settings))


def _cells_of(
    graph: "DataSection", said: "ExperimentFile", tuned: "Tuned", folder: Path
) -> list[tuple[Cell, "TunedEntry | None"]]:
    """Return the cells of a graph, and the entries of their tuned settings; a variant takes those of its model."""
    cells: list[tuple[Cell, TunedEntry | None]] = []
    source = source_of(graph)
    own: dict[str, Any] = {"content": digests(source, folder), "folder": str(folder)}
    if said.kind == STATISTICS:
        return [(Cell(graph.title, source, features="", model=STATISTICS, seed=0, negatives=("",), **own), None)]
    seeds = dict.fromkeys(graph.models or said.models or MODELS, graph.seeds or said.seeds) | graph.also
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


def _before_all(
    found: Preset, said: "ExperimentFile", graph: "DataSection", variant: "VariantSection | None"
) -> Preset:
    """Return the tuned settings that count before those of the file: what it lets be searched, and no variant sets."""
    names = search_ranges(said, graph).keys() - (variant.settings.keys() | variant.training.keys() if variant else ())
    return Preset(*({key: value for key, value in part.items() if key in names} for part in found))


def source_of(graph: "DataSection") -> dict[str, Any]:
    """Return how a graph is had, as the file says it."""
    return {key: getattr(graph, key) for key in SOURCE if getattr(graph, key) is not None}


def search_ranges(said: "ExperimentFile", graph: "DataSection") -> dict[str, Any]:
    """Return by setting what is searched on a graph, as the file says it."""
    return said.search | graph.search


def general_settings(said: "ExperimentFile", model: str) -> Preset:
    """Return the settings for all models that this one has."""
    given = said.settings.get(ALL)
    return Preset({key: given[key] for key in given if key in setting_names(model)}) if given else Preset()


def features_of(said: "ExperimentFile", graph: "DataSection", name: str) -> list[FeatureMode]:
    """Return the features that a model or variant is run with on a graph, unless the graph has not those."""
    return graph.features_of.get(name, said.features_of.get(name, graph.features))


def training_of(said: "ExperimentFile", graph: "DataSection", model: str) -> dict[str, Any]:
    """Return how a model is trained on a graph: what holds for all, for the model, for the graph, for both.

    The last of them that says something counts.
    """
    return said.training | said.training_of.get(model, {}) | graph.training | graph.training_of.get(model, {})


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
