"""Edge lists: one edge per line, parsed in blocks by Arrow.

Ids are read as whole numbers until one is not; then the file is read again as text. A block that Arrow refuses is
searched line by line, in order to name the line and the reason.
"""

import re
from typing import Any, Literal, NamedTuple

import numpy as np

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.delimited import BLANK_LINE, Dialect, LineBlock, is_number, line_blocks
from edgeorbit.graph.reading.node_ids import (
    BYTES_PER_PAIR,
    MAX_ID,
    IdArray,
    LabelBlock,
    all_labels,
    compact,
    memory_of_labels,
    number_integers,
    number_labels,
)
from edgeorbit.graph.reading.read import Columns
from edgeorbit.graph.reading.source import Source, arrow_copy

LABEL_NUMBER = r"^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?i:nan|inf|infinity))$"
MISSING_LABELS = ["", "nan", "NaN"]
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


class _NotWholeNumbersError(Exception):
    """Some id is no whole number."""

    def __init__(self, first: BadLine) -> None:
        self.first = first


def read_edgelist(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
    """Read an edge list."""
    try:
        return number_integers(_read_integers(source, columns, threads)).to_graph(name, threads)
    except _NotWholeNumbersError as error:
        first = error.first
    blocks = _read_labels(source, columns, threads)
    if first.kind == "number" and _are_numbers(blocks):
        raise first.error(source)
    return number_labels(blocks, source.shown).to_graph(name, threads)


def _read_integers(source: Source, columns: Columns | None, threads: int | None) -> list[IdArray]:
    import pyarrow as pa

    blocks: list[IdArray] = []
    for dialect, block in line_blocks(source, columns, threads):
        found = _parse(block.text, dialect, pa.int64(), threads)
        pairs = np.zeros((2, 0), np.int64) if found is None else np.stack([column.to_numpy() for column in found])
        if found is None or (pairs.size and pairs.min() < 0) or _has_hexadecimal(block, dialect, threads):
            bad = find_bad_line(block.text, block.first_line, dialect, as_text=False)
            if bad is None:
                raise _unreadable(source, block)
            raise bad.error(source) if bad.kind == "broken" else _NotWholeNumbersError(bad)
        _check_row_count(source, block, pairs.shape[1])
        blocks.append(compact(pairs))
        require_memory(source.shown, BYTES_PER_PAIR * sum(b.shape[1] for b in blocks))
    return blocks


def _read_labels(source: Source, columns: Columns | None, threads: int | None) -> list[LabelBlock]:
    import pyarrow as pa
    import pyarrow.compute as pc

    blocks: list[LabelBlock] = []
    for dialect, block in line_blocks(source, columns, threads):
        found = _parse(block.text, dialect, pa.large_string(), threads)
        if found is not None:
            _check_row_count(source, block, len(found[0]))
            found = [pc.utf8_trim_whitespace(column) for column in found]
        if found is None or any(map(_has_unusable_label, found)):
            bad = find_bad_line(block.text, block.first_line, dialect, as_text=True)
            raise _unreadable(source, block) if bad is None else bad.error(source)
        blocks.append(LabelBlock.from_columns(*found))
        require_memory(source.shown, memory_of_labels(blocks))
    return blocks


def _parse(text: bytes, dialect: Dialect, kind: Any, threads: int | None) -> list[Any] | None:
    """Return the two id columns as Arrow arrays of a type, or None if a line or a cell does not fit."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(dialect.width)]
    chosen = [names[column] for column in dialect.columns]
    parse = csv.ParseOptions(delimiter=dialect.separator)
    convert = csv.ConvertOptions(
        include_columns=chosen,
        column_types=dict.fromkeys(chosen, kind),
        null_values=[] if kind == pa.int64() else MISSING_LABELS,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    # The second try forgives lines of blanks, and lines too long for Arrow's own blocks.
    for attempt, block_size in ((text, 1 << 20), (None, len(text) + 1)):
        data = BLANK_LINE.sub(b"", text) if attempt is None else attempt
        read = csv.ReadOptions(column_names=names, use_threads=resolve_threads(threads) > 1, block_size=block_size)
        try:
            table = csv.read_csv(pa.BufferReader(arrow_copy(data)), read, parse, convert)
        except pa.ArrowInvalid:
            continue
        return [table.column(name) for name in chosen]
    return None


def _has_hexadecimal(block: LineBlock, dialect: Dialect, threads: int | None) -> bool:
    """Tell whether an id is written as 0x10: Arrow reads 16, but here it is a label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if b"x" not in block.text and b"X" not in block.text:
        return False
    columns = _parse(block.text, dialect, pa.large_string(), threads)
    return columns is None or any(pc.any(pc.match_substring(c, "x", ignore_case=True)).as_py() for c in columns)


def _has_unusable_label(column: Any) -> bool:
    import pyarrow.compute as pc

    return bool(column.null_count) or any(
        pc.any(test).as_py()
        for test in (pc.equal(column, ""), pc.match_substring(column, "\0"), pc.match_substring(column, "\n"))
    )


def _are_numbers(blocks: list[LabelBlock]) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(all_labels(blocks)[0], LABEL_NUMBER)).as_py())


def _check_row_count(source: Source, block: LineBlock, rows: int) -> None:
    """Raise an error for cells that span several lines: a block may end inside one, and line numbers would be wrong."""
    if b'"' not in block.text or rows == block.text.count(b"\n") + (not block.text.endswith(b"\n")):
        return
    lines = block.text.splitlines()
    if rows != sum(1 for line in lines if line.strip()):
        odd = next((i for i, line in enumerate(lines) if line.count(b'"') % 2), 0)
        raise source.error("a quoted cell is not closed; keep every edge on one line", block.first_line + odd)


def _unreadable(source: Source, block: LineBlock) -> Exception:
    last = block.first_line + block.text.count(b"\n")
    return source.error(
        f"lines {block.first_line} to {last} are no edge list; give one edge per line, two ids in the same two columns"
    )


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
