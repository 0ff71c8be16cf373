"""The files that hold a graph's edges: one, several by a pattern, or a directory of them."""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeorbit.errors import DatasetNotFoundError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.reading.bounded_parquet import WAY_OUT
from edgeorbit.graph.reading.dialect import BLANKS, Dialect
from edgeorbit.graph.reading.formats import FORMATS, Columns, graph_name, recognise, strip_compression
from edgeorbit.graph.reading.lines import line_blocks
from edgeorbit.graph.reading.parquet import choose_columns, is_text
from edgeorbit.graph.reading.source import UNPACKED, Source, shown

TABULAR = ("parquet", "edgelist")
SUFFIXES = {suffix for kind in TABULAR for suffix in FORMATS[kind].suffixes}
COMMENTS = ("#", "%")


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
    """

    files: tuple[str, ...]
    name: str
    shown: str
    columns: tuple[str, str] | None = None
    are_text: bool = False
    dialect: Dialect | None = None
    comment: str = ""

    def identity(self) -> list[Any]:
        """Return what is different when the files or the columns are."""
        found = [Path(name).stat() for name in self.files]
        facts = [(name, one.st_size, one.st_mtime_ns) for name, one in zip(self.files, found, strict=True)]
        chosen = self.columns if self.dialect is None else self.dialect.columns
        return [*map(list, facts), list(chosen or ())]

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
    places = choose_columns(first.shown, schema.names, columns)
    are_text = [is_text(first, schema.field(place)) for place in places]
    chosen = (schema.names[places[0]], schema.names[places[1]])
    for other in map(Source, files[1:]):
        found = schema_of(other)
        if missing := [column for column in chosen if column not in found.names]:
            raise other.error(f"has no column {missing[0]!r}, only {', '.join(found.names)}")
        if [is_text(other, found.field(column)) for column in chosen] != are_text:
            raise other.error(f"its node ids are of another type than those of {first.shown}; write both as numbers")
    return EdgeFiles(files, name, where, columns=chosen, are_text=any(are_text))


def _edge_list(first: Source, files: tuple[str, ...], name: str, where: str, columns: Columns | None) -> EdgeFiles:
    dialect = next(line_blocks(first, columns, 1))[0]
    lines = first.head.decode("utf-8", "replace").splitlines()
    comment = next((line.lstrip()[0] for line in lines if line.lstrip().startswith(COMMENTS)), "")
    if dialect.separator == BLANKS and any("  " in line.strip() or "\t" in line for line in lines if line.strip()):
        raise first.error("is separated by runs of blanks, which this engine does not read; separate ids by one comma")
    return EdgeFiles(files, name, where, dialect=dialect, comment=comment)


def _estimate_lines(source: Source) -> int:
    lines = source.head.count(b"\n")
    length = len(source.head) / lines if lines else len(source.head)
    return int(source.size * UNPACKED[source.compression] / max(length, 1.0)) + 1
