"""Settings files: what searches found, as TOML that `edgeorbit bench` takes and people can read and edit.

Settings that learn quickly win a search of few epochs, and may lose in the end. `find_candidates` returns those of a
file to be trained for longer beside the defaults (`edgeorbit tune --confirm`); the better of the two is kept.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from edgeorbit._files import atomic_path, locked
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.toml_files import parse_toml, read_text
from edgeorbit.experiments.tuning.space import Point
from edgeorbit.experiments.tuning.task import Task
from edgeorbit.models import resolve_model

HEADER = "# Settings found by edgeorbit tune, on validation edges; an experiment file takes them by: tuned = {name}\n"
IDENTITY = ("data", "features", "model")

Entry = dict[str, Any]


def read_entries(path: str | Path) -> list[Entry]:
    """Return the entries of a settings file; none if there is no such file.

    Raises
    ------
    InvalidParameterError
        If the file is something else.
    """
    file = Path(path)
    if not file.exists():
        return []
    said = parse_toml(read_text(file, "name another file"), file)
    entries = said.get("tuned", [])
    ours = isinstance(entries, list) and all(isinstance(one, dict) and set(IDENTITY) <= set(one) for one in entries)
    if set(said) - {"tuned"} or not ours:
        raise InvalidParameterError(f"{file}: is no settings file of edgeorbit tune; name another file")
    return list(entries)


def write_entry(path: str | Path, entry: Entry) -> None:
    """Put an entry into a settings file; an older one of the same data, features and model is replaced.

    One that was `confirmed` replaces what it says alone. All others stay, also those that another process writes at the
    same time.
    """
    file = Path(path)
    lock = file.with_name(f"{file.name}.lock")
    with locked(lock):
        try:
            others = {identity_of(one): one for one in read_entries(file)}
            earlier = others.pop(identity_of(entry), {})
            text = to_toml([*others.values(), {**earlier, **entry} if "confirmed" in entry else entry], file.name)
            with atomic_path(file) as temporary:
                temporary.write_text(text, encoding="utf-8")
        finally:
            lock.unlink(missing_ok=True)


def to_toml(entries: list[Entry], name: str = "tuned.toml") -> str:
    """Return entries as TOML, in the order of their data, features and models.

    >>> print(to_toml([{"data": "karate", "features": "degree", "model": "gcn", "settings": {"dropout": 0.1}}]))
    # Settings found by edgeorbit tune, ...
    [[tuned]]
    data = "karate"
    features = "degree"
    model = "gcn"
    settings = { dropout = 0.1 }
    """
    ordered = sorted(entries, key=lambda one: [str(one[key]) for key in IDENTITY])
    tables = ["".join(f"{_key(key)} = {_value(value)}\n" for key, value in one.items()) for one in ordered]
    return HEADER.format(name=_value(name)) + "".join(f"\n[[tuned]]\n{table}" for table in tables)


def identity_of(entry: Entry) -> tuple[str, ...]:
    """Return what no two entries have in common."""
    return str(entry["data"]).lower(), entry["features"], entry["model"]  # bench finds graphs so


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        # JSON's strings are TOML's, but for one character that JSON does not escape.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)  # dates, that somebody added; numbers


class ToConfirm(NamedTuple):
    """Tasks, each with what was found for it as its candidate, and a line for each reason to leave others out."""

    tasks: list[Task]
    remarks: list[str]


def find_candidates(
    tasks: Sequence[Task], entries: Iterable[Entry], place: str, metric: str | None = None
) -> ToConfirm:
    """Return what there is to confirm of a settings file.

    Parameters
    ----------
    tasks
        What was tuned, with the epochs of the confirmation.
    entries
        Those of the settings file.
    place
        What remarks call that file.
    metric
        What is compared; by default what was searched by.

    Raises
    ------
    InvalidParameterError
        If the file has none of them.
    """
    known = {identity_of(entry): entry for entry in entries}
    found: list[Task] = []
    missing: list[str] = []
    untrained: list[str] = []
    defaults: list[str] = []
    for task in tasks:
        entry = known.get(identity_of({"data": task.data, "features": task.features, "model": task.model}))
        point = None if entry is None else _found_point(entry)
        if point is None:
            missing.append(str(task))
        elif not resolve_model(task.model).trainable:
            untrained.append(str(task))
        elif point == Point({}, {}):
            defaults.append(str(task))
        else:
            searched_by = (entry or {}).get("metric", task.metric)
            found.append(replace(task, candidate=point, metric=metric or searched_by))
    if len(missing) == len(tasks):
        raise InvalidParameterError(f"{place}: has no settings of {'; '.join(missing)}; search them first")
    reasons = (
        (f"Not in {place}, search it first", missing),
        ("Not trained, so that more epochs change nothing", untrained),
        ("The defaults were found best, there is nothing to compare them with", defaults),
    )
    return ToConfirm(found, [f"{reason}: {'; '.join(names)}" for reason, names in reasons if names])


def _found_point(entry: Entry) -> Point:
    """Return what the search found, whether or not it was kept since."""
    earlier: dict[str, Any] = entry.get("confirmed", {})  # a person may have written less than we do
    found = {**entry, **{name: earlier[f"found_{name}"] for name in Point._fields if f"found_{name}" in earlier}}
    return Point(dict(found.get("settings", {})), dict(found.get("training", {})))
