"""MATLAB files of version 4 and of versions 5 to 7: the sparse matrix `net`, or the only square one.

scipy's reader is not used: some damaged files make it crash the process. Only sparse matrices are read here, and every
length is checked against the bytes that are there.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import (
    BYTES_TO_UNPACK,
    WAY_OUT,
    Entries,
    check_shape,
    compressed_entries,
    graph_from_entries,
    listed_entries,
)

MATRIX, COMPRESSED = 14, 15
TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
CLASSES = {1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single", 16: "function"}
OLD_TYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
BEGINNING = 1 << 12  # enough of a compressed variable for its class, shape and name
SPARSE = "sparse"


class Variable(NamedTuple):
    """A variable: `entries` returns the rows and columns, from 0, where a sparse matrix is not zero."""

    name: str
    kind: str
    shape: tuple[int, ...]
    entries: Callable[[], Entries]


class DamagedError(ValueError):
    """The bytes contradict each other."""


def read_mat(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read the adjacency matrix of a MATLAB file: an edge wherever it is not zero."""
    if source.head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise source.error("is a MATLAB 7.3 file; save it again in MATLAB with save(..., '-v7')")
    with source.wrapping("MATLAB file", WAY_OUT):
        chosen = _choose(source, list(read_variables(source.content(), source.shown)))
        check_shape(source, chosen.shape)
        entries = chosen.entries()
    return graph_from_entries(source, entries, chosen.shape[0], name, threads)


def _choose(source: Source, variables: list[Variable]) -> Variable:
    sparse = [variable for variable in variables if variable.kind == SPARSE]
    for variable in sparse:
        if variable.name == "net":
            return variable
    square = [variable for variable in sparse if len(set(variable.shape)) == 1]
    if len(square) == 1:
        return square[0]
    if square:
        names = shown(", ".join(variable.name for variable in square), 200)
        raise source.error(f"there are several sparse matrices, {names}; call one of them net")
    listing = shown(", ".join(f"{variable.name} ({variable.kind})" for variable in variables) or "nothing", 200)
    problem = "no square sparse matrix" if sparse else "no sparse matrix"
    raise source.error(f"there is {problem}, only {listing}; save the adjacency matrix as net = sparse(A)")


def read_variables(data: bytes, file_name: str) -> Iterator[Variable]:
    """Yield the variables of a file."""
    if data[126:128] in (b"IM", b"MI"):
        yield from _new_variables(memoryview(data), "<" if data[126:128] == b"IM" else ">", file_name)
    else:
        yield from _old_variables(data)


# Versions 5 to 7: elements of a type, a length and content; a matrix is an element of elements.


def _elements(data: memoryview, order: str, cut_off: bool = False) -> Iterator[tuple[int, memoryview]]:
    """Yield type and content of every element; with `cut_off`, the last may be incomplete."""
    offset = 0
    while offset + 8 <= len(data):
        first, length = np.frombuffer(data[offset : offset + 8], f"{order}u4").tolist()
        if first >> 16:  # a short element has its length in the upper half of the first word, and 4 bytes of content
            kind, length, start, end = first & 0xFFFF, first >> 16, offset + 4, offset + 8
        else:
            kind, start = first, offset + 8
            end = start + length if kind == COMPRESSED else start + -(-length // 8) * 8
        if start + length > (end if first >> 16 else len(data)) and not cut_off:
            raise DamagedError("it is cut off")
        yield kind, data[start : start + length]
        offset = end


def _new_variables(data: memoryview, order: str, file_name: str) -> Iterator[Variable]:
    for kind, content in _elements(data[128:], order):
        if kind == COMPRESSED:
            start = zlib.decompressobj().decompress(content, BEGINNING)
            beginning = next(_elements(memoryview(start), order, cut_off=True), None)
        else:
            beginning = kind, content[:BEGINNING]
        if beginning is None or beginning[0] != MATRIX:
            continue
        parts = _elements(beginning[1], order, cut_off=True)
        try:
            flags, shape, name = (next(parts) for _ in range(3))
        except (StopIteration, RuntimeError):
            raise DamagedError("a variable has no name") from None
        class_number = int(_numbers(flags, order)[0]) & 0xFF
        yield Variable(
            bytes(name[1]).decode("latin-1"),
            CLASSES.get(class_number, "number"),
            tuple(_numbers(shape, order).tolist()),
            lambda kind=kind, content=content: _new_entries(kind, content, order, file_name),  # type: ignore[misc]
        )


def _numbers(element: tuple[int, memoryview], order: str) -> npt.NDArray[Any]:
    kind, content = element
    if kind not in TYPES or len(content) % np.dtype(TYPES[kind]).itemsize:
        raise DamagedError(f"an array is of type {kind}")
    numbers = np.frombuffer(content, order + TYPES[kind])
    if not len(numbers):
        raise DamagedError("an array is empty")
    return numbers


def _new_entries(kind: int, content: memoryview, order: str, file_name: str) -> Entries:
    if kind == COMPRESSED:
        _, content = next(_elements(memoryview(_unpack(content, file_name)), order))
    parts = list(_elements(content, order))
    if len(parts) < 5:
        raise DamagedError("the sparse matrix is incomplete")
    shape = _numbers(parts[1], order).tolist()
    starts = _numbers(parts[4], order)
    if int(starts[-1]) == 0:  # a matrix without entries leaves the other arrays empty
        return np.zeros((2, 0), np.int64)
    inner, values = _numbers(parts[3], order), [_numbers(part, order) for part in parts[5:7]]
    require_memory(file_name, BYTES_TO_UNPACK * len(inner))
    return compressed_entries(starts, inner, values, shape[::-1])


def _unpack(content: memoryview, file_name: str) -> bytes:
    unpacker = zlib.decompressobj()
    parts, length, rest = [], 0, bytes(content)
    while rest and not unpacker.eof:
        parts.append(unpacker.decompress(rest, 1 << 24))
        length += len(parts[-1])
        require_memory(file_name, 4 * length)
        rest = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise DamagedError("it is cut off")
    return b"".join(parts)


# Version 4: a header of five numbers, the name, and a matrix. A sparse one is a table of rows, columns and values.


def _old_variables(data: bytes) -> Iterator[Variable]:
    offset = 0
    while offset < len(data):
        header = data[offset : offset + 20]
        if len(header) < 20:
            raise DamagedError("it is cut off")
        order = "<" if int.from_bytes(header[:4], "little") < 5000 else ">"
        code, rows, columns, imaginary, name_length = np.frombuffer(header, f"{order}i4").tolist()
        machine, kind, type_number = code // 1000, code % 10, code // 10 % 10
        if code < 0 or machine > 1 or code // 100 % 10 or kind > 2 or type_number >= len(OLD_TYPES):
            raise DamagedError("it has no header of any version")
        if min(rows, columns, name_length) < 0 or imaginary not in (0, 1):
            raise DamagedError("a variable has a negative size")
        start = offset + 20 + name_length
        dtype = np.dtype(order + OLD_TYPES[type_number])
        offset = start + rows * columns * dtype.itemsize * (1 + imaginary)
        if offset > len(data):
            raise DamagedError("it is cut off")
        name = data[start - name_length : start].rstrip(b"\0").decode("latin-1")
        if kind != 2:
            yield Variable(name, "double" if kind == 0 else "char", (rows, columns), lambda: np.zeros((2, 0), np.int64))
            continue
        if rows < 1 or columns not in (3, 4):
            raise DamagedError("the sparse matrix is no table of three columns")
        table = np.frombuffer(data, dtype, rows * columns, start).reshape(columns, rows).astype(np.float64)
        if not (np.isfinite(table[:2]) & (table[:2] == np.floor(table[:2])) & (abs(table[:2]) < 2**53)).all():
            raise DamagedError("a row or column is no whole number")
        shape = (int(table[0, -1]), int(table[1, -1]))
        yield Variable(name, SPARSE, shape, lambda table=table, shape=shape: _old_entries(table, shape))  # type: ignore[misc]


def _old_entries(table: npt.NDArray[np.float64], shape: tuple[int, int]) -> Entries:
    row, column = table[:2, :-1].astype(np.int64) - 1
    return listed_entries(row, column, list(table[2:, :-1]), shape)
