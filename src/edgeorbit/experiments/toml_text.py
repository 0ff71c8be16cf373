"""TOML from a file, or one sentence about what is wrong with it."""

import re
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.graph.reading.source import Source

DEEPEST = 100  # levels of tables and lists, and parts of a key; no file that a person writes comes near it
_ENDS_KEY = re.compile(r"[,=\[\]{}#]|^\s*$")


def read_text(path: str | Path, way_out: str) -> str:
    """Return the text of a TOML file, or raise `InvalidParameterError` with a way out."""
    try:
        return Source(path).document()
    except OSError as error:
        raise InvalidParameterError(f"{path}: {error.strerror}; {way_out}") from None
    except EdgeorbitError:
        raise
    except ValueError as error:
        raise InvalidParameterError(f"{path}: is no TOML: {error}") from None


def parse_toml(text: str, path: str | Path) -> dict[str, Any]:
    """Return what a TOML text says.

    Raises
    ------
    InvalidParameterError
        If it is no TOML, or is nested more deeply than `DEEPEST`.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > DEEPEST and _most_parts(line) > DEEPEST:  # `tomllib` takes minutes for 50,000
            raise InvalidParameterError(f"{path} line {number}: a key has more than {DEEPEST} parts; leave some out")
    try:
        said = tomllib.loads(text)
    except ValueError as error:
        raise InvalidParameterError(f"{path}: is no TOML: {error}") from None
    except RecursionError:
        said = None
    if said is None or _is_deeper(said, DEEPEST):
        raise InvalidParameterError(f"{path}: tables or lists are nested more than {DEEPEST} deep; leave some out")
    return said


def _most_parts(line: str) -> int:
    """Return the most parts that a key of a line can have, between dots."""
    runs = groupby(line.split("."), lambda part: _ENDS_KEY.search(part) is None)
    return max((sum(1 for _ in parts) for inside, parts in runs if inside), default=0)


def _is_deeper(said: Any, levels: int) -> bool:
    """Tell whether tables and lists are nested beyond so many levels."""
    layer = [said]
    for _ in range(levels):
        values = [value for one in layer for value in (one.values() if isinstance(one, dict) else one)]
        layer = [value for value in values if isinstance(value, dict | list)]
    return bool(layer)
