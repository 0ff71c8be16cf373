"""How a file is to be read: what users may decide, checked once."""

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from edgeorbit._text import shown
from edgeorbit.errors import InvalidParameterError

Column = str | int
Columns = tuple[Column, Column]


@dataclass(frozen=True)
class ReadOptions:
    """What the caller decided; by default everything is recognised.

    Attributes
    ----------
    columns : pair of str or int, or None
        The columns of node ids: names, or numbers from 0.
    header : bool or None
        Whether the first line of an edge list is a header.
    encoding : str or None
        The encoding of an edge list; None for UTF-8.
    skip_bad_rows : bool
        Skip and count rows of an edge list that are no edges, instead of refusing the file.
    weight, time : str, int or None
        The columns of weights and of times.
    """

    columns: Columns | None = None
    header: bool | None = None
    encoding: str | None = None
    skip_bad_rows: bool = False
    weight: Column | None = None
    time: Column | None = None

    @classmethod
    def of(cls, columns: Sequence[Column] | None = None, **others: Any) -> "ReadOptions":
        """Return the options after checking them.

        >>> ReadOptions.of(["a", "b"], encoding="Latin-1")
        ReadOptions(columns=('a', 'b'), header=None, encoding='iso8859-1', skip_bad_rows=False, weight=None, time=None)
        """
        if others.get("encoding") is not None:
            others["encoding"] = _encoding(others["encoding"])
        for what in ("weight", "time"):
            value = others.get(what)
            if value is not None and not (isinstance(value, str) or (type(value) is int and value >= 0)):
                raise InvalidParameterError(f"{what} must be a column's name, or its number from 0, not {shown(value)}")
        return cls(_check_columns(columns), **others)

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        default = ReadOptions()
        return [key for key in self.__dataclass_fields__ if getattr(self, key) != getattr(default, key)]


def _check_columns(columns: Sequence[Column] | None) -> Columns | None:
    if columns is None:
        return None
    found = tuple(columns) if isinstance(columns, Iterable) else (columns,)
    fits = len(found) == 2 and not isinstance(columns, str) and found[0] != found[1]
    if not fits or not all(isinstance(c, str) or (type(c) is int and c >= 0) for c in found):
        raise InvalidParameterError(
            f"columns must be two different names, or numbers from 0, not {shown(columns)}; "
            'for example columns=("source", "target")'
        )
    return cast(Columns, found)


def _encoding(name: str) -> str | None:
    try:
        if not isinstance(name, str):
            raise LookupError
        found = codecs.lookup(name)
        if not getattr(found, "_is_text_encoding", True):
            raise LookupError
    except (LookupError, ValueError):
        raise InvalidParameterError(
            f"encoding {shown(name)!r} is unknown; give one such as utf-8, latin-1, cp1252 or utf-16"
        ) from None
    return None if found.name in ("utf-8", "ascii") else found.name
