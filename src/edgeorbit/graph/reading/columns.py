"""Which two columns hold node ids, and whether the first line is a header: by names, by content, or not at all.

What is not clear is refused with the choices; nothing is guessed.
"""

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.reading.column_names import is_known, is_other, named_pairs
from edgeorbit.graph.reading.options import Column, Columns

Rows = list[list[str]]
NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)(e[+-]?\d++)?|[+-]?(nan|inf|infinity)|", re.IGNORECASE | re.ASCII)
WHOLE = re.compile(r"[+-]?[0-9]++")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9.]*+,[0-9]++")
TIME = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[ T][0-9:.+Z -]*+)?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}"
    r"(?: [0-9:.]++(?: [AP]M)?)?|[0-9]{1,2}:[0-9]{2}(?::[0-9.]++)?"
)
MOSTLY = 0.8  # share of the cells of a column that are of its kind
FEW_ROWS = 5  # with fewer, the look of names proves nothing
SHARED = 0.1  # of the values of one column, those that another has too, if both hold nodes of one kind
LISTED = 8  # columns, at most, in a message
# Nodes may be called like other columns, but hardly like these.
PLAIN_NAMES = frozenset(["source", "target", "src", "dst", "from", "to"])
MARKS = "@._-:/ "


class Chosen(NamedTuple):
    """The two columns, why these, and whether the first line is a header."""

    columns: tuple[int, int]
    why: str
    has_header: bool


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number of any kind or missing, and so no label.

    >>> [is_number(cell) for cell in ("1", "-1", "2.5", "1e9", "nan", "", "x1")]
    [True, True, True, True, True, True, False]
    """
    return NUMBER.fullmatch(cell) is not None


def kind_of(cells: Sequence[str]) -> str:
    """Return what a column holds: `whole` numbers, other `number`s, `time`s, `text`, or nothing (`empty`).

    >>> kind_of(["1", "2"]), kind_of(["1.5", "2"]), kind_of(["2.000,50"]), kind_of(["31.12.2024"]), kind_of(["a"])
    ('whole', 'number', 'number', 'time', 'text')
    """
    found = [cell for cell in cells if cell]
    if not found:
        return "empty"
    least = MOSTLY * len(found)
    whole = sum(1 for cell in found if WHOLE.fullmatch(cell))
    if whole >= least and whole == sum(map(is_number, found)):
        return "whole"
    if sum(1 for cell in found if TIME.fullmatch(cell)) >= least:
        return "time"
    if sum(1 for cell in found if is_number(cell) or DECIMAL_COMMA.fullmatch(cell)) >= least:
        return "number"
    return "text"


def choose_from_lines(where: str, rows: Rows, columns: Columns | None, header: bool | None) -> Chosen:
    """Choose the id columns of an edge list from the cells of its first lines.

    Raises
    ------
    GraphFormatError
        If it is not clear which columns hold node ids.
    InvalidParameterError
        If a chosen column is not there.
    """
    first, rest = rows[0], rows[1:]
    by_name = columns is not None and any(isinstance(column, str) for column in columns)
    if by_name and header is False:
        raise InvalidParameterError(f"{where}: columns have no names without a header; give numbers from 0")
    has_header = by_name or (looks_like_header(first, rest, columns) if header is None else header)
    if columns is not None:
        if by_name:
            a, b = (place_of(where, first, column) for column in columns)
            if a == b:
                raise InvalidParameterError(f"{where}: columns {columns} are one and the same; give two")
            return Chosen((a, b), "as chosen", True)
        return Chosen((int(columns[0]), int(columns[1])), "as chosen", has_header)
    width = len(first) if has_header else _usual_width(rows)
    body = [row for row in (rest if has_header else rows) if len(row) == width]
    cells = [[row[place] for row in body] for place in range(width)]
    names = first if has_header else None
    return Chosen(*choose(where, names, [kind_of(column) for column in cells], cells), has_header)


def choose(
    where: str, names: Sequence[str] | None, kinds: Sequence[str], cells: Sequence[Sequence[str]] | None = None
) -> tuple[tuple[int, int], str]:
    """Return the two id columns and why these.

    Parameters
    ----------
    where
        What messages call the table.
    names
        The names of all columns, None if there is no header.
    kinds
        What each column holds, see `kind_of`.
    cells
        Some cells of each column.

    >>> choose("a.csv", ["day", "payer", "payee"], ["time", "text", "text"])
    ((1, 2), 'by name')
    """
    places = range(len(kinds))
    if len(kinds) < 2:
        only = shown(", ".join(names or []), 200) or "0"
        raise GraphFormatError(f"{where}: the only column is {only}; give a file with two columns of node ids")
    possible = [place for place in places if kinds[place] in ("whole", "text")]
    if names is not None:
        pairs = [pair for pair in named_pairs(names) if set(pair.columns) <= set(possible)]
        best = [pair.columns for pair in pairs if pair.rank == pairs[0].rank]
        if len(best) == 1:
            return best[0], "by name"
        if best:
            raise _unclear(where, names, [*places], best)
    if len(kinds) == 2:
        odd = [place for place in places if kinds[place] == "time"]
        odd += [place for place in places if kinds[place] == "number" and kinds[1 - place] == "text"]
        if odd and cells is not None and len(cells[0]) >= FEW_ROWS:
            called = _called(names, odd[0])
            held = "times" if kinds[odd[0]] == "time" else "decimal numbers"
            raise GraphFormatError(
                f"{where}: column {shown(called)} holds {held} and no node ids; give a file with two columns of node "
                f"ids, or --columns {_option(names, (0, 1))} if these are"
            )
        return (0, 1), "the only two columns"
    if names is None and {0, 1} <= set(possible) | {p for p in places if kinds[p] == "number"} - _odd(kinds):
        return (0, 1), "the first two"
    if names is not None:
        possible = [place for place in possible if not is_other(names[place])]
    if cells is not None:
        for is_no_id in (_is_constant, *(() if names is None else (_is_row_number,))):
            left = [place for place in possible if not is_no_id(cells[place])]
            possible = left if len(left) > 1 else possible
    if len(possible) == 2:
        return (possible[0], possible[1]), "the only two that can hold ids"
    if cells is not None and (sharing := _sharing(possible, cells)) is not None:
        return sharing, "they have values in common"
    raise _unclear(where, names, possible if len(possible) > 1 else [*places], [])


def looks_like_header(first: list[str], rest: Rows, columns: Columns | None) -> bool:  # noqa: PLR0911 - rules in turn
    """Tell whether the first line differs in kind from those below, or has the names of columns.

    >>> looks_like_header(["payer", "payee"], [["ann", "bob"]], None)
    True
    >>> looks_like_header(["ann", "bob"], [["cy", "dan"]], None)
    False
    """
    below = [[row[place] for row in rest if len(row) > place] for place in range(len(first))]
    for pair in named_pairs(first):
        names = [first[place].lower() for place in pair.columns]
        again = any(first[place] in below[other] for place in pair.columns for other in pair.columns)
        if (PLAIN_NAMES.issuperset(names) or not again) and not any(map(is_number, names)):
            return True
    a, b = (int(column) for column in columns) if columns else (0, 1)
    if max(a, b) >= len(first) or is_number(first[a]) or is_number(first[b]):
        # An empty cell heads the row numbers that pandas writes.
        return len(first) > 2 and not first[0] and not any(map(is_number, first[1:])) and bool(rest)
    ids = [(row[a], row[b]) for row in rest if len(row) > max(a, b)]
    numbers = sum(is_number(u) and is_number(v) for u, v in ids)
    if ids and numbers * 2 >= len(ids):
        return True
    if any(map(_names_numbers, first, below)):
        return True
    if any(cell and (is_number(cell) or TIME.fullmatch(cell)) for cell in first):
        return False
    if any(cell and cell in column for cell, column in zip(first, below, strict=True)):
        return False
    if ids and all(map(is_known, first)):
        return True
    return sum(map(_differs, first, below)) >= min(2, len(first))


def place_of(where: str, names: Sequence[str], column: Column) -> int:
    """Return the place of a column that was chosen by name, in any case, or by number."""
    listing = shown(", ".join(names), 200)
    if isinstance(column, int):
        if 0 <= column < len(names):
            return column
        raise InvalidParameterError(
            f"{where}: there is no column {column} among {len(names)}; columns are numbered from 0"
        )
    for spelled in ([*names], [name.strip().lower() for name in names]):
        wanted = column if spelled == [*names] else column.strip().lower()
        if spelled.count(wanted) == 1:
            return spelled.index(wanted)
        if spelled.count(wanted) > 1:
            raise InvalidParameterError(
                f"{where}: there are several columns {shown(column)!r}; the columns are {listing}, "
                "so choose by number from 0"
            )
    raise InvalidParameterError(f"{where}: there is no column {shown(column)!r}; the columns are {listing}")


def _called(names: Sequence[str] | None, place: int) -> str:
    return str(place) if names is None else names[place]


def _option(names: Sequence[str] | None, pair: Sequence[int]) -> str:
    """Return two columns as they are given to --columns."""
    if names is None or any("," in names[p] or names.count(names[p]) > 1 or not names[p] for p in pair):
        return f"{pair[0]},{pair[1]}"
    return shown(shlex.quote(f"{names[pair[0]]},{names[pair[1]]}"), 80)


def _unclear(
    where: str, names: Sequence[str] | None, possible: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> GraphFormatError:
    listing = shown(", ".join(_called(names, place) for place in possible[:LISTED]), 200)
    more = f" and {len(possible) - LISTED} more" if len(possible) > LISTED else ""
    ways = " or ".join(f"--columns {_option(names, pair)}" for pair in (pairs or [(possible[0], possible[1])])[:3])
    return GraphFormatError(
        f"{where}: it is not clear which columns hold the node ids; choose two of {listing}{more}, for instance {ways}"
    )


def _odd(kinds: Sequence[str]) -> set[int]:
    """Return the columns of decimal numbers where others hold text: those are the ids."""
    return {place for place, kind in enumerate(kinds) if kind == "number"} if "text" in kinds else set()


def _usual_width(rows: Rows) -> int:
    widths = [len(row) for row in rows]
    return max(widths, key=widths.count)


def _names_numbers(name: str, below: list[str]) -> bool:
    """Tell whether a cell is no number and no time, and all below it are: weights, say, or times."""
    found = [cell for cell in below if cell]
    if not found or len(found) < len(below) / 2 or is_number(name) or TIME.fullmatch(name):
        return False
    return len(found) == len(below) and kind_of(found) in ("whole", "number", "time") and _all_of_kind(found)


def _all_of_kind(cells: list[str]) -> bool:
    return all(
        any(map(str.isdigit, cell)) and bool(is_number(cell) or DECIMAL_COMMA.fullmatch(cell) or TIME.fullmatch(cell))
        for cell in cells
    )


def _differs(name: str, below: list[str]) -> bool:
    """Tell whether a cell has something that none of those below it has, or lacks what all have: digits, say."""
    found = [cell for cell in below if cell]
    if not name or len(found) < FEW_ROWS or len(set(found)) < 3:
        return False
    looks = [_look(cell) for cell in found]
    return any(own not in others for own, others in zip(_look(name), zip(*map(list, looks), strict=True), strict=True))


def _look(cell: str) -> tuple[bool, ...]:
    digits = any(character.isdigit() for character in cell)
    return (digits, cell != cell.lower(), cell != cell.upper(), *(mark in cell for mark in MARKS))


def _is_constant(cells: Sequence[str]) -> bool:
    return len(cells) >= FEW_ROWS and len(set(cells)) == 1


def _is_row_number(cells: Sequence[str]) -> bool:
    if len(cells) < FEW_ROWS or not all(WHOLE.fullmatch(cell) for cell in cells):
        return False
    start = int(cells[0][:18])
    return all(cell == str(start + place) for place, cell in enumerate(cells))


def _sharing(possible: Sequence[int], cells: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """Return the only two columns of names that have many values in common, if there are such two."""
    values = {place: {cell for cell in cells[place] if cell and not is_number(cell)} for place in possible}
    found = []
    for i, first in enumerate(possible):
        for second in possible[i + 1 :]:
            common = len(values[first] & values[second])
            if common >= 3 and common >= SHARED * min(len(values[first]), len(values[second])):
                found.append((first, second))
    return found[0] if len(found) == 1 else None
