"""Results: the rows of an experiment under the names that its file gives, and what others published."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell, Experiment, read_experiment
from edgeorbit.experiments.store import Store
from edgeorbit.models import MODELS

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import TunedEntry

Row = dict[str, Any]
Published = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]]


@dataclass(frozen=True)
class Results:
    """What an experiment found.

    Attributes
    ----------
    title : str
        Its title.
    rows : list of dict
        Its rows; `model` is what tables call the model, `base` the model of which it is a variant, and `features`
        what nodes had.
    order : tuple of str
        The models in the order of tables.
    published : mapping
        In per cent, by graph, metric, kind of negatives and model: a mean and, if it varies, a deviation.
    protocol : str
        How the published figures were obtained.
    remarks : str
        What readers of tables must know of the runs.
    kind : str
        What it is about: `"table"`, `"curve"`, `"ablation"`, `"dropout"`, `"time"` or `"statistics"`.
    stated : mapping
        What others say of graphs themselves: by graph and statistic.
    published_features : tuple of str, optional
        The features that the published figures are for; None if they stand beside all of ours.
    searches : mapping, optional
        By the key of a row whose settings were searched, what was found; None if nobody knows.
    cells : tuple of Cell
        The runs that the file plans; none if it is not there.
    """

    title: str
    rows: list[Row]
    order: tuple[str, ...]
    published: Published = field(default_factory=dict)
    protocol: str = ""
    remarks: str = ""
    kind: str = "table"
    stated: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    published_features: tuple[str, ...] | None = None
    searches: "Mapping[str, TunedEntry] | None" = None
    cells: tuple[Cell, ...] = field(default=(), repr=False)

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
        """Return what models reached on test links, in per cent: by graph, model, and seed with its split.

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
    def versions(self) -> str:
        """Say how many versions of the code the rows come from, if that is known and more than one.

        >>> rows = [{"code": "a1"}, {"code": "a1"}, {"code": "b2"}, {}]
        >>> Results("", rows, ()).versions
        'The rows come from 3 versions of the code: 2 of a1, 1 of b2, 1 unknown.'
        """
        found = Counter(row.get("code") or "" for row in self.rows)
        if len(found) < 2:
            return ""
        parts = [f"{number} of {str(code)[:8]}" if code else f"{number} unknown" for code, number in found.items()]
        return f"The rows come from {len(found)} versions of the code: {', '.join(parts)}."


def gather_results(experiment: Experiment, rows: Sequence[Row]) -> Results:
    """Keep the rows of an experiment's cells, under the names that its file gives to models, graphs in its order."""
    labels, graphs = experiment.labels, list(dict.fromkeys(cell.data for cell in experiment.cells))
    kept = [_named(row, labels[row["key"]]) for row in rows if row["key"] in labels]
    kept.sort(key=lambda row: graphs.index(row["data"]))
    return Results(
        experiment.title,
        kept,
        _order(list(labels.values())),
        experiment.published,
        experiment.protocol,
        experiment.remarks,
        experiment.kind,
        experiment.stated,
        experiment.published_features,
        experiment.tuned or {},
        experiment.cells,
    )


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
                f"cannot be told apart; put its experiment file {path.with_suffix('.toml').name} beside it"
            )
        cells[cell] = row  # a cell that was run again stands below the older one
    kept = list(cells.values())
    return Results(path.stem, kept, _order([row["model"] for row in kept]))


def _named(row: Row, label: str) -> Row:
    features = row.get("node_features") or row.get("features", "original")  # older rows have not the first
    return row | {"features": features, "model": label, "base": row["model"]}


def _order(labels: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(name for name in MODELS if name in labels), *labels]))
