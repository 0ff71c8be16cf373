"""Delimited text: how an edge list is written (separator, header, id columns), and its lines in large blocks for Arrow.

Comments and the header are emptied, not removed, so that lines keep their numbers; runs of blanks become single ones.
"""

import csv
import re
from collections.abc import Generator
from typing import Any, NamedTuple

from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.reading.columns import choose_from_lines, is_number, place_of
from edgeorbit.graph.reading.options import Columns, ReadOptions
from edgeorbit.graph.reading.source import Source, read_ahead

SAMPLE_BYTES = 1 << 17
SAMPLE_LINES = 400
BLANKS = " "  # stands for any run of blanks and tabs
SEPARATORS = (",", "\t", ";", "|", BLANKS)
QUOTED = re.compile(r'"((?:[^"]|"")*)"')
COMMENT = re.compile(rb"^[ \t]*(?:#|%|//)[^\r\n]*", re.MULTILINE)
BLANK_LINE = re.compile(rb"^[ \t\r\v\f]+$", re.MULTILINE)
LEADING_BLANK_LINES = re.compile(rb"(?:[ \t\r]*\n)*")
EDGE_ATTRIBUTES = re.compile(rb"(?<=\S)[ \t]+\{[^\r\n]*")
BLANKS_OR_QUOTED = re.compile(rb'("[^"\n]*")|[ \t]+')
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Dialect(NamedTuple):
    """What is the same for all lines of an edge list."""

    separator: str
    width: int
    columns: tuple[int, int]
    has_header: bool
    names: tuple[str, ...] = ()  # of all columns; numbers if there is no header
    why: str = ""  # these columns
    weight: int | None = None
    time: int | None = None

    def split(self, line: str) -> list[str]:
        """Return the cells of a line."""
        return split(line, self.separator)

    def ids(self, line: str) -> list[str]:
        """Return the two id cells of a line that has all its cells."""
        cells = self.split(line)
        return [cells[column] for column in self.columns]

    @property
    def read(self) -> tuple[int, ...]:
        """The columns that are read."""
        return (*self.columns, *(place for place in (self.weight, self.time) if place is not None))

    @property
    def ignored(self) -> tuple[str, ...]:
        """The names of the columns that are not read."""
        return tuple(name or str(place) for place, name in enumerate(self.names) if place not in self.read)


class LineBlock(NamedTuple):
    """Lines, and the number in the file of the first of them."""

    text: bytes
    first_line: int


def line_blocks(
    source: Source, options: ReadOptions, threads: int | None
) -> Generator[tuple[Dialect, LineBlock], None, None]:
    """Yield the blocks of an edge list that hold edges, and how they are written."""
    dialect = None
    line, has_edges, has_comments = 1, False, False
    blocks = source.lines()
    for raw in blocks if resolve_threads(threads) == 1 else read_ahead(blocks):
        text = without_comments(raw.removeprefix(BYTE_ORDER_MARK) if line == 1 else raw)
        first_line = line
        line += raw.count(b"\n")
        if not text or text.isspace():
            has_comments |= not raw.isspace()
            continue
        if dialect is None:
            match = LEADING_BLANK_LINES.match(text)
            start = match.end() if match else 0
            first_edge = first_line + text.count(b"\n", 0, start)
            dialect = detect(source, text[start : start + SAMPLE_BYTES], options, first_edge)
            if dialect.has_header:
                end = text.find(b"\n", start)
                text = text[:start] + (b"" if end < 0 else text[end:])
        if dialect.separator == BLANKS:
            text = single_blanks(text)
        if text and not text.isspace():
            has_edges = True
            yield dialect, LineBlock(text, first_line)
    if not has_edges:
        what = "is only a header" if dialect else f"are only {'comments' if has_comments else 'blank lines'}"
        raise source.error(f"there {what}; give a file with at least one edge")


def without_comments(text: bytes) -> bytes:
    """Return text whose comment lines are empty."""
    if any(mark in text for mark in (b"#", b"%", b"/")):  # single bytes are found ten times faster than "//"
        return COMMENT.sub(b"", text)
    return text


def single_blanks(text: bytes) -> bytes:
    """Return text with one blank between cells and none at the ends of lines."""
    if b"{" in text:  # networkx writes the attributes of an edge as a dictionary at the end of the line
        text = EDGE_ATTRIBUTES.sub(b"", text)
    if b'"' in text:
        text = BLANKS_OR_QUOTED.sub(lambda match: match[1] or b" ", text)
    else:
        text = text.replace(b"\t", b" ")
        while b"  " in text:
            text = text.replace(b"  ", b" ")
    return text.replace(b" \r", b"\r").replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ").rstrip(b" ")


def split(line: str, separator: str) -> list[str]:
    """Return the cells of a line, without the blanks around them.

    >>> split('a  "b c" {"weight": 1}', BLANKS)
    ['a', 'b c']
    """
    if separator == BLANKS:
        line = line.strip(" \t\r\n")
        # networkx writes the attributes of an edge as a dictionary at the end of the line
        line = re.sub(r"(?<=\S)[ \t]+\{.*", "", line)
        if '"' not in line:
            return re.split(r"[ \t]+", line)
        line = re.sub(r'("[^"]*")|[ \t]+', lambda match: match[1] or " ", line)
    if '"' in line:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
        except csv.Error:  # a cell longer than the module's limit
            pass
    return [cell.strip() for cell in line.split(separator)]


def detect(source: Source, text: bytes, options: ReadOptions, first_line: int) -> Dialect:
    """Find the dialect from the first lines that are no comments; `first_line` is the number of the first of them."""
    # A sample that is full most likely ends inside a line.
    sample = text[: text.rfind(b"\n")] if len(text) == SAMPLE_BYTES and b"\n" in text else text
    _check_text(source, sample)
    # Not splitlines(), which also splits at characters that may stand in a label.
    lines = [line for line in re.split(r"\r\n|\n|\r", _decoded(sample)) if line.strip()][:SAMPLE_LINES]
    separator = _choose_separator(lines, options.columns)
    if separator is None:
        raise source.error(
            f"expected two node ids, found {shown(lines[0].strip(), 40)!r}; "
            "separate them by a comma, a tab, a semicolon or a blank",
            first_line,
        )
    cells = [split(line, separator) for line in lines]
    where = f"{source.shown} line {first_line}"
    chosen = choose_from_lines(where, cells, options.columns, _header_option(options))
    width = len(cells[0]) if chosen.has_header else _most_common_width(cells)
    if max(chosen.columns) >= width:
        raise InvalidParameterError(
            f"{source.shown}: there is no column {max(chosen.columns)} among {width}; columns are numbered from 0"
        )
    names = tuple(cells[0]) if chosen.has_header else tuple(map(str, range(width)))
    dialect = Dialect(separator, width, chosen.columns, chosen.has_header, names, chosen.why)
    return dialect._replace(**_more_columns(where, dialect, options))


def _decoded(sample: bytes) -> str:
    """Return the text of the first lines; names of columns in an older encoding can still be recognised."""
    try:
        return sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # The end of the sample may lie inside a character.
        return sample.decode("utf-8" if error.start >= len(sample) - 4 else "latin-1", "replace")


def _header_option(options: ReadOptions) -> bool | None:
    """Return whether there is a header as far as the options say it: columns that are named need one."""
    by_name = any(isinstance(column, str) for column in (options.weight, options.time))
    return True if by_name and options.header is None else options.header


def _more_columns(where: str, dialect: Dialect, options: ReadOptions) -> dict[str, Any]:
    """Return the places of the columns of weights and times."""
    found: dict[str, Any] = {}
    for what, column in (("weight", options.weight), ("time", options.time)):
        if column is None:
            continue
        if isinstance(column, str) and not dialect.has_header:
            raise InvalidParameterError(f"{where}: columns have no names without a header; give --{what} a number")
        found[what] = place_of(where, dialect.names, column)
        if found[what] in dialect.columns:
            raise InvalidParameterError(f"{where}: column {shown(column)!r} holds node ids; give --{what} another one")
    return found


def _check_text(source: Source, sample: bytes) -> None:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise source.error("is UTF-16 text; save it as UTF-8, or give --encoding utf-16")
    control = len(sample.translate(None, bytes(range(9, 14)) + bytes(range(32, 256))))
    if b"\0" in sample or control * 10 > len(sample):
        raise source.error("is not text; give the format if it is one of another kind than its beginning and name say")


def _most_common_width(cells: list[list[str]]) -> int:
    widths = [len(row) for row in cells]
    return max(widths, key=widths.count)


def _choose_separator(lines: list[str], columns: Columns | None) -> str | None:
    """Return the separator that makes the ids of most lines numbers, or else most lines equally many cells.

    Most, not all, and blanks last: one missing id must not turn a tab-separated file into a blank-separated one. Of two
    separators that split all lines alike the one that makes more cells wins: the other is a decimal comma.
    """
    # What is quoted separates nothing, whichever separator is being tried.
    plain = [QUOTED.sub(lambda match: re.sub(r"[,;|\s]", "_", match[1]), line) for line in lines]
    rows = {separator: [split(line, separator) for line in plain] for separator in SEPARATORS}
    a, b = (c if isinstance(c, int) else place for place, c in enumerate(columns or (0, 1)))

    def numbers(row: list[str]) -> bool:
        return len(row) > max(a, b) and all(row[c] and is_number(row[c]) for c in (a, b))

    def several(row: list[str]) -> bool:
        return len(row) > 1

    for fits in (numbers, several):
        share = {separator: sum(map(fits, cells)) / len(cells) for separator, cells in rows.items()}
        for candidates in (SEPARATORS[:-1], SEPARATORS[-1:]):
            possible = [separator for separator in candidates if share[separator] >= 0.5]
            if possible:
                return max(possible, key=lambda separator: _evenness(rows[separator]))
    return None


def _evenness(rows: list[list[str]]) -> tuple[float, int]:
    """Return the share of lines that have as many cells as most, and how many that are."""
    width = _most_common_width(rows)
    return sum(len(row) == width for row in rows) / len(rows) * (width > 1), width
