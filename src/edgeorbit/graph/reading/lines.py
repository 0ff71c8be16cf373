"""The lines of an edge list in large blocks, as Arrow wants them.

Comments and the header are emptied, not removed, so that lines keep their numbers; runs of blanks become single ones.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from edgeorbit.graph.reading.dialect import BLANKS, SAMPLE_BYTES, Dialect, detect
from edgeorbit.graph.reading.formats import Columns
from edgeorbit.graph.reading.source import Source, read_ahead
from edgeorbit.parallel import resolve_threads

COMMENT = re.compile(rb"^[ \t]*(?:#|%|//)[^\r\n]*", re.MULTILINE)
BLANK_LINE = re.compile(rb"^[ \t\r\v\f]+$", re.MULTILINE)
LEADING_BLANK_LINES = re.compile(rb"(?:[ \t\r]*\n)*")
EDGE_ATTRIBUTES = re.compile(rb"(?<=\S)[ \t]+\{[^\r\n]*")
BLANKS_OR_QUOTED = re.compile(rb'("[^"\n]*")|[ \t]+')
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


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
