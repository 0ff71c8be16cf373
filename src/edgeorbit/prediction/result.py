"""`Result`: what was run and what it reached, as `results.json` in a run's directory or as rows of a table."""

import hashlib
import json
import platform
import warnings
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from edgeorbit import __version__
from edgeorbit._files import atomic_path
from edgeorbit._memory import peak_memory
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import GraphFormatError, InvalidParameterError, MissingExtraError
from edgeorbit.graph.reading.source import Source
from edgeorbit.measures.ear import ear
from edgeorbit.prediction.backtest import Backtest
from edgeorbit.prediction.code import code_digest

if TYPE_CHECKING:
    import pandas

RESULTS = "results.json"
NEGATIVES_PROTOCOL = "negatives_protocol"  # column: how negatives were made; rows of version 0.1 have none
DIGITS = 16
VALID_EDGES_SEEN = (
    "validation edges seen"  # at the end of a kind of negatives, if the model saw them for the test links
)
SHOWN_METRICS = ("auc", "ap", "mrr", "hits@1", "hits@10", "hits@20", "hits@50", "hits@100", "ties")

Row = dict[str, Any]


class Judged(BaseModel):
    """What a model reached against one kind of negatives.

    Attributes
    ----------
    negatives_digest : str
        SHA-256 of the negatives.
    negatives : dict
        How they were made, whom they cover, and for orbit negatives the bounds of oracles.
    metrics : dict
        By part (`valid`, `test`), all metrics as fractions.
    """

    model_config = ConfigDict(extra="forbid")

    negatives_digest: str
    negatives: dict[str, Any]
    metrics: dict[str, dict[str, Any]]

    def __getitem__(self, part: str) -> dict[str, Any]:
        """Return the metrics of a part, `valid` or `test`."""
        return self.metrics[part]

    @property
    def valid(self) -> dict[str, Any]:
        """Metrics of the validation links."""
        return self.metrics["valid"]

    @property
    def test(self) -> dict[str, Any]:
        """Metrics of the test links."""
        return self.metrics["test"]

    @classmethod
    def of(cls, negatives: Negatives, metrics: Mapping[str, dict[str, Any]]) -> "Judged":
        """Return the metrics beside the negatives that they are for."""
        return cls(negatives_digest=negatives.digest, negatives=dict(negatives.info), metrics=dict(metrics))

    def columns(self) -> Row:
        """Return it as columns of a row."""
        settings = {name: value for name, value in self.negatives.items() if name not in {"valid", "test"}}
        row: Row = {"negatives_digest": self.negatives_digest}
        row[NEGATIVES_PROTOCOL] = json.dumps(settings, sort_keys=True)
        known = self.negatives.get("test") or {}
        if "covered" in known:
            bounds = known["bounds"] or {}
            row["covered"] = known["covered"]
            row |= {f"bound_{name}": bound["ceiling"] for name, bound in bounds.items() if isinstance(bound, dict)}
        return row | _flat(self.metrics)


class Result(BaseModel):
    """What was run, and what it reached: a mapping from kinds of negatives to what was reached against them.

    With one kind, `valid` and `test` are the metrics themselves. Notebooks show it as a table.

    Attributes
    ----------
    graph, num_nodes, num_edges
        The graph, and its links by part.
    protocol, split_digest, features
        How links were held out, a digest of the parts, and the features that the model was given.
    model, settings, training, seed, threads
        The model, and how it was trained; `training` is None if it has no weights.
    train_ear, colour_ear : float
        EAR of the training graph, stable and after the rounds of the orbit negatives.
    judged : dict
        By kind of negatives, the metrics.
    backtest : Backtest or None
        What the list of the likeliest links is worth, and its probabilities, if that was asked for.
    epochs, seconds, peak_memory
        Epochs and seconds of training, and the most memory that the process had, in bytes; None if not known.
    code, settings_digest, version, host, made
        Digests of the code that decides the result and of the settings, version of the package, digest of the machine,
        and the time.
    remarks : list of str
        What the owner of the graph should know of the model.
    """

    model_config = ConfigDict(extra="forbid")

    form: Literal[1] = 1
    graph: str
    num_nodes: int
    num_edges: dict[str, int]
    protocol: dict[str, Any]
    split_digest: str
    features: str
    model: str
    settings: dict[str, Any]
    training: dict[str, Any] | None
    seed: int
    threads: int
    train_ear: float
    colour_ear: float | None = None
    judged: dict[str, Judged] = {}
    backtest: Backtest | None = None
    epochs: int = 0
    seconds: float | None = None
    peak_memory: int | None = None
    code: str
    settings_digest: str
    version: str
    host: str
    made: str
    remarks: list[str] = []

    def __getitem__(self, kind: str) -> Any:
        """Return what was reached against a kind of negatives."""
        if kind in self.judged:
            return self.judged[kind]
        if len(self.judged) == 1 and kind in (old := self.as_dict()):
            warnings.warn(
                f"result[{kind!r}] is deprecated; use the attribute, such as result.test or result.seed",
                DeprecationWarning,
                stacklevel=2,
            )
            return old[kind]
        raise KeyError(f"{kind}: known are {', '.join(self.judged)}")

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        """Iterate over the kinds of negatives."""
        return iter(self.judged)

    def __len__(self) -> int:
        """Return the number of kinds of negatives."""
        return len(self.judged)

    def __contains__(self, kind: object) -> bool:
        """Return whether a kind of negatives was used."""
        return kind in self.judged

    def keys(self) -> KeysView[str]:
        """Return the kinds of negatives."""
        return self.judged.keys()

    def values(self) -> ValuesView[Judged]:
        """Return what was reached against each kind."""
        return self.judged.values()

    def items(self) -> ItemsView[str, Judged]:
        """Return the kinds of negatives and what was reached against each."""
        return self.judged.items()

    @property
    def valid(self) -> dict[str, Any]:
        """Metrics of the validation links, if there is one kind of negatives."""
        return self._only.valid

    @property
    def test(self) -> dict[str, Any]:
        """Metrics of the test links, if there is one kind of negatives."""
        return self._only.test

    @property
    def _only(self) -> Judged:
        if len(self.judged) != 1:
            raise InvalidParameterError(
                f"there are results for {len(self.judged)} kinds of negatives; choose one, such as "
                f"result[{next(iter(self.judged), 'random')!r}].test"
            )
        return next(iter(self.judged.values()))

    def as_dict(self, kind: str | None = None) -> dict[str, Any]:
        """Return one kind of negatives with the protocol, as `edgeorbit evaluate --json` prints it."""
        judged = self._only if kind is None else self.judged[kind]
        kind = next(name for name, each in self.judged.items() if each is judged)
        negatives, _, seen = kind.partition(", ")
        return {
            **{key: getattr(self, key) for key in ("graph", "model", "seed", "threads", "train_ear")},
            "protocol": {**self.protocol, "with_valid_edges": bool(seen)},
            "split_digest": self.split_digest,
            "remarks": self.remarks,
            "negatives": {"kind": negatives, **judged.negatives},
            **judged.metrics,
            **({} if self.backtest is None else {"backtest": self.backtest.model_dump()}),
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with a row for every kind of negatives and part."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise MissingExtraError("to_pandas needs pandas; pip install pandas") from None
        about = {name: getattr(self, name) for name in ("graph", "model", "seed")}
        rows = [
            {**about, "negatives": kind, "part": part, **_flat(metrics)}
            for kind, judged in self.judged.items()
            for part, metrics in judged.metrics.items()
        ]
        return pandas.DataFrame(rows)

    def _repr_html_(self) -> str:
        """Return the metrics as a table, for notebooks."""
        columns = [(kind, part) for kind, judged in self.judged.items() for part in judged.metrics]
        head = "".join(f"<th>{escape(kind)}, {escape(part)}</th>" for kind, part in columns)
        rows = []
        for metric in SHOWN_METRICS:
            values = (self.judged[kind].metrics[part].get(metric) for kind, part in columns)
            cells = "".join(f"<td>{'-' if value is None else f'{value:.4f}'}</td>" for value in values)
            rows.append(f"<tr><th>{escape(metric)}</th>{cells}</tr>")
        title = f"{escape(self.model)} on {escape(self.graph)}, seed {self.seed}, training EAR {self.train_ear:.4f}"
        return f"<table><caption>{title}</caption><tr><th></th>{head}</tr>{''.join(rows)}</table>"

    def __repr__(self) -> str:
        """Name what was run, and the first metrics on test links."""
        reached = {
            kind: {
                metric: round(judged.test[metric], 4)
                for metric in ("auc", "mrr")
                if judged.test.get(metric) is not None
            }
            for kind, judged in self.judged.items()
            if "test" in judged.metrics
        }
        return f"Result(model={self.model!r}, graph={self.graph!r}, seed={self.seed}, test={reached})"

    __str__ = __repr__

    @classmethod
    def of_scorer(
        cls, name: str, split: LinkSplit, judged: Mapping[str, Judged], *, seed: int, threads: int
    ) -> "Result":
        """Return the result of a scorer that was not trained here."""
        return cls(
            **describe_split(split),
            features=split.protocol.get("features", "none" if split.graph.x is None else "original"),
            model=name,
            settings={},
            training=None,
            seed=seed,
            threads=threads,
            judged=dict(judged),
            peak_memory=peak_memory(),
            code="",
            settings_digest=settings_digest({}, {}),
            version=__version__,
            host=host_digest(),
            made=_now(),
        )

    @classmethod
    def of(
        cls,
        info: Mapping[str, Any],
        judged: Mapping[str, Judged],
        *,
        seconds: float | None,
        remarks: list[str],
        synthetic: bool = False,
    ) -> "Result":
        """Return the result of a run that `run.json` says this of."""
        history = (info.get("training_result") or {}).get("history") or [{"epoch": 0}]
        described = ("graph", "num_nodes", "num_edges", "protocol", "split_digest", "train_ear")
        chosen = ("model", "settings", "training", "seed", "threads")
        values: dict[str, Any] = {key: info[key] for key in (*described, *chosen)}
        values |= provenance(info["model"], info["settings"], info["training"] or {}, synthetic=synthetic)
        return cls(
            **values,
            features=info["protocol"]["features"],
            judged=dict(judged),
            epochs=int(history[-1]["epoch"]),
            seconds=seconds,
            peak_memory=peak_memory(),
            remarks=remarks,
        )

    def rows(self) -> Iterator[Row]:
        """Yield a row for every kind of negatives."""
        measured = ("epochs", "seconds", "peak_memory", "train_ear", "colour_ear")
        origin = ("split_digest", "code", "settings_digest", "version", "host", "made")
        shared: Row = {"data": self.graph, "features": self.features, "node_features": self.features}
        shared |= {name: getattr(self, name) for name in ("model", "seed", *measured, *origin)}
        for kind, judged in self.judged.items():
            yield shared | {"negatives": kind} | judged.columns()


def write_result(directory: Path, result: Result) -> Result:
    """Write `results.json`, and return what it holds: what the same run reached before against other negatives, too."""
    file = directory / RESULTS
    try:
        earlier = read_result(directory) if file.is_file() else None
    except GraphFormatError:
        earlier = None
    if earlier is not None and (earlier.split_digest, earlier.code) == (result.split_digest, result.code):
        measured = ("seconds", "peak_memory", "backtest")
        known = {name: getattr(earlier, name) for name in measured if getattr(result, name) is None}
        result = result.model_copy(update={"judged": earlier.judged | result.judged, **known})
    with atomic_path(file) as temporary:
        temporary.write_text(result.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return result


def read_result(directory: str | Path) -> Result:
    """Read `results.json`.

    Raises
    ------
    GraphFormatError
        If it is missing or damaged.
    """
    file = Path(directory) / RESULTS
    if not file.is_file():
        raise GraphFormatError(f"{directory}: has no {RESULTS}; run edgeorbit evaluate {directory} first")
    try:
        return Result.model_validate_json(Source(file).document())
    except GraphFormatError:
        raise
    except (OSError, ValidationError, ValueError) as error:
        place = ""
        if isinstance(error, ValidationError):
            place = f" ({'.'.join(map(str, error.errors()[0]['loc']))}: {error.errors()[0]['msg']})"
        raise GraphFormatError(f"{file}: is damaged{place[:200]}; run edgeorbit evaluate {directory} again") from None


def provenance(
    model: str, settings: Mapping[str, Any], training: Mapping[str, Any], *, synthetic: bool = False
) -> dict[str, str]:
    """Return where a result comes from: which code, settings, version and machine made it, and when."""
    return {
        "code": code_digest(model, synthetic=synthetic),
        "settings_digest": settings_digest(settings, training),
        "version": __version__,
        "made": _now(),
        "host": host_digest(),
    }


def describe_split(split: LinkSplit) -> dict[str, Any]:
    """Return what a result says of the data."""
    return {
        "graph": split.graph.name,
        "num_nodes": split.graph.num_nodes,
        "num_edges": {"train": split.graph.num_edges, "valid": len(split.valid), "test": len(split.test)},
        "protocol": dict(split.protocol),
        "split_digest": split.digest,
        "train_ear": ear(split.graph),
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def settings_digest(settings: Mapping[str, Any], training: Mapping[str, Any]) -> str:
    """Return a digest of the settings of a model and of its training, in any order.

    >>> settings_digest({"a": 1, "b": 2}, {}) == settings_digest({"b": 2, "a": 1}, {})
    True
    """
    text = json.dumps([settings, training], sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


@cache
def host_digest() -> str:
    """Return a short digest of the machine, which does not name it."""
    try:
        machine = Path("/etc/machine-id").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        machine = ""
    return hashlib.sha256(f"{platform.node()}\0{machine}".encode()).hexdigest()[:8]


def _flat(nested: Mapping[str, Any], before: str = "") -> Row:
    """Return nested metrics side by side: `test_auc`, and `test_original_auc` for the original edges alone."""
    flat: Row = {}
    for name, value in nested.items():
        flat |= _flat(value, f"{before}{name}_") if isinstance(value, Mapping) else {before + name: value}
    return flat
