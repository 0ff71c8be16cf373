"""Delimited text: how an edge list is written (separator, header, id columns), and its lines in large blocks for Arrow.

Comments and the header are emptied, not removed, so that lines keep their numbers; runs of blanks become single ones.
"""

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.reading.read import Columns
from edgeorbit.graph.reading.source import Source, read_ahead

SAMPLE_BYTES = 1 << 17
SAMPLE_LINES = 200
BLANKS = " "  # stands for any run of blanks and tabs
SEPARATORS = (",", "\t", ";", BLANKS)
QUOTED = re.compile(r'"((?:[^"]|"")*)"')
NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)(e[+-]?\d++)?|[+-]?(nan|inf|infinity)|", re.IGNORECASE | re.ASCII)
PAIRS = (
    ("source", "target"),
    ("src", "dst"),
    ("src", "dest"),
    ("src", "tgt"),
    ("from", "to"),
    ("head", "tail"),
    ("u", "v"),
    ("i", "j"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("node_a", "node_b"),
    ("id1", "id2"),
    ("id_1", "id_2"),
    ("source_id", "target_id"),
    ("from_id", "to_id"),
    ("fromnodeid", "tonodeid"),
    ("from_node", "to_node"),
    ("start", "end"),
    (":start_id", ":end_id"),
    ("~from", "~to"),
    ("0", "1"),
)
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

    def split(self, line: str) -> list[str]:
        """Return the cells of a line."""
        return split(line, self.separator)

    def ids(self, line: str) -> list[str]:
        """Return the two id cells of a line that has all its cells."""
        cells = self.split(line)
        return [cells[column] for column in self.columns]


class LineBlock(NamedTuple):
    """Lines, and the number in the file of the first of them."""

    text: bytes
    first_line: int


def line_blocks(source: Source, columns: Columns | None, threads: int | None) -> Iterator[tuple[Dialect, LineBlock]]:
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
            dialect = detect(source, text[start : start + SAMPLE_BYTES], columns, first_edge)
            if dialect.has_header:
                end = text.find(b"\n", start)
                text = text[:start] + (b"" if end < 0 else text[end:])
        if dialect.separator == BLANKS:
            text = single_blanks(text)
        if text and not text.isspace():
            has_edges = True
            yield dialect, LineBlock(text, first_line)
    if not has_edges:
        what = "a header" if dialect else "comments" if has_comments else "blank lines"
        raise source.error(f"there are only {what}; give a file with at least one edge")


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


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number of any kind or missing, and so no label.

    >>> [is_number(cell) for cell in ("1", "-1", "2.5", "1e9", "nan", "", "x1")]
    [True, True, True, True, True, True, False]
    """
    return NUMBER.fullmatch(cell) is not None


def well_known_pair(names: list[str]) -> tuple[int, int] | None:
    """Return which columns are called source and target, or one of the other usual pairs of names.

    >>> well_known_pair(["weight", "Source", "Target"])
    (1, 2)
    """
    lower = [name.strip().lower() for name in names]
    return next(((lower.index(a), lower.index(b)) for a, b in PAIRS if a in lower and b in lower), None)


def detect(source: Source, text: bytes, columns: Columns | None, first_line: int) -> Dialect:
    """Find the dialect from the first lines that are no comments; `first_line` is the number of the first of them."""
    # A sample that is full most likely ends inside a line.
    sample = text[: text.rfind(b"\n")] if len(text) == SAMPLE_BYTES and b"\n" in text else text
    _check_text(source, sample)
    # Not splitlines(), which also splits at characters that may stand in a label.
    decoded = sample.decode("utf-8", "replace")
    lines = [line for line in re.split(r"\r\n|\n|\r", decoded) if line.strip()][:SAMPLE_LINES]
    separator = _choose_separator(lines, columns)
    if separator is None:
        raise source.error(
            f"expected two node ids, found {shown(lines[0].strip(), 40)!r}; "
            "separate them by a comma, a tab, a semicolon or a blank",
            first_line,
        )
    cells = [split(line, separator) for line in lines]
    chosen, has_header = _find_columns(source, cells, columns, first_line)
    width = len(cells[0]) if has_header else _most_common_width(cells)
    if max(chosen) >= width:
        raise InvalidParameterError(
            f"{source.shown}: there is no column {max(chosen)} among {width}; columns are numbered from 0"
        )
    return Dialect(separator, width, chosen, has_header)


def _check_text(source: Source, sample: bytes) -> None:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise source.error("is UTF-16 text; save it as UTF-8")
    control = len(sample.translate(None, bytes(range(9, 14)) + bytes(range(32, 256))))
    if b"\0" in sample or control * 10 > len(sample):
        raise source.error("is not text; give the format if it is one of another kind than its beginning and name say")


def _most_common_width(cells: list[list[str]]) -> int:
    widths = [len(row) for row in cells]
    return max(widths, key=widths.count)


def _choose_separator(lines: list[str], columns: Columns | None) -> str | None:
    """Return the separator that makes the ids of most lines numbers, or else most lines several cells.

    Most, not all, and blanks last: one missing id must not turn a tab-separated file into a blank-separated one.
    """
    # What is quoted separates nothing, whichever separator is being tried.
    plain = [QUOTED.sub(lambda match: re.sub(r"[,;\s]", "_", match[1]), line) for line in lines]
    rows = {separator: [split(line, separator) for line in plain] for separator in SEPARATORS}
    a, b = (c if isinstance(c, int) else place for place, c in enumerate(columns or (0, 1)))

    def numbers(row: list[str]) -> bool:
        return len(row) > max(a, b) and all(row[c] and is_number(row[c]) for c in (a, b))

    def several(row: list[str]) -> bool:
        return len(row) > 1

    for fits in (numbers, several):
        share = {separator: sum(map(fits, cells)) / len(cells) for separator, cells in rows.items()}
        for candidates in (SEPARATORS[:-1], SEPARATORS[-1:]):
            best = max(candidates, key=lambda separator: share[separator])
            if share[best] >= 0.5:
                return best
    return None


def _find_columns(
    source: Source, cells: list[list[str]], columns: Columns | None, first_line: int
) -> tuple[tuple[int, int], bool]:
    first, rest = cells[0], cells[1:]
    if columns is not None and any(isinstance(c, str) for c in columns):
        return _columns_by_name(source, first, columns, first_line), True
    known = well_known_pair(first)
    chosen = (int(columns[0]), int(columns[1])) if columns else known or (0, 1)
    if max(chosen) >= len(first):
        return chosen, False
    names = [first[c] for c in chosen]
    if any(map(is_number, names)):
        return (chosen if columns else (0, 1)), False
    ids = [[row[c] for c in chosen] for row in rest if len(row) > max(chosen)]
    numbers = sum(all(map(is_number, pair)) for pair in ids)
    # Nodes may well be called u and v: then the first line is an edge, and they come again.
    reappears = min(map(len, names)) == 1 and any(name in pair for name in names for pair in ids)
    if (ids and numbers * 2 >= len(ids)) or (well_known_pair(names) == (0, 1) and not reappears):
        return chosen, True
    if any(_is_name_of_numbers(first, rest, column) for column in range(len(first)) if column not in chosen):
        return chosen, True
    return (chosen if columns else (0, 1)), False


def _is_name_of_numbers(first: list[str], rest: list[list[str]], column: int) -> bool:
    """Tell whether a cell of the first line is no number, and all below it are: weights, say, or times."""
    below = [row[column] for row in rest if len(row) > column]
    return bool(below) and not is_number(first[column]) and all(cell and is_number(cell) for cell in below)


def _columns_by_name(source: Source, header: list[str], columns: Columns, first_line: int) -> tuple[int, int]:
    found = []
    for column in columns:
        if isinstance(column, int):
            found.append(column)
        elif header.count(column) == 1:
            found.append(header.index(column))
        else:
            problem = "there is no column" if column not in header else "there are several columns"
            raise InvalidParameterError(
                f"{source.shown} line {first_line}: {problem} {shown(column)!r}; "
                f"the columns are {shown(', '.join(header), 200)}"
            )
    if found[0] == found[1]:
        raise InvalidParameterError(f"{source.shown}: columns {columns} are one and the same; give two")
    return found[0], found[1]
