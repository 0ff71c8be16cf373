"""The first line of a block of an edge list that is not two whole numbers (or two labels), and what is wrong with it.

This is the careful way through the lines: only taken when Arrow refused the block, or found what it should not.
"""

import re
from typing import Literal, NamedTuple

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.reading.dialect import Dialect, is_number
from edgeorbit.graph.reading.node_ids import MAX_ID
from edgeorbit.graph.reading.source import Source, shown

WHOLE_NUMBER = re.compile(r"[0-9]+")
MISSING = ("", "nan", "NaN")  # what numpy and pandas write for a missing value


class BadLine(NamedTuple):
    """A line and its problem.

    A `broken` line is wrong in any edge list, a `number` that is no node number only if all ids are numbers, and a
    `label` is not wrong at all: it makes the ids of the file text.
    """

    line: int
    kind: Literal["broken", "number", "label"]
    message: str = ""

    def error(self, source: Source) -> GraphFormatError:
        """Return the error to raise."""
        return source.error(self.message, self.line)


def find_bad_line(text: bytes, first_line: int, dialect: Dialect, as_text: bool) -> BadLine | None:
    """Return the first bad line, or None; with `as_text`, ids may be anything but missing."""
    for line, raw in enumerate(re.split(rb"\r\n|\n|\r", text), first_line):
        decoded = raw.decode("utf-8", "replace")
        if not decoded.strip():
            continue
        cells = dialect.split(decoded)
        if len(cells) != dialect.width:
            return BadLine(line, "broken", _why_ragged(decoded, cells, dialect))
        for column in dialect.columns:
            if cells[column] in MISSING:
                return BadLine(line, "broken", f"node id {column + 1} is missing; fill it in or delete the line")
            if "\0" in cells[column]:
                return BadLine(line, "broken", "the node id holds a NUL byte; check that the file is text")
            if not as_text and (bad := _judge_number(cells[column], line)):
                return bad
        if as_text and "\ufffd" in "".join(dialect.ids(decoded)) and not _is_utf8(raw):
            return BadLine(line, "broken", "the node id is not UTF-8 text; convert the file with iconv -t UTF-8")
    return None


def _why_ragged(line: str, cells: list[str], dialect: Dialect) -> str:
    if line.count('"') % 2:
        return "a quoted cell is not closed; keep every edge on one line"
    if len(cells) < 2:
        return f"expected two node ids, found {shown(line.strip(), 40)!r}; give every line the same columns"
    return f"expected {dialect.width} columns, found {len(cells)}; give every line the same columns"


def _judge_number(cell: str, line: int) -> BadLine | None:
    """Return what keeps a cell from being a node number."""
    if not is_number(cell):
        return BadLine(line, "label")
    digits = cell.removeprefix("-")
    if not WHOLE_NUMBER.fullmatch(digits):
        problem = "is not a whole number"
    elif digits != cell:
        problem = "is negative"
    elif len(digits.lstrip("0")) > len(str(MAX_ID)) or int(digits.lstrip("0") or "0") > MAX_ID:
        problem = "does not fit into 64 bits"
    else:
        return None
    return BadLine(line, "number", f"node id {shown(cell, 40)} {problem}; ids are whole numbers from 0, or text")


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
