"""`Result`: what was run and what it reached, as `results.json` in a run's directory or as rows of a table."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from edgeorbit import __version__
from edgeorbit.data.splits.split import Negatives
from edgeorbit.errors import GraphFormatError
from edgeorbit.files import atomic_path
from edgeorbit.graph.reading.source import Source
from edgeorbit.memory import peak_memory
from edgeorbit.prediction.code import code_digest

RESULTS = "results.json"
NEGATIVES_PROTOCOL = "negatives_protocol"  # column: how negatives were made; rows of version 0.1 have none
DIGITS = 16

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
    """What was run, and what it reached.

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
    epochs: int = 0
    seconds: float | None = None
    peak_memory: int | None = None
    code: str
    settings_digest: str
    version: str
    host: str
    made: str
    remarks: list[str] = []

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
        known = {name: getattr(earlier, name) for name in ("seconds", "peak_memory") if getattr(result, name) is None}
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
        "made": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "host": host_digest(),
    }


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
