"""Results: the rows of an experiment under the names that its file gives, and what others published."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.experiments.plan import Cell, Described, Experiment
from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.store import Store
from edgeorbit.models import MODELS
from edgeorbit.prediction.result import NEGATIVES_PROTOCOL, RESULTS, read_result

Row = dict[str, Any]


@dataclass(frozen=True)
class Results(Described):
    """What an experiment found, beside what its file says of it.

    Attributes
    ----------
    rows : list of dict
        Its rows; `model` is what tables call the model, `base` the model of which it is a variant, and `features`
        what nodes had.
    order : tuple of str
        The models in the order of tables.
    cells : tuple of Cell
        The runs that the file plans; none if it is not there.
    withdrawn : int
        Number of rows that are left out, because their negatives were not what their name says.
    """

    rows: list[Row]
    order: tuple[str, ...]
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    withdrawn: int = 0

    @property
    def orbit_rounds(self) -> dict[str, int | None]:
        """By graph the rounds of colours that orbit negatives share, None for stable colours; empty if not known."""
        return {cell.data: cell.orbit_rounds for cell in self.cells}

    def published_for(self, graph: str, features: str, metric: str, kind: str) -> Mapping[str, Sequence[float]]:
        """Return what was published for a graph, by model."""
        if self.published_features is not None and features not in self.published_features:
            return {}
        return self.published.get(graph, {}).get(metric, {}).get(kind, {})

    def names(self, column: str) -> list[str]:
        """Return what stands in a column, in the order in which it comes."""
        return list(dict.fromkeys(row[column] for row in self.rows))

    def values(self, features: str, negatives: str, metric: str) -> dict[str, dict[str, dict[tuple[int, str], float]]]:
        """Return what models reached on test links, in percent: by graph, model, and seed with its split.

        Only runs on the same split are paired, should a seed ever have given another one.
        """
        found: dict[str, dict[str, dict[tuple[int, str], float]]] = {}
        for row in self.rows:
            value = row.get(f"test_{metric}")
            if value is not None and row["features"] == features and row["negatives"] == negatives:
                place = row["seed"], row.get("split_digest") or ""
                found.setdefault(row["data"], {}).setdefault(row["model"], {})[place] = 100 * value
        return found

    @property
    def failures(self) -> list[tuple[str, str, str, str]]:
        """Model, graph, features and reason of the runs that failed, each once."""
        return sorted(
            {
                (row["model"], row["data"], row["features"], " ".join(str(row["failed"]).split()))
                for row in self.rows
                if row.get("failed")
            }
        )

    @property
    def notes(self) -> list[str]:
        """What readers must know of how the rows were made: versions of the code, rows left out, older protocols.

        >>> rows = [{"code": "a1", "negatives": ""}, {"code": "b2", "negatives": ""}, {"negatives": ""}]
        >>> Results("", rows, ()).notes
        ['The rows come from 3 versions of the code: 1 of a1, 1 of b2, 1 unknown.']
        """
        return [note for note in (self._versions(), self._withdrawn(), self._older_validation()) if note]

    def _versions(self) -> str:
        codes = Counter(row.get("code") or "" for row in self.rows)
        if len(codes) < 2:
            return ""
        parts = [f"{number} of {str(code)[:8]}" if code else f"{number} unknown" for code, number in codes.items()]
        return f"The rows come from {len(codes)} versions of the code: {', '.join(parts)}."

    def _withdrawn(self) -> str:
        if not self.withdrawn:
            return ""
        return (
            f"Withdrawn: {self.withdrawn:,} results against HeaRT's negatives of models without the data set's own "
            "features. Version 0.1 compared the constant features that the models were given, so that those negatives "
            "were not hard. They will be measured again."
        )

    def _older_validation(self) -> str:
        judged = [row for row in self.rows if row["negatives"] and not row.get("failed")]
        older = sum(not row.get(NEGATIVES_PROTOCOL) for row in judged)
        if not older:
            return ""
        share = "all" if older == len(judged) else f"{older:,} of {len(judged):,}"
        return (
            f"In {share} rows, validation negatives avoid test links, too, as version 0.1 drew them (those that come "
            "with a data set are taken as they are). Since then they avoid training and validation links only."
        )


def gather_results(experiment: Experiment, rows: Sequence[Row]) -> Results:
    """Keep the rows of an experiment's cells, under the names that its file gives to models, graphs in its order."""
    labels, graphs = experiment.labels, list(dict.fromkeys(cell.data for cell in experiment.cells))
    kept, withdrawn = _divide([_named(row, labels[row["key"]]) for row in rows if row["key"] in labels])
    unknown = next((row for row in kept if row["data"] not in graphs), None)
    if unknown is not None:
        raise GraphFormatError(
            f"the results of {experiment.title} are damaged: those of run {shown(unknown['key'])} name the graph "
            f"{shown(unknown['data'])}, which is not in the experiment; run them again"
        )
    kept.sort(key=lambda row: graphs.index(row["data"]))
    said = {each.name: getattr(experiment, each.name) for each in fields(Described)}
    said["tuned"] = experiment.tuned or {}  # nothing was searched: the file says so
    return Results(rows=kept, order=_order(list(labels.values())), cells=experiment.cells, withdrawn=withdrawn, **said)


def read_results(path: str | Path) -> Results:
    """Read the results of an experiment, named by its file (.toml) or by what was found (.parquet).

    The one beside the other, of the same name, is read too.

    Raises
    ------
    EdgeorbitError
        If there are no results, or not in that file.
    """
    given = Path(path)
    file, store = given.with_suffix(".toml"), given.with_suffix(".parquet")
    if not given.exists():
        raise InvalidParameterError(f"{path}: there is no such file; give an experiment (.toml) or results (.parquet)")
    experiment = read_experiment(file) if file.exists() else None
    if not store.exists():
        raise InvalidParameterError(f"{store}: there are no results yet; run edgeorbit bench {file} first")
    rows = Store(store).rows
    results = _without_file(given, rows) if experiment is None else gather_results(experiment, rows)
    if not results.rows:
        run = f"edgeorbit bench {file}" if file.exists() else "edgeorbit bench on its experiment file"
        raise InvalidParameterError(f"{store}: has no results of this experiment; run {run} first")
    return results


def read_runs(directories: Sequence[str | Path]) -> Results:
    """Read the results of runs, side by side.

    Raises
    ------
    EdgeorbitError
        If a directory has no results.
    """
    rows: list[Row] = []
    for directory in directories:
        result = read_result(directory)
        key = f"{result.graph} {result.model} {result.settings_digest} {result.split_digest} {result.seed}"
        rows += [row | {"key": key} for row in result.rows()]
    if not rows:
        raise InvalidParameterError(f"{directories[0]}: its results are empty; run edgeorbit evaluate on it first")
    names = [Path(directory).name for directory in directories]
    return _without_file(Path("Run " + names[0] if len(names) == 1 else f"{len(names)} runs"), rows)


def is_run(source: str | Path) -> bool:
    """Tell whether a source is the directory of a run."""
    return any((Path(source) / name).is_file() for name in (RESULTS, "run.json"))


def _without_file(path: Path, rows: Sequence[Row]) -> Results:
    """Name models as rows do; where a model has several settings, by a digest of them."""
    settings: dict[str, set[str]] = {}
    for row in rows:
        settings.setdefault(row["model"], set()).add(row.get("settings_digest") or "")
    named = [
        _named(row, f"{row['model']} ({(row.get('settings_digest') or 'unknown')[:6]})")
        if len(settings[row["model"]]) > 1
        else _named(row, row["model"])
        for row in rows
    ]
    cells: dict[tuple[Any, ...], Row] = {}
    for row in named:
        cell = tuple(row.get(name) for name in ("data", "features", "negatives", "model", "seed"))
        if cell in cells and not row.get("settings_digest"):
            raise InvalidParameterError(
                f"{path}: {row['model']} was run more than once with seed {row['seed']} on {row['data']}, so its rows "
                f"cannot be distinguished; put its experiment file {path.with_suffix('.toml').name} beside it"
            )
        cells[cell] = row  # a cell that was run again stands below the older one
    kept, withdrawn = _divide(list(cells.values()))
    return Results(
        path.stem if path.suffix == ".parquet" else path.name,
        kept,
        _order([row["model"] for row in kept]),
        withdrawn=withdrawn,
    )


def _divide(rows: list[Row]) -> tuple[list[Row], int]:
    """Return the rows that count, and the number of those against negatives of version 0.1 that were not hard."""
    kept = [
        row
        for row in rows
        if row["negatives"] != "heart" or row["features"] == "original" or row.get(NEGATIVES_PROTOCOL)
    ]
    return kept, len(rows) - len(kept)


def _named(row: Row, label: str) -> Row:
    features = row.get("node_features") or row.get("features", "original")  # older rows have not the first
    return row | {"features": features, "model": label, "base": row["model"]}


def _order(labels: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(name for name in MODELS if name in labels), *labels]))
