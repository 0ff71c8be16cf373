"""Whether a value that somebody wrote is of the kind that is wanted, and what kinds are called."""

from typing import Any

KIND_WORDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text in quotes"}


def is_kind(value: Any, kind: type) -> bool:
    """Tell whether a value is of a kind, without converting it; a whole number is a number, and true is none.

    >>> is_kind(1, float), is_kind(1.0, int), is_kind(True, int), is_kind("20", int)
    (True, False, False, False)
    """
    return isinstance(value, bool) == (kind is bool) and isinstance(value, (int, float) if kind is float else kind)
