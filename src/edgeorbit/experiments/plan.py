"""What an experiment file says: which models on which graphs, with which features, negatives, settings and seeds."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from edgeorbit.data.features import FeatureMode
from edgeorbit.models import resolve_model
from edgeorbit.models.base import Preset
from edgeorbit.prediction.code import code_digest
from edgeorbit.training.settings import setting_names

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import DataSection, ExperimentFile, TunedEntry

ALL = "all"  # of settings, those for all models that have them
STATISTICS = "statistics"  # the kind of an experiment that measures graphs, and what stands for the model of its cells
TIME = "time"  # the kind of an experiment about running time
KEY_FORM = "0.1.0"  # part of every key since the first results: it keeps them valid, and is no version of the package
SOURCE = ("source", "features_from", "generator", "options")

# By graph, metric, kind of negatives and model: a mean and, if it varies, a standard deviation, in percent.
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
        Settings of the model and of training instead of their defaults.
    exact : bool
        Whether the bound of the automorphism group is found for orbit negatives.
    backtest : bool
        Whether the list of likeliest links is compared with the test links.
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
    backtest: bool = False
    variant: str = ""
    content: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.variant or self.model

    @cached_property
    def key(self) -> str:
        """A digest of all that decides the result but the code, whose digest stands in the rows.

        Results are found by it: what is added to a cell may change the keys only of cells that use it.
        """
        decisive = {"version": KEY_FORM, **asdict(self)}
        del decisive["variant"], decisive["folder"]  # names alone
        del decisive["exact"]  # a bound says nothing of the model
        for name in ("content", "backtest"):
            if not decisive[name]:
                del decisive[name]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def is_synthetic(self) -> bool:
        """Whether the graph is generated."""
        return "generator" in self.source

    @property
    def code(self) -> str:
        """The digest of the code that decides its rows."""
        return code_digest(self.model, synthetic=self.is_synthetic)

    def __str__(self) -> str:
        """Name the cell for people."""
        if self.model == STATISTICS:
            return f"{self.label} of {self.data}"
        return f"{self.label} on {self.data}, {self.features} features, seed {self.seed}"


@dataclass(frozen=True)
class Described:
    """What an experiment file says of its results.

    Attributes
    ----------
    title : str
        What its page is called.
    published : mapping
        What others found, in percent: by graph, metric, kind of negatives and model (or variant) a mean and, if it
        varies, a standard deviation.
    kind : str
        What the report draws: `table`, `curve`, `ablation`, `dropout` or `time`; or `statistics`, of graphs alone.
    protocol : str
        How the published figures were obtained.
    remarks : str
        What readers of its tables must know of the runs.
    tuned : mapping, optional
        By the key of a cell with settings from a file of tuned ones, its entry there; None if the experiment names no
        such file.
    stated : mapping
        What others say of graphs themselves: by graph and statistic.
    published_features : tuple of str, optional
        The features that the published figures are for; None if they stand beside all of ours.
    series : mapping
        By graph, the curve against EAR that it is a point of.
    """

    title: str
    _: KW_ONLY
    published: Published = field(default_factory=dict)
    kind: str = "table"
    protocol: str = ""
    remarks: str = ""
    tuned: "Mapping[str, TunedEntry] | None" = None
    stated: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    published_features: tuple[str, ...] | None = None
    series: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment(Described):
    """An experiment: all its runs, first seeds first, and the few short ones of `--quick`."""

    cells: tuple[Cell, ...]
    quick: tuple[Cell, ...] = ()

    @property
    def labels(self) -> dict[str, str]:
        """By the key of a cell, what tables call its model."""
        return {cell.key: cell.label for cell in self.cells}


def source_of(graph: "DataSection") -> dict[str, Any]:
    """Return how a graph is had, as the file says it."""
    return {key: getattr(graph, key) for key in SOURCE if getattr(graph, key) is not None}


def search_ranges(said: "ExperimentFile", graph: "DataSection") -> dict[str, Any]:
    """Return by setting what is searched on a graph, as the file says it."""
    return said.search | graph.search


def general_settings(said: "ExperimentFile", model: str) -> Preset:
    """Return the settings for all models that this one has."""
    given = said.settings.get(ALL)
    if not given:
        return Preset()
    own, _ = setting_names(resolve_model(model))
    return Preset({key: given[key] for key in given if key in own})


def features_of(said: "ExperimentFile", graph: "DataSection", name: str) -> list[FeatureMode]:
    """Return the features that a model or variant is run with on a graph, unless the graph has not those."""
    return graph.features_of.get(name, said.features_of.get(name, graph.features))


def training_of(said: "ExperimentFile", graph: "DataSection", model: str) -> dict[str, Any]:
    """Return how a model is trained on a graph: what holds for all, for the model, for the graph, for both.

    The last of them that says something counts.
    """
    return said.training | said.training_of.get(model, {}) | graph.training | graph.training_of.get(model, {})
