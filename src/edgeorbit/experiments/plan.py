"""What an experiment file says: which models on which graphs, with which features, negatives, settings and seeds."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from edgeorbit import __version__
from edgeorbit.data.features import FeatureMode
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import MODELS

NEGATIVES = ("random", "heart", "orbit")
TOP = {"title", "seeds", "models", "variants", "negatives", "training", "settings", "data", "published"}
SOURCE = ("source", "features_from", "generator", "options")
DATA = {
    *SOURCE,
    "name",
    "features",
    "negatives",
    "orbit_rounds",
    "seeds",
    "models",
    "training",
}


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
    variant : str
        What tables call the model, if that is not its name.
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
    variant: str = ""

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.variant or self.model

    @property
    def key(self) -> str:
        """A digest of all that decides the result, the version of the package included."""
        decisive = {"version": __version__, **asdict(self)}
        del decisive["variant"]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

    def __str__(self) -> str:
        """Name the cell for people."""
        return f"{self.label} on {self.data}, {self.features} features, seed {self.seed}"


@dataclass(frozen=True)
class Experiment:
    """An experiment: its title, its cells in the order in which they are run, and what others published.

    Published figures are in per cent, by metric, kind of negatives and model: a mean and, if it varies, a deviation.
    """

    title: str
    cells: tuple[Cell, ...]
    published: Mapping[str, Mapping[str, Mapping[str, list[float]]]] = field(default_factory=dict)

    @property
    def labels(self) -> dict[str, str]:
        """By the key of a cell, what tables call its model."""
        return {cell.key: cell.label for cell in self.cells}


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment file, which is TOML.

    Cells are ordered by seed, so that an experiment that is stopped early has all models with fewer seeds.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or says what cannot be run. The message names the file, the key and the way out.
    """
    try:
        said = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidParameterError(f"{path}: {error.strerror}; give an experiment file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParameterError(f"{path}: is no TOML: {error}") from None
    try:
        return _understand(said)
    except InvalidParameterError as error:
        raise InvalidParameterError(f"{path}: {error}") from None


def _understand(said: dict[str, Any]) -> Experiment:
    _check_keys("the file", said, TOP)
    general = {"seeds": 5, "models": list(MODELS), "negatives": ["random"], "training": {}, "settings": {}} | said
    general["variants"] = dict(_variant(name, one) for name, one in said.get("variants", {}).items())
    graphs = said.get("data")
    if not isinstance(graphs, list) or not graphs:
        raise InvalidParameterError("data is missing; add a table [[data]] for every graph")
    cells = [cell for graph in graphs for cell in _cells_of(graph, general)]
    cells.sort(key=lambda cell: cell.seed)
    return Experiment(str(said.get("title", "Results")), tuple(cells), _published(said.get("published", {})))


def _published(said: Any) -> dict[str, dict[str, dict[str, list[float]]]]:
    example = "for instance [published.mrr.random] with gcn = [50.01, 6.04]"
    try:
        found = [
            (metric, kind, model, [float(value) for value in values])
            for metric, kinds in said.items()
            for kind, models in kinds.items()
            for model, values in models.items()
        ]
    except (AttributeError, TypeError, ValueError):
        raise InvalidParameterError(f"published is by metric, negatives and model, {example}") from None
    for _, kind, model, values in found:
        _check_choices("published", [kind], NEGATIVES)
        _check_choices("published", [model], MODELS)
        if not 1 <= len(values) <= 2:
            raise InvalidParameterError(f"published: give a mean and a deviation of {model}, {example}")
    by_metric: dict[str, dict[str, dict[str, list[float]]]] = {}
    for metric, kind, model, values in found:
        by_metric.setdefault(metric, {}).setdefault(kind, {})[model] = values
    return by_metric


def _cells_of(graph: dict[str, Any], general: dict[str, Any]) -> list[Cell]:
    title = str(graph.get("name", graph.get("source", "")))
    where = f"data {title!r}"
    _check_keys(where, graph, DATA)
    if ("source" in graph) == ("generator" in graph):
        raise InvalidParameterError(f"{where}: give either source or generator")
    source: dict[str, Any] = {
        key: graph[key] for key in ("source", "features_from", "generator", "options") if key in graph
    }
    chosen = general | graph
    _check_choices(f"{where}, features", chosen.get("features", ["original"]), get_args(FeatureMode))
    _check_choices(f"{where}, negatives", chosen["negatives"], NEGATIVES)
    variants = general["variants"]
    _check_choices(f"{where}, models", chosen["models"], [*MODELS, *variants])
    if not isinstance(chosen["seeds"], int) or chosen["seeds"] < 1:
        raise InvalidParameterError(f"{where}: seeds is a whole number from 1, not {chosen['seeds']!r}")
    return [
        Cell(
            data=title,
            source=source,
            features=features,
            model=variants[name]["model"] if name in variants else name,
            variant=name if name in variants else "",
            seed=seed,
            negatives=tuple(chosen["negatives"]),
            orbit_rounds=chosen.get("orbit_rounds"),
            settings=variants[name]["settings"] if name in variants else general["settings"].get(name, {}),
            training=general["training"] | graph.get("training", {}),
        )
        for features in chosen.get("features", ["original"])
        for name in chosen["models"]
        for seed in range(chosen["seeds"])
    ]


def _variant(name: str, said: Any) -> tuple[str, dict[str, Any]]:
    where = f"variant {name!r}"
    if not isinstance(said, dict):
        raise InvalidParameterError(f"{where}: give its model and its settings")
    _check_keys(where, said, {"model", "settings"})
    _check_choices(f"{where}, model", [said.get("model")], MODELS)
    return name, {"settings": {}} | said


def _check_keys(where: str, said: Mapping[str, Any], known: set[str]) -> None:
    for key in said:
        if key not in known:
            raise InvalidParameterError(f"{where} has no key {key!r}; choose from {', '.join(sorted(known))}")


def _check_choices(where: str, given: Any, known: Any) -> None:
    if not isinstance(given, list) or not given:
        raise InvalidParameterError(f"{where}: give a list of names")
    for name in given:
        if name not in known:
            raise InvalidParameterError(f"{where}: {name!r} is unknown; choose from {', '.join(known)}")
