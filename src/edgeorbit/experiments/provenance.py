"""Where a row comes from: which code, settings, version and machine made it, and when."""

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from edgeorbit import __version__

# What decides a result, below the package: the way from a file to the metrics, and not what shows them.
DECISIVE = (
    "graph",
    "orbits",
    "measures",
    "data",
    "synthetic",
    "pairwise",
    "models",
    "training",
    "evaluation",
    "prediction",
    "randomness.py",
    "experiments/cell.py",
    "experiments/sources.py",
)
DIGITS = 16


def code_digest(package: Path | None = None) -> str:
    """Return a digest of the source files that decide a result.

    Names and texts count, line endings and the place of the installation do not: the same sources have the same
    digest on every machine.

    >>> len(code_digest())
    16
    """
    return _code_digest(Path(__file__).parents[1] if package is None else package)


@cache
def _code_digest(package: Path) -> str:
    digest = hashlib.sha256()
    for part in DECISIVE:
        place = package / part
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            text = file.read_text(encoding="utf-8")  # which makes all line endings alike
            digest.update(f"{file.relative_to(package).as_posix()}\0{text}\0".encode())
    return digest.hexdigest()[:DIGITS]


def settings_digest(settings: Mapping[str, Any], training: Mapping[str, Any]) -> str:
    """Return a digest of the settings of a model and of its training, in any order.

    >>> settings_digest({"a": 1, "b": 2}, {}) == settings_digest({"b": 2, "a": 1}, {})
    True
    """
    said = json.dumps([settings, training], sort_keys=True, default=dict)
    return hashlib.sha256(said.encode()).hexdigest()[:DIGITS]


@cache
def host_digest() -> str:
    """Return a short digest that tells machines apart and does not name them."""
    named = "\0".join([platform.node(), _content("/etc/machine-id")])
    return hashlib.sha256(named.encode()).hexdigest()[:8]


@cache
def process_space() -> str:
    """Return a digest of the place where a process id means the same: a machine since its start, or a container."""
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    named = "\0".join([host_digest(), _content("/proc/sys/kernel/random/boot_id"), namespace])
    return hashlib.sha256(named.encode()).hexdigest()[:DIGITS]


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def provenance(settings: Mapping[str, Any], training: Mapping[str, Any]) -> dict[str, str]:
    """Return what every row says of its origin."""
    return {
        "code": code_digest(),
        "settings_digest": settings_digest(settings, training),
        "version": __version__,
        "made": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "host": host_digest(),
    }
