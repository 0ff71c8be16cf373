"""Text and values that others wrote: fit for a terminal, for JSON and for spreadsheets, and of the expected kind.

A terminal gets no control characters and nothing that fills the screen, JSON no NaN, and a spreadsheet no formulas.
"""

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import pyarrow as pa

# Control characters, line separators, direction marks, and lone surrogates.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNPRINTABLE = re.compile(f"[{_CONTROLS}]")
_UNPRINTABLE_IN_LINE = re.compile(f"[\t\n{_CONTROLS}]")
_LONG_WORD = re.compile(r"\S{201,}")
LONGEST_WORD, LONGEST_SENTENCE = 120, 1500

FORMULA = "=+-@\t\r\n＝＋－＠"  # what a spreadsheet takes for the start of a formula, wide characters included
QUOTE = "'"  # makes a spreadsheet show what follows as text

KIND_WORDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text in quotes"}


def printable(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a terminal shows them instead of obeying them.

    Tabs and line feeds stay.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    return _UNPRINTABLE.sub(_escaped, text)


def shown(value: object, length: int = 60) -> str:
    """Return a value as a one-line message shows it: no line breaks or control characters, cut in the middle.

    >>> shown("a\\nb")
    'a\\\\nb'
    >>> shown("abcdefghijklmnopqrstuvwxyz", 12)
    'abcdef...uvwxyz'
    """
    return _cut(_UNPRINTABLE_IN_LINE.sub(_escaped, str(value)), length)


def sentence(text: str) -> str:
    """Return a message as one printable line of bounded length; long words in it, such as names, are shortened."""
    line = _LONG_WORD.sub(lambda found: shown(found[0], LONGEST_WORD), " ".join(text.split()))
    return _cut(printable(line), LONGEST_SENTENCE)


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


def as_text(cell: Any) -> Any:
    """Return a cell as a spreadsheet shows it; numbers stay as they are.

    >>> as_text("=1+2"), as_text("@name"), as_text("b@c"), as_text(-0.5)
    ("'=1+2", "'@name", 'b@c', -0.5)
    """
    return f"{QUOTE}{cell}" if isinstance(cell, str) and cell.startswith(tuple(FORMULA)) else cell


def table_as_text(table: "pa.Table") -> "pa.Table":
    """Return a table with its columns of text as a spreadsheet shows them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            escaped = pc.replace_substring_regex(table.column(place), f"^([{FORMULA}])".replace("-", r"\-"), r"'\1")
            table = table.set_column(place, field, escaped)
    return table


def is_kind(value: Any, kind: type) -> bool:
    """Return whether a value is of a kind, without converting it: an int is a float here, and a bool is neither.

    >>> is_kind(1, float), is_kind(1.0, int), is_kind(True, int), is_kind("20", int)
    (True, False, False, False)
    """
    return isinstance(value, bool) == (kind is bool) and isinstance(value, (int, float) if kind is float else kind)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def _cut(text: str, length: int) -> str:
    """Leave out the middle of a text that is too long; the end of a path or a message often matters most."""
    if len(text) <= length + 3:
        return text
    return f"{text[: length // 2]}...{text[-(length // 2) :]}"


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no finite number")
