"""The files that hold a graph's edges, and the engine that they need: memory required against memory available."""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._text import shown
from edgeorbit.errors import (
    DatasetNotFoundError,
    EdgeorbitError,
    GraphFormatError,
    InvalidParameterError,
    LimitExceededError,
)
from edgeorbit.graph.read_report import ReadReport
from edgeorbit.graph.reading.delimited import BLANKS, Dialect, line_blocks
from edgeorbit.graph.reading.options import Columns, ReadOptions
from edgeorbit.graph.reading.parquet import WAY_OUT, choose_columns, is_text, kinds_of
from edgeorbit.graph.reading.read import FORMATS, graph_name, recognise, strip_compression
from edgeorbit.graph.reading.source import UNPACKED, Source

TABULAR = ("parquet", "edgelist")
SUFFIXES = {suffix for kind in TABULAR for suffix in FORMATS[kind].suffixes}
COMMENTS = ("#", "%")
# Peak of resident memory from Parquet to EAR, an upper bound of what `python -m benchmarks.scale --engine memory`
# measured on random and skewed graphs (35 to 44 bytes per edge, nodes included) and on paths (85): reading holds the
# pairs twice, later the CSR arrays stand beside the sort keys of edges; nodes have colours, order and work space.
BYTES_PER_EDGE = 36
BYTES_PER_NODE = 56
BYTES_AT_START = 260 << 20  # the interpreter, numba and Arrow
EDGES_PER_NODE = 1  # where only rows are known; few real graphs have fewer
MOST_PACKED = 64  # bytes in memory for a byte of file; no format we read is denser on real graphs
SHARE = 0.8  # of what is available; the rest is for others


@dataclass(frozen=True)
class EdgeFiles:
    """Files of one kind whose two columns of node ids are known.

    Attributes
    ----------
    files
        Their paths.
    name, shown
        What the graph is called, and how messages name the source.
    columns
        Of Parquet files, the names of the two columns.
    are_text
        Of Parquet files, whether an id is text.
    dialect, comment
        Of edge lists, how they are written, and the character that begins a comment if there are any.
    why
        Of Parquet files, what the columns were chosen by.
    """

    files: tuple[str, ...]
    name: str
    shown: str
    columns: tuple[str, str] | None = None
    are_text: bool = False
    dialect: Dialect | None = None
    comment: str = ""
    why: str = ""

    def identity(self) -> list[Any]:
        """Return what is different when the files or the columns are."""
        found = [Path(name).stat() for name in self.files]
        facts = [(name, one.st_size, one.st_mtime_ns) for name, one in zip(self.files, found, strict=True)]
        chosen = self.columns if self.dialect is None else self.dialect.columns
        return [*map(list, facts), list(chosen or ())]

    def report(self) -> ReadReport:
        """Return what is read of the files."""
        if self.dialect is None:
            return ReadReport(self.shown, "parquet", self.columns, self.why, text_ids=self.are_text)
        names = self.dialect.names
        chosen = (names[self.dialect.columns[0]], names[self.dialect.columns[1]])
        about = {"header": self.dialect.has_header, "ignored": self.dialect.ignored, "text_ids": None}
        return ReadReport(self.shown, "edgelist", chosen, self.dialect.why, **about)  # type: ignore[arg-type]

    def estimate_rows(self) -> int:
        """Return the number of rows, of edge lists as estimated from their beginning."""
        if self.dialect is None:
            import pyarrow.parquet as pq

            return sum(pq.read_metadata(name).num_rows for name in self.files)
        return sum(_estimate_lines(Source(name)) for name in self.files)


def find_edges(
    source: str | os.PathLike[str], columns: Sequence[str | int] | None = None, format: str | None = None
) -> EdgeFiles:
    """Return the files that a path, a pattern such as `part-*.parquet` or a directory stands for.

    Raises
    ------
    DatasetNotFoundError
        If there is no such file.
    GraphFormatError
        If a file is not Parquet or an edge list, or its two columns are not clear.
    """
    where, files = shown(source, 400), _list(source)
    if not files:
        raise DatasetNotFoundError(f"{where}: there is no such file; give Parquet or CSV files, or a directory of them")
    chosen = _check_columns(columns)
    first = Source(files[0])
    kinds = {format or recognise(first.path.name, first.head)}
    kinds |= {format or recognise(Path(name).name, Source(name).head) for name in files[1:]}
    if len(kinds) > 1 or not kinds <= set(TABULAR):
        raise GraphFormatError(
            f"{where}: holds {', '.join(sorted(kinds))}; this engine reads files of one kind, parquet or edgelist"
        )
    name = graph_name(Path(source).name.replace("*", "")) or "graph"
    if kinds == {"parquet"}:
        return _parquet(first, tuple(files), name, where, chosen)
    return _edge_list(first, tuple(files), name, where, chosen)


def memory_of_refinement(num_nodes: int, num_edges: int) -> int:
    """Return the bytes that refining a graph in memory takes at its peak.

    >>> memory_of_refinement(10**7, 10**8) / 2**30 < 6
    True
    """
    return num_nodes * BYTES_PER_NODE + num_edges * BYTES_PER_EDGE


def estimate_memory(files: EdgeFiles) -> int:
    """Return the bytes that the memory engine takes for files, from the number of their rows."""
    rows = files.estimate_rows()
    return BYTES_AT_START + memory_of_refinement(rows // EDGES_PER_NODE, rows)


def choose_engine(
    source: Any, columns: Sequence[str | int] | None = None, format: str | None = None
) -> tuple[Literal["memory", "duckdb", "spark"], str]:
    """Return the engine for a source, and the reason if it is not memory.

    Memory is taken if the graph fits there, else DuckDB; Spark for what only Spark can read.

    >>> choose_engine("karate")
    ('memory', '')
    """
    if hasattr(source, "sparkSession"):
        return "spark", "a DataFrame of Spark"
    available = available_memory()
    if not isinstance(source, str | os.PathLike) or (available and _is_small(Path(source), available)):
        return "memory", ""
    files = _tabular_files(source, columns, format)
    if files is None:
        return "memory", ""
    if len(files.files) > 1:
        return "duckdb", f"{files.shown}: {len(files.files)} files"
    needed = estimate_memory(files)
    if available is None or needed <= SHARE * available:
        return "memory", ""
    return "duckdb", f"{files.shown}: {_shortage(needed, available)}"


def require_fit(source: Any, columns: Sequence[str | int] | None = None, format: str | None = None) -> None:
    """Raise an error with the command that works if the files of a source cannot be measured in memory."""
    chosen, reason = choose_engine(source, columns, format)
    if chosen != "memory":
        raise LimitExceededError(f"{reason}; use edgeorbit ear {os.fspath(source)} --engine {chosen}")


def _list(source: str | os.PathLike[str]) -> list[str]:
    path = Path(source)
    if path.is_dir():
        inside = sorted(
            str(file) for file in path.rglob("*") if file.is_file() and not file.name.startswith(("_", "."))
        )
        return [name for name in inside if Path(strip_compression(name)).suffix.lower() in SUFFIXES]
    return [str(path)] if path.exists() else sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207


def _check_columns(columns: Sequence[str | int] | None) -> Columns | None:
    if columns is None:
        return None
    if len(columns) != 2 or columns[0] == columns[1]:
        raise InvalidParameterError(f"columns must be two different names, or numbers from 0, not {shown(columns)}")
    return columns[0], columns[1]


def _parquet(first: Source, files: tuple[str, ...], name: str, where: str, columns: Columns | None) -> EdgeFiles:
    import pyarrow.parquet as pq

    def schema_of(file: Source) -> Any:
        with file.wrapping("Parquet file", WAY_OUT):
            return pq.read_schema(file.path)

    schema = schema_of(first)
    places, why = choose_columns(first.shown, schema.names, columns, kinds_of(schema))
    are_text = [is_text(first, schema.field(place)) for place in places]
    chosen = (schema.names[places[0]], schema.names[places[1]])
    for other in map(Source, files[1:]):
        found = schema_of(other)
        if missing := [column for column in chosen if column not in found.names]:
            raise other.error(f"has no column {missing[0]!r}, only {', '.join(found.names)}")
        if [is_text(other, found.field(column)) for column in chosen] != are_text:
            raise other.error(f"its node ids are of another type than those of {first.shown}; write both as numbers")
    return EdgeFiles(files, name, where, columns=chosen, are_text=any(are_text), why=why)


def _edge_list(first: Source, files: tuple[str, ...], name: str, where: str, columns: Columns | None) -> EdgeFiles:
    dialect = next(line_blocks(first, ReadOptions(columns), 1))[0]
    lines = first.head.decode("utf-8", "replace").splitlines()
    comment = next((line.lstrip()[0] for line in lines if line.lstrip().startswith(COMMENTS)), "")
    if dialect.separator == BLANKS and any("  " in line.strip() or "\t" in line for line in lines if line.strip()):
        raise first.error("is separated by runs of blanks, which this engine does not read; separate ids by one comma")
    return EdgeFiles(files, name, where, dialect=dialect, comment=comment)


def _estimate_lines(source: Source) -> int:
    lines = source.head.count(b"\n")
    length = len(source.head) / lines if lines else len(source.head)
    return int(source.size * UNPACKED[source.compression] / max(length, 1.0)) + 1


def _shortage(needed: int, available: int) -> str:
    return f"about {size_in_words(needed)} are needed in memory and {size_in_words(available)} are available"


def _is_small(path: Path, available: int) -> bool:
    """Return whether a file fits whatever it contains."""
    return path.is_file() and path.stat().st_size * MOST_PACKED < SHARE * available


def _tabular_files(source: Any, columns: Sequence[str | int] | None, format: str | None) -> EdgeFiles | None:
    """Return the Parquet files or edge lists that a source stands for; None if it is something else."""
    from edgeorbit.data.heart import is_heart_directory
    from edgeorbit.data.loading import named_dataset
    from edgeorbit.graph.directory import is_graph_directory

    path = Path(source)
    if named_dataset(source) is not None or (path.is_dir() and (is_graph_directory(path) or is_heart_directory(path))):
        return None
    try:
        return find_edges(source, columns, format)
    except (DatasetNotFoundError, OSError):
        return None  # the reader reports what is wrong
    except EdgeorbitError:
        if not path.exists():  # a pattern, which no other reader knows
            raise
        return None
