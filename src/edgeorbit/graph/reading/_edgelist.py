"""Edge lists: one edge per line, parsed in blocks by Arrow.

Ids are read as whole numbers until one is not; then the file is read again as text. A block that Arrow refuses is
searched line by line, in order to name the line and the reason.
"""

import re
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.read_report import ReadReport
from edgeorbit.graph.reading.columns import is_number
from edgeorbit.graph.reading.delimited import BLANK_LINE, Dialect, LineBlock, line_blocks
from edgeorbit.graph.reading.node_ids import (
    BYTES_PER_PAIR,
    MAX_ID,
    IdArray,
    LabelBlock,
    all_labels,
    compact,
    join_labels,
    memory_of_labels,
    number_integers,
    number_labels,
)
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source, arrow_copy
from edgeorbit.graph.reading.values import BYTES_PER_VALUE, TimeColumn, WeightColumn

if TYPE_CHECKING:
    import pyarrow as pa

LABEL_NUMBER = r"^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?i:nan|inf|infinity))$"
MISSING_LABELS = ["", "nan", "NaN"]
WHOLE_NUMBER = re.compile(r"[0-9]+")
UNCLOSED = "a quoted cell is not closed; keep every edge on one line"
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
        return source.error(f"{self.message}, or skip such rows with --skip-bad-rows", self.line)


class _NotWholeNumbersError(Exception):
    """Some id is no whole number."""

    def __init__(self, first: BadLine) -> None:
        self.first = first


class _Rows:
    """What has been read of an edge list: ids, weights and times of its rows, and the bad rows that were skipped."""

    def __init__(self, source: Source, options: ReadOptions, threads: int | None, *, keep_lines: bool = False) -> None:
        self.source, self.options, self.threads, self.keep_lines = source, options, threads, keep_lines
        self.lines: list[npt.NDArray[np.int64]] = []
        self.integers: list[IdArray] = []
        self.labels: list[LabelBlock] = []
        self.weights: list[npt.NDArray[Any]] = []
        self.times: list[npt.NDArray[Any]] = []
        self.dialect: Dialect | None = None
        self.number = self.skipped = 0
        self.first_skipped = ""
        self._spans_lines = False  # a cell of the block that was parsed last
        self._parsers: dict[str, WeightColumn | TimeColumn] = {}

    def read(self, as_text: bool, skip_numbers: bool = False) -> None:
        """Read all rows, ids as text or as whole numbers.

        Raises
        ------
        _NotWholeNumbersError
            If an id is no whole number, and ids are not text. With `skip_numbers` such rows are bad if they hold a
            number of another kind.
        """
        skipped_kinds = {"broken", "number"} if skip_numbers else {"broken"}
        with closing(line_blocks(self.source, self.options, self.threads)) as blocks:
            self._read_blocks(blocks, as_text, skipped_kinds)
        if self.number == 0:
            raise self.source.error(f"all {self.skipped} rows are bad; the first: {self.first_skipped}")

    def _read_blocks(self, blocks: Any, as_text: bool, skipped_kinds: set[str]) -> None:
        for dialect, block in blocks:
            self.dialect = dialect
            self._parsers = self._parsers or {"weight": WeightColumn(dialect.separator), "time": TimeColumn()}
            text = block
            while (found := self._parsed(text, as_text)) is None:
                bad = find_bad_line(text, dialect, as_text, self._spans_lines)
                if bad is None:
                    raise _unreadable(self.source, block)
                if bad.kind not in skipped_kinds:
                    raise _NotWholeNumbersError(bad)
                if not self.options.skip_bad_rows:
                    raise bad.error(self.source)
                text = self._without_bad_lines(text, as_text, skipped_kinds)
            self._keep(text, found, as_text)

    def _parsed(self, block: LineBlock, as_text: bool) -> list[Any] | None:
        """Return the columns of a block, None if some id does not fit."""
        import pyarrow as pa
        import pyarrow.compute as pc

        assert self.dialect is not None
        kind = pa.large_string() if as_text else pa.int64()
        found = _parse(block.text, self.dialect, kind, self.threads)
        self._spans_lines = found is not None and not _has_all_rows(block, len(found[0]))
        if found is None or self._spans_lines:
            return None
        if as_text:
            found[:2] = [pc.utf8_trim_whitespace(column) for column in found[:2]]
            usable = not any(map(_has_unusable_label, found[:2]))
        else:
            usable = all(not column.null_count and (pc.min(column).as_py() or 0) >= 0 for column in found[:2])
            usable = usable and not _has_hexadecimal(block, self.dialect, self.threads)
        return found if usable else None

    def _keep(self, block: LineBlock, found: list[Any], as_text: bool) -> None:
        """Take up the columns of a block."""
        assert self.dialect is not None
        good = np.ones(len(found[0]), bool)
        more = {}
        names = [what for what in ("weight", "time") if getattr(self.dialect, what) is not None]
        for what, column in zip(names, found[2:], strict=True):
            more[what], bad, problem = self._parsers[what].parse(column)
            if bad.any():
                row = int(bad.argmax())
                line = int(lines_of_rows(block)[row])
                bad_line = BadLine(line, "broken", f"{what} {shown(column[row].as_py() or '', 40)!r} {problem}")
                if not self.options.skip_bad_rows:
                    raise bad_line.error(self.source)
                self._count(bad_line, int(np.count_nonzero(bad & good)))
                good &= ~bad
        keep = (lambda values: values) if good.all() else (lambda values: values[good])
        for what, values in (("weight", self.weights), ("time", self.times)):
            if what in more:
                values.append(keep(more[what]))
        if self.keep_lines:
            self.lines.append(lines_of_rows(block)[good])
        if as_text:
            columns = found[:2] if good.all() else [column.filter(pa_mask(good)) for column in found[:2]]
            self.labels.append(LabelBlock.from_columns(*columns))
            memory = memory_of_labels(self.labels)
        else:
            pairs = np.stack([keep(column.to_numpy()) for column in found[:2]])
            self.integers.append(compact(pairs))
            memory = BYTES_PER_PAIR * sum(b.shape[1] for b in self.integers)
        self.number += int(np.count_nonzero(good))
        require_memory(self.source.shown, memory + BYTES_PER_VALUE * self.number * len(names))

    def _without_bad_lines(self, block: LineBlock, as_text: bool, kinds: set[str]) -> LineBlock:
        """Return a block whose bad lines are empty, and count them."""
        assert self.dialect is not None
        lines = re.split(rb"\r\n|\n|\r", block.text)
        for place, raw in enumerate(lines):
            line = block.first_line + place
            bad = judge_line(raw, line, self.dialect, as_text)
            bad = bad or (_judge_quotes(raw, line) if self._spans_lines else None)
            if bad is not None and bad.kind in kinds:
                lines[place] = b""
                self._count(bad, 1)
        return block._replace(text=b"\n".join(lines))

    def _count(self, bad: BadLine, number: int) -> None:
        self.first_skipped = self.first_skipped or f"line {bad.line}: {bad.message.partition(';')[0]}"
        self.skipped += number

    def to_graph(self, name: str, as_text: bool) -> Graph:
        """Build the graph, with a report of what was read."""
        numbered = number_labels(self.labels, self.source.shown) if as_text else number_integers(self.integers)
        more = {"edge_weight": self.weights, "edge_time": self.times}
        values = {key: np.concatenate(blocks) for key, blocks in more.items() if blocks}
        return numbered.to_graph(name, self.threads, read_report=self.report(as_text), **values)

    def report(self, as_text: bool) -> ReadReport:
        """Return what was read."""
        dialect = self.dialect
        assert dialect is not None
        called = [dialect.names[place] for place in dialect.columns]
        return ReadReport(
            columns=(called[0], called[1]),
            why=dialect.why,
            header=dialect.has_header,
            ignored=dialect.ignored,
            weight=None if dialect.weight is None else dialect.names[dialect.weight],
            time=None if dialect.time is None else dialect.names[dialect.time],
            text_ids=as_text,
            skipped_rows=self.skipped,
            first_skipped=self.first_skipped,
        )


def read_named_pairs(
    source: Source, options: ReadOptions
) -> tuple["pa.LargeStringArray", npt.NDArray[np.int32], npt.NDArray[np.int64], ReadReport]:
    """Read the pairs of an edge list as text: the distinct ids, the places of each pair's, its line, and a report."""
    rows = _Rows(source, options, None, keep_lines=True)
    rows.read(as_text=True)
    labels, codes = join_labels(rows.labels)
    return labels, codes, np.concatenate(rows.lines), replace(rows.report(True), file=source.shown, format="edgelist")


def read_edgelist(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read an edge list."""
    rows = _Rows(source, options, threads)
    try:
        rows.read(as_text=False)
        return rows.to_graph(name, as_text=False)
    except _NotWholeNumbersError as error:
        first = error.first
    rows = _Rows(source, options, threads)
    rows.read(as_text=True)
    if first.kind == "number" and _are_numbers(rows.labels):
        if not options.skip_bad_rows:
            raise first.error(source)
        rows = _Rows(source, options, threads)
        rows.read(as_text=False, skip_numbers=True)
        return rows.to_graph(name, as_text=False)
    return rows.to_graph(name, as_text=True)


def _parse(text: bytes, dialect: Dialect, kind: Any, threads: int | None) -> list[Any] | None:
    """Return the columns that are read as Arrow arrays, ids of a type and others as text, or None if a cell or a line
    does not fit.
    """
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(dialect.width)]
    ids = [names[column] for column in dialect.columns]
    others = [names[column] for column in dialect.read[2:]]
    parse = csv.ParseOptions(delimiter=dialect.separator)
    convert = csv.ConvertOptions(
        include_columns=list(dict.fromkeys([*ids, *others])),
        column_types=dict.fromkeys(others, pa.large_string()) | dict.fromkeys(ids, kind),
        null_values=[] if kind == pa.int64() else MISSING_LABELS,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    # The second try forgives lines of blanks, and lines too long for Arrow's own blocks.
    for attempt, block_size in ((text, 1 << 20), (None, len(text) + 1)):
        data = BLANK_LINE.sub(b"", text) if attempt is None else attempt
        if not data.strip():
            return [pa.chunked_array([], kind) for _ in ids] + [pa.chunked_array([], pa.large_string()) for _ in others]
        read = csv.ReadOptions(column_names=names, use_threads=resolve_threads(threads) > 1, block_size=block_size)
        try:
            table = csv.read_csv(pa.BufferReader(arrow_copy(data)), read, parse, convert)
        except pa.ArrowInvalid:
            continue
        return [table.column(name) for name in (*ids, *others)]
    return None


def _has_hexadecimal(block: LineBlock, dialect: Dialect, threads: int | None) -> bool:
    """Tell whether an id is written as 0x10: Arrow reads 16, but here it is a label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if b"x" not in block.text and b"X" not in block.text:
        return False
    columns = _parse(block.text, dialect, pa.large_string(), threads)
    return columns is None or any(pc.any(pc.match_substring(c, "x", ignore_case=True)).as_py() for c in columns[:2])


def _has_unusable_label(column: Any) -> bool:
    import pyarrow.compute as pc

    return bool(column.null_count) or any(
        pc.any(test).as_py()
        for test in (pc.equal(column, ""), pc.match_substring(column, "\0"), pc.match_substring(column, "\n"))
    )


def _are_numbers(blocks: list[LabelBlock]) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(all_labels(blocks)[0], LABEL_NUMBER)).as_py())


def _has_all_rows(block: LineBlock, rows: int) -> bool:
    """Tell whether every line is a row; with cells that span several lines a block might end inside of one."""
    if b'"' not in block.text or rows == block.text.count(b"\n") + (not block.text.endswith(b"\n")):
        return True
    return rows == sum(1 for line in block.text.splitlines() if line.strip())


def _unreadable(source: Source, block: LineBlock) -> Exception:
    last = block.first_line + block.text.count(b"\n")
    return source.error(
        f"lines {block.first_line} to {last} are no edge list; give one edge per line, two ids in the same two columns"
    )


def find_bad_line(block: LineBlock, dialect: Dialect, as_text: bool, spans_lines: bool = False) -> BadLine | None:
    """Return the first bad line, or None.

    With `as_text`, ids may be anything but missing; with `spans_lines`, an odd number of quotes is what is wrong.
    """
    lines = enumerate(re.split(rb"\r\n|\n|\r", block.text), block.first_line)
    if spans_lines:
        return next(filter(None, (_judge_quotes(raw, line) for line, raw in lines)), None)
    return next(filter(None, (judge_line(raw, line, dialect, as_text) for line, raw in lines)), None)


def _judge_quotes(raw: bytes, line: int) -> BadLine | None:
    return BadLine(line, "broken", UNCLOSED) if raw.count(b'"') % 2 else None


def judge_line(raw: bytes, line: int, dialect: Dialect, as_text: bool) -> BadLine | None:  # noqa: PLR0911
    """Return what is wrong with a line, or None."""
    decoded = raw.decode("utf-8", "replace")
    if not decoded.strip():
        return None
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
        return BadLine(
            line, "broken", "the node id is not UTF-8 text; convert the file with iconv -t UTF-8, or give --encoding"
        )
    return None


def lines_of_rows(block: LineBlock) -> npt.NDArray[np.int64]:
    """Return the number of the line that every row of a block stands on."""
    lines = re.split(rb"\r\n|\n|\r", block.text)
    return block.first_line + np.flatnonzero([bool(raw.strip()) for raw in lines])


def pa_mask(chosen: npt.NDArray[np.bool_]) -> Any:
    """Return a mask for Arrow."""
    import pyarrow as pa

    return pa.array(chosen)


def _why_ragged(line: str, cells: list[str], dialect: Dialect) -> str:
    if line.count('"') % 2:
        return UNCLOSED
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
