"""JSON as the standard has it, which damaged or foreign files may not be."""

import json
import math
from typing import Any, NoReturn


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text says.

    Raises
    ------
    ValueError
        If it is no JSON, is nested too deeply, or holds a number that is NaN or infinite.

    Examples
    --------
    >>> parse_json('{"a": 1.5}')
    {'a': 1.5}
    >>> parse_json("[1e999]")
    Traceback (most recent call last):
    ...
    ValueError: 1e999 is no finite number
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no finite number")
