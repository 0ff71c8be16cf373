"""The table of formats: how each is called, which suffixes it has, who reads it, and how a file's format is found."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from edgeorbit.graph.graph import Graph
    from edgeorbit.graph.reading.source import Source

Columns = tuple[str | int, str | int]
COMPRESSION_SUFFIXES = (".gz", ".gzip", ".zst", ".zstd")


class Reader(Protocol):
    """What reads one format."""

    def __call__(self, source: "Source", name: str, columns: Columns | None, threads: int | None) -> "Graph":
        """Read a graph from a source."""


class Format(NamedTuple):
    """One row of the table."""

    reader: str  # module of this package and its function
    suffixes: tuple[str, ...]
    expansion: float  # bytes of memory at the peak for one byte of (unpacked) file, measured on a million edges
    takes_columns: bool = False

    def load(self) -> Reader:
        """Import the reader."""
        module, function = self.reader.split(":")
        reader: Reader = getattr(import_module(f"edgeorbit.graph.reading.{module}"), function)
        return reader


# The readers of Parquet and npz files know the sizes of what is inside, and ask again for that.
FORMATS = {
    "edgelist": Format("edgelist:read_edgelist", (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"), 2.5, True),
    "parquet": Format("parquet:read_parquet", (".parquet", ".pq"), 2, True),
    "npy": Format("numpy_arrays:read_npy", (".npy",), 3),
    "npz": Format("numpy_arrays:read_npz", (".npz",), 2),
    "mtx": Format("matrix_market:read_mtx", (".mtx",), 5),
    "mat": Format("matlab:read_mat", (".mat",), 5),
    "graphml": Format("graphml:read_graphml", (".graphml", ".xml"), 4),
    "gml": Format("gml:read_gml", (".gml",), 15),
}


def _starts(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(starts)


# Possessive throughout: what has matched is never tried another way, so a banner of # takes no longer than other text.
_GML = re.compile(rb'(?:\s++|#[^\n]*+|(?:creator|version|comment)\s++(?:"[^"]*+"|[\d.]++))*+graph\s*+\[', re.IGNORECASE)


# What a file is called can be wrong; these beginnings cannot be anything else, so they come before the suffix. A
# MatrixMarket file that is called .txt, for instance, would pass as an edge list whose first edge is its size line.
_BEGINNINGS: dict[str, Callable[[bytes], bool]] = {
    "parquet": _starts(b"PAR1"),
    "npy": _starts(b"\x93NUMPY"),
    "npz": _starts(b"PK\x03\x04", b"PK\x05\x06"),
    "mtx": lambda head: head[:14].lower() == b"%%matrixmarket",
    "mat": _starts(b"MATLAB ", b"\x89HDF\r\n\x1a\n"),
    "graphml": _starts(b"<?xml", b"<graphml", b"<!DOCTYPE", b"<!--", b"\xff\xfe<\0", b"\xfe\xff\0<"),
    "gml": lambda head: _GML.match(head) is not None,
}


def recognise(name: str, head: bytes) -> str:
    """Return the format of a file from its first (unpacked) bytes and its name; an edge list if nothing speaks up.

    >>> recognise("graph.txt", b"%%MatrixMarket matrix coordinate")
    'mtx'
    >>> recognise("graph.graphml.gz", b"")
    'graphml'
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for format_name, matches in _BEGINNINGS.items():
        if matches(text):
            return format_name
    suffix = PurePath(strip_compression(name)).suffix.lower()
    return next((key for key, row in FORMATS.items() if suffix in row.suffixes), "edgelist")


def strip_compression(name: str) -> str:
    """Return a file's name without the suffix of its compression.

    >>> strip_compression("edges.csv.gz")
    'edges.csv'
    """
    suffix = PurePath(name).suffix
    return name[: -len(suffix)] if suffix.lower() in COMPRESSION_SUFFIXES else name


def graph_name(name: str) -> str:
    """Return what a graph is called after its file: the name without the suffixes we know.

    >>> graph_name("web.2024.csv.gz")
    'web.2024'
    """
    plain = PurePath(strip_compression(name))
    known = {suffix for row in FORMATS.values() for suffix in row.suffixes}
    return plain.stem if plain.suffix.lower() in known else plain.name
