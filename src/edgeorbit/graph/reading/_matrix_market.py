"""MatrixMarket files: sparse or dense, general or symmetric; the sparse ones are parsed in blocks by Arrow.

scipy's reader is not used: it writes out both halves of a symmetric matrix, so that every edge would count as
repeated, and a damaged dense file makes it crash the process.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.delimited import LineBlock, single_blanks, without_comments
from edgeorbit.graph.reading.node_ids import compact
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source, arrow_copy
from edgeorbit.graph.reading.stored_arrays import BYTES_PER_ENTRY, check_shape

VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
BYTES_PER_WORD = 24  # in memory, for a byte of a dense matrix: numbers of one digit as Python objects
WHOLE_NUMBER = re.compile(rb"[0-9]{1,19}")
AGAIN = "copy or download the file again"


class Header(NamedTuple):
    """What the first lines of the file announce; `line` is the one with the sizes."""

    is_sparse: bool
    values: int  # numbers in an entry beside its row and column
    symmetry: str
    size: int
    entries: int
    line: int


def read_mtx(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a MatrixMarket file: an edge wherever the matrix is not zero."""
    header = _read_header(source)
    pairs = _read_sparse(source, header, threads) if header.is_sparse else _read_dense(source, header)
    return Graph.from_edges(pairs.T, header.size, threads=threads, name=name)


def _read_header(source: Source) -> Header:
    lines = next(source.lines(), b"").split(b"\n")
    words = [shown(word) for word in lines[0].decode("latin-1").lower().split()]
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in ("coordinate", "array"):
        raise source.error("expected '%%MatrixMarket matrix coordinate ...' and more; give the format that it has", 1)
    if words[3] not in VALUES or words[4] not in SYMMETRIES or (words[2] == "array" and words[3] == "pattern"):
        raise source.error(f"a matrix '{words[2]} {words[3]} {words[4]}' is unknown; write the file again", 1)
    is_sparse = words[2] == "coordinate"
    line = next((i for i, text in enumerate(lines[1:], 2) if text.strip() and not text.lstrip().startswith(b"%")), None)
    if line is None:
        raise source.error("there is no line with the size of the matrix; write the file again")
    sizes = [int(word) for word in lines[line - 1].split() if WHOLE_NUMBER.fullmatch(word)]
    if len(sizes) != len(lines[line - 1].split()) or len(sizes) != 2 + is_sparse:
        found = shown(lines[line - 1].decode("latin-1"), 40)
        raise source.error(f"expected {2 + is_sparse} sizes, found {found!r}; write the file again", line)
    check_shape(source, (sizes[0], sizes[1]), line)
    size = sizes[0]
    entries = sizes[2] if is_sparse else _dense_entries(size, words[4])
    if not is_sparse:
        require_memory(source.shown, 4 * BYTES_PER_ENTRY * entries)
    return Header(is_sparse, VALUES[words[3]], words[4], size, entries, line)


def _dense_entries(size: int, symmetry: str) -> int:
    if symmetry == "general":
        return size * size
    return size * (size - 1 if symmetry == "skew-symmetric" else size + 1) // 2


def _body(source: Source, header: Header) -> Iterator[LineBlock]:
    """Yield the lines below the header, as Arrow wants them."""
    line = 1
    for raw in source.lines():
        text = raw
        if line == 1:
            head = b"\n".join(raw.split(b"\n", header.line)[: header.line])
            text = b"\n" * (header.line - 1) + raw[len(head) :]
        text = single_blanks(without_comments(text))
        if text and not text.isspace():
            yield LineBlock(text, line)
        line += raw.count(b"\n")


def _read_sparse(source: Source, header: Header, threads: int | None) -> npt.NDArray[np.int32]:
    blocks = [np.zeros((2, 0), np.int32)]
    count = 0
    for block in _body(source, header):
        columns = _parse(block.text, 2 + header.values, threads)
        if columns is None:
            raise _bad_entry(source, block, header)
        pairs = np.stack(columns[:2])
        if pairs.size and (pairs.min() < 1 or pairs.max() > header.size):
            raise _bad_entry(source, block, header)
        if header.values:
            pairs = pairs[:, np.any([values != 0 for values in columns[2:]], axis=0)]
        blocks.append(compact(pairs - 1).astype(np.int32, copy=False))
        count += len(columns[0])
        if count > header.entries:
            raise _wrong_count(source, header, f"{count} or more")
        require_memory(source.shown, BYTES_PER_ENTRY * count)
    _check_count(source, header, count)
    return np.concatenate(blocks, axis=1)


def _parse(text: bytes, width: int, threads: int | None) -> list[npt.NDArray[np.generic]] | None:
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(width)]
    kinds = [pa.int64() if i < 2 else pa.float64() for i in range(width)]
    read = csv.ReadOptions(column_names=names, use_threads=resolve_threads(threads) > 1)
    convert = csv.ConvertOptions(column_types=dict(zip(names, kinds, strict=True)), null_values=[])
    try:
        table = csv.read_csv(
            pa.BufferReader(arrow_copy(text)), read, csv.ParseOptions(delimiter=" ", quote_char=False), convert
        )
    except pa.ArrowInvalid:
        return None
    return [column.to_numpy() for column in table.columns]


def _bad_entry(source: Source, block: LineBlock, header: Header) -> GraphFormatError:
    """Find the first line that is no entry."""
    for line, text in enumerate(re.split(rb"\r\n|\n|\r", block.text), block.first_line):
        cells = text.split()
        if not cells:
            continue
        found = shown(text.decode("latin-1").strip(), 40)
        if len(cells) != 2 + header.values or not all(map(WHOLE_NUMBER.fullmatch, cells[:2])):
            return source.error(f"expected a row, a column and {header.values} values, found {found!r}; {AGAIN}", line)
        if not all(1 <= int(cell) <= header.size for cell in cells[:2]):
            return source.error(f"entry {found!r} lies outside the matrix of {header.size} rows; {AGAIN}", line)
        if not all(map(_is_float, cells[2:])):
            return source.error(f"the value of entry {found!r} is no number; {AGAIN}", line)
    return source.error(f"some line from {block.first_line} on is no entry of the matrix; {AGAIN}")


def _is_float(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return b"_" not in cell


def _read_dense(source: Source, header: Header) -> npt.NDArray[np.int32]:
    """Return where a matrix that is written column by column is not zero; if symmetric, its lower half is."""
    parts, count = [np.zeros(0)], 0
    for block in _body(source, header):
        require_memory(source.shown, BYTES_PER_WORD * len(block.text))
        words = block.text.split()
        count += len(words)
        if count > header.entries * header.values:
            raise _wrong_count(source, header, f"{count / header.values:g} or more")
        bad = next((i for i, word in enumerate(words) if not _is_float(word)), None)
        if bad is not None:
            raise source.error(f"{shown(words[bad].decode('latin-1'), 40)!r} is no number; {AGAIN}")
        parts.append(np.array(words, "S").astype(np.float64))
    values = np.concatenate(parts)
    _check_count(source, header, len(values) / header.values)
    filled = np.flatnonzero((values.reshape(-1, header.values) != 0).any(axis=1))
    if header.symmetry == "general":
        column, row = np.divmod(filled, max(1, header.size))
    else:
        columns, rows = np.triu_indices(header.size, k=header.symmetry == "skew-symmetric")
        column, row = columns[filled], rows[filled]
    return np.stack([row, column]).astype(np.int32)


def _check_count(source: Source, header: Header, count: float) -> None:
    if count != header.entries:
        raise _wrong_count(source, header, f"{count:g}")


def _wrong_count(source: Source, header: Header, found: str) -> GraphFormatError:
    return source.error(f"{header.entries} entries are announced and {found} are there; {AGAIN}", header.line)
