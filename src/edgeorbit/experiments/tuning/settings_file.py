"""Settings files: what searches found, as TOML that `edgeorbit bench` takes and people can read and change."""

import json
from pathlib import Path
from typing import Any

from edgeorbit._files import atomic_path, locked
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.toml_text import parse_toml, read_text

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
