"""`read_graph`, and the table of formats: names, suffixes, readers, and how the format of a file is recognised."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath
from typing import NamedTuple, Protocol

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.read_report import ReadReport
from edgeorbit.graph.reading.options import Column, ReadOptions
from edgeorbit.graph.reading.source import UNPACKED, Progress, Source, standard_input

STANDARD_INPUT = "-"
COMPRESSION_SUFFIXES = (".gz", ".gzip", ".zst", ".zstd")


class Reader(Protocol):
    """What reads one format."""

    def __call__(self, source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
        """Read a graph from a source."""


class Format(NamedTuple):
    """One row of the table."""

    reader: str  # module of this package and its function
    suffixes: tuple[str, ...]
    expansion: float  # bytes of memory at the peak for one byte of (unpacked) file, measured on a million edges
    takes: tuple[str, ...] = ()  # of the options

    def load(self) -> Reader:
        """Import the reader."""
        module, function = self.reader.split(":")
        reader: Reader = getattr(import_module(f"edgeorbit.graph.reading.{module}"), function)
        return reader


EVERYTHING = ("columns", "header", "encoding", "skip_bad_rows", "weight", "time")

# The readers of Parquet and npz files know the sizes of what is inside, and ask again for that.
FORMATS = {
    "edgelist": Format(
        "_edgelist:read_edgelist", (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"), 2.5, EVERYTHING
    ),
    "parquet": Format("parquet:read_parquet", (".parquet", ".pq"), 2, ("columns", "weight", "time")),
    "npy": Format("_numpy_files:read_npy", (".npy",), 3),
    "npz": Format("_numpy_files:read_npz", (".npz",), 2),
    "mtx": Format("_matrix_market:read_mtx", (".mtx",), 5),
    "mat": Format("_matlab:read_mat", (".mat",), 5),
    "graphml": Format("_gml_graphml:read_graphml", (".graphml", ".xml"), 4),
    "gml": Format("_gml_graphml:read_gml", (".gml",), 15),
    "gexf": Format("_gexf:read_gexf", (".gexf",), 6, ("weight",)),
    "pajek": Format("_pajek:read_pajek", (".net", ".paj"), 15, ("weight",)),
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
    "gexf": lambda head: b"<gexf" in head and head.startswith(b"<"),
    "pajek": lambda head: head[:9].lower() in (b"*vertices", b"*network "),
    "graphml": _starts(b"<?xml", b"<graphml", b"<!DOCTYPE", b"<!--", b"\xff\xfe<\0", b"\xfe\xff\0<"),
    "gml": lambda head: _GML.match(head) is not None,
}


def read_graph(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Sequence[Column] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    skip_bad_rows: bool = False,
    weight: Column | None = None,
    time: Column | None = None,
    name: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Graph:
    """Read a graph from a file.

    Repeated edges are merged and self-loops dropped; the graph says how many (`merged_edges`, `self_loops`), and its
    `read_report` what else was decided.

    Parameters
    ----------
    path
        A file, which may be compressed with gzip or zstd whatever it is called; `"-"` for standard input.
    format
        One of `edgelist`, `parquet`, `npy`, `npz`, `mtx` (MatrixMarket), `mat` (MATLAB up to version 7), `graphml`,
        `gml`, `gexf`, `pajek`. By default it is recognised, first by the beginning of the file, then by its suffix.
    columns
        Which two columns of an edge list or a Parquet file hold the node ids: names, or numbers from 0. By default
        columns that are called like the ends of links (`source` and `target`, `payer_id` and `payee_id`, `von` and
        `nach`, ...); else the only two that can hold node ids; of an edge list without a header the first two. What is
        not clear is refused.
    header
        Whether the first line of an edge list is a header; by default it is recognised.
    encoding
        The encoding of an edge list, such as `latin-1`; by default UTF-8.
    skip_bad_rows
        Skip and count the rows of an edge list that are no edges, instead of refusing the file.
    weight
        A column of an edge list or a Parquet file with the weights of links, finite numbers from 0, which are summed
        for repeated links (`Graph.edge_weight`).
    time
        A column with their times: numbers or dates (`Graph.history`), for a split by time.
    name
        What the graph is called; by default the file's name without its suffix.
    threads
        Number of threads; by default one per core.
    progress
        Called as `progress(bytes_done, bytes_total)` now and then.

    Returns
    -------
    Graph
        Its nodes are the ids that appear in the file, also those that appear in a self-loop alone, numbered in
        ascending order: whole numbers by value, text by code point. If the ids are `0, 1, ...` without a gap,
        `node_names` is None, otherwise it holds them. Ids are text as soon as one of them is not a number. Formats
        that list their nodes (matrices, GraphML, GML, GEXF, Pajek, npz with `num_nodes`) keep isolated ones.

    Raises
    ------
    GraphFormatError
        If the file cannot be read as a graph. The message names the file, the line and a way out.
    LimitExceededError
        If the file needs more memory than there is.
    InvalidParameterError
        If the format is unknown, an option does not go with it, or `columns` are not two.

    Notes
    -----
    An edge list has one edge per line. Commas, tabs, semicolons, bars or runs of blanks separate its columns, cells may
    be quoted. Lines that start with `#`, `%` or `//` are comments. A first line is a header if it differs in kind from
    those below, such as a name above numbers or dates, or has the names of columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "friends.csv")
    ...     _ = path.write_text("from,to,since\\nann,bob,2019\\nbob,cy,2021\\n")
    ...     graph = read_graph(path)
    >>> graph
    Graph(name='friends', num_nodes=3, num_edges=2, merged_edges=0, self_loops=0)
    >>> graph.node_names.tolist()
    ['ann', 'bob', 'cy']
    """
    if format is not None and format not in FORMATS:
        raise InvalidParameterError(f"format {format!r} is unknown; choose one of {', '.join(FORMATS)}")
    options = ReadOptions.of(
        columns, header=header, encoding=encoding, skip_bad_rows=skip_bad_rows, weight=weight, time=time
    )
    resolve_threads(threads)
    if os.fspath(path) == STANDARD_INPUT:
        with standard_input() as file:
            source = open_source(file, progress, options, called="standard input")
            return _read(source, format, options, name or "standard input", threads)
    return _read(open_source(path, progress, options), format, options, name, threads)


def open_source(
    path: str | os.PathLike[str], progress: Progress | None, options: ReadOptions, called: str | None = None
) -> Source:
    """Open a file; whatever keeps it from being read becomes an error of ours."""
    where = called or shown(path, 400)
    try:
        source = Source(path, progress, encoding=options.encoding, called=called)
    except OSError as error:
        raise unreadable(where, error) from None
    if source.size == 0:
        raise source.error("the file is empty; give a file with at least one edge")
    return source


def _read(source: Source, format: str | None, options: ReadOptions, name: str | None, threads: int | None) -> Graph:
    found = format or recognise(source.path.name, source.head)
    row = FORMATS[found]
    check_options(source, found, options)
    try:
        require_memory(source.shown, int(source.size * UNPACKED[source.compression] * row.expansion))
        graph = row.load()(source, graph_name(source.path.name) if name is None else name, options, threads)
    except EdgeorbitError:
        raise
    except OSError as error:
        raise unreadable(source.shown, error) from None
    except MemoryError:
        raise LimitExceededError(f"{source.shown}: does not fit into memory; use a larger machine") from None
    source.report(source.size)
    report = replace(graph.read_report or ReadReport(), file=source.shown, format=found)
    return graph.with_attributes(read_report=report, name=graph.name if name is None else name)


def check_options(source: Source, format: str, options: ReadOptions) -> None:
    """Raise `InvalidParameterError` for an option that does not go with a format."""
    for option in options.given():
        if option not in FORMATS[format].takes:
            takers = " or ".join(key for key, other in FORMATS.items() if option in other.takes)
            what = "columns cannot be chosen" if option == "columns" else f"{option} cannot be given"
            raise InvalidParameterError(f"{source.shown}: {what} in {format}, only in {takers}; leave it out")


def unreadable(where: str, error: OSError) -> GraphFormatError:
    """Return the error for a file that the system does not give."""
    if isinstance(error, FileNotFoundError):
        return GraphFormatError(f"{where}: there is no such file; check the path")
    if isinstance(error, PermissionError):
        return GraphFormatError(f"{where}: permission to read it is denied; change its access rights")
    # What remains are paths that the system rejects, such as too long ones, and failing disks.
    reason = shown(error.strerror or error, 120)
    return GraphFormatError(f"{where}: cannot be read ({reason}); check the path and the disk")


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
