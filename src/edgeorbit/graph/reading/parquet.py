"""Parquet files: two columns of node ids for a graph, or any columns of numbers and text.

Files are read in batches, in which repeated text stays once, so that the text of a small file cannot fill the memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.read_report import ReadReport
from edgeorbit.graph.reading.columns import choose, place_of
from edgeorbit.graph.reading.node_ids import (
    MAX_ID,
    IdArray,
    LabelBlock,
    compact,
    join_labels,
    memory_of_labels,
    number_integers,
    number_labels,
)
from edgeorbit.graph.reading.options import Column, ReadOptions
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.values import BYTES_PER_VALUE, TimeColumn, WeightColumn

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 21
BYTES_PER_ROW = 44  # two ids of 8 bytes, and what numbering the nodes and building the graph take
WAY_OUT_IDS = "give whole numbers from 0, or text"
TEXT_ROWS = 1 << 16  # at most in a batch with text, whose length is unknown before it is read
TEXT_BYTES = 1 << 26
WAY_OUT = "check that the file is complete, or write it again"


def read_parquet(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read the edges of a Parquet file."""
    with open_parquet(source) as table:
        rows = table.metadata.num_rows
        chosen = TableColumns.choose(source, table.schema_arrow, options)
        if rows == 0:
            raise source.error("there are no rows; give a file with at least one edge")
        require_memory(source.shown, rows * BYTES_PER_ROW)
        size = rows_at_once(table) if chosen.as_text else BATCH_ROWS
        batches = table.iter_batches(size, columns=chosen.names, use_threads=resolve_threads(threads) > 1)
        return read_batches(source, batches, rows, chosen, name, threads)


class TableColumns(NamedTuple):
    """The columns of a table that are read: ids, and weights and times if they are wanted; and a report of that."""

    ids: tuple[str, str]
    more: dict[str, str]
    as_text: bool
    report: ReadReport

    @classmethod
    def choose(cls, source: Any, schema: "pa.Schema", options: ReadOptions) -> "TableColumns":
        """Choose the columns of a table with a schema; `source` names it in messages."""
        places, why = choose_columns(source.shown, schema.names, options.columns, kinds_of(schema))
        as_text = True in [is_text(source, schema.field(place)) for place in places]  # refused are both
        more = {}
        for what, column in (("weight", options.weight), ("time", options.time)):
            if column is not None:
                place = place_of(source.shown, schema.names, column)
                if place in places:
                    raise InvalidParameterError(
                        f"{source.shown}: column {shown(column)!r} holds node ids; choose another for {what}"
                    )
                more[what] = schema.names[place]
        ids = (schema.names[places[0]], schema.names[places[1]])
        ignored = tuple(name for name in schema.names if name not in (*ids, *more.values()))
        report = ReadReport(columns=ids, why=why, ignored=ignored, text_ids=as_text, **more)
        return cls(ids, more, as_text, report)

    @property
    def names(self) -> list[str]:
        """The names of all of them, each once."""
        return list(dict.fromkeys([*self.ids, *self.more.values()]))


def read_table_pairs(
    source: Source, options: ReadOptions
) -> tuple["pa.LargeStringArray", npt.NDArray[np.int32], ReadReport]:
    """Read the pairs of a Parquet file as text: the distinct ids, the places of each pair's, and what was read."""
    with open_parquet(source) as table:
        chosen = TableColumns.choose(source, table.schema_arrow, options)
        blocks: list[LabelBlock] = []
        done = 0
        for batch in table.iter_batches(rows_at_once(table), columns=chosen.names):
            pair = [batch.column(batch.schema.get_field_index(column)) for column in chosen.ids]
            check_missing(source, pair, [*chosen.ids], done)
            blocks.append(labels_of(source, pair, [*chosen.ids], done))
            require_memory(source.shown, memory_of_labels(blocks))
            done += batch.num_rows
    if not done:
        raise source.error("holds no pairs; give two node ids on each row")
    labels, codes = join_labels(blocks)
    return labels, codes, replace(chosen.report, file=source.shown, format="parquet")


def read_batches(
    source: Any, batches: "Iterable[pa.RecordBatch]", rows: int, chosen: TableColumns, name: str, threads: int | None
) -> Graph:
    """Build the graph of the rows of a table; `source` names it in messages, and receives the progress of reading."""
    import pyarrow as pa

    integers: list[IdArray] = []
    labels: list[LabelBlock] = []
    values: dict[str, list[npt.NDArray[Any]]] = {what: [] for what in chosen.more}
    parsers: dict[str, WeightColumn | TimeColumn] = {"weight": WeightColumn(None), "time": TimeColumn()}
    done = 0
    for batch in batches:
        pair = [batch.column(batch.schema.get_field_index(column)) for column in chosen.ids]
        check_missing(source, pair, [*chosen.ids], done)
        if chosen.as_text:
            labels.append(labels_of(source, pair, [*chosen.ids], done))
            memory = memory_of_labels(labels)
        else:
            integers.append(integers_of(source, pair, [*chosen.ids], done))
            memory = 0
        for what, column in chosen.more.items():
            cells = batch.column(batch.schema.get_field_index(column))
            found, bad, problem = parsers[what].parse(pa.chunked_array([_plain(cells)]))
            if bad.any():
                row = int(bad.argmax())
                raise source.error(f"row {done + row + 1}: {what} {shown(cells[row].as_py(), 40)!r} {problem}")
            values[what].append(found)
        done += batch.num_rows
        require_memory(source.shown, memory + BYTES_PER_VALUE * done * len(values))
        source.report(int(source.size * (done / rows)))
    numbered = number_labels(labels, source.shown) if chosen.as_text else number_integers(integers)
    arrays = {f"edge_{what}": np.concatenate(blocks) for what, blocks in values.items()}
    return numbered.to_graph(name, threads, read_report=chosen.report, **arrays)


def kinds_of(schema: "pa.Schema") -> list[str]:
    """Return what the columns of a table hold by their types, as `columns.kind_of` says it."""
    from pyarrow import types

    found = []
    for field in schema:
        plain = _plain_type(field.type)
        if is_text_type(field.type):
            found.append("text")
        elif types.is_integer(plain):
            found.append("whole")
        else:
            found.append("number" if types.is_floating(plain) or types.is_decimal(plain) else "time")
    return found


@contextmanager
def open_parquet(source: Source, way_out: str = WAY_OUT) -> "Iterator[pq.ParquetFile]":
    """Open a Parquet file whose text is read as dictionaries; what fails in the block becomes one sentence."""
    import pyarrow.parquet as pq

    with source.open_seekable() as file, source.wrapping("Parquet file", way_out):
        fields = list(pq.ParquetFile(file).schema_arrow)
        texts = [field.name for field in fields if is_text_type(field.type)]
        file.seek(0)
        yield pq.ParquetFile(file, read_dictionary=texts)


def read_columns(
    source: Source, columns: Sequence[str] | None = None, *, bytes_per_cell: int = 16, way_out: str = WAY_OUT
) -> "pa.Table":
    """Read columns of numbers and text from a Parquet file.

    Parameters
    ----------
    source
        The file.
    columns
        Their names; by default all.
    bytes_per_cell
        What the caller will make of a cell, beside its text.
    way_out
        What errors over a damaged file advise.

    Raises
    ------
    GraphFormatError
        If the file is not Parquet, a column is missing, or its cells are lists or the like.
    LimitExceededError
        If the table does not fit into memory.
    """
    import pyarrow as pa

    with open_parquet(source, way_out) as file:
        schema = file.schema_arrow
        names = list(schema.names) if columns is None else list(columns)
        for name in names:
            if schema.names.count(name) != 1:
                problem = "there is no column" if name not in schema.names else "there are several columns"
                raise source.error(f"{problem} {shown(name)!r}; the columns are {shown(', '.join(schema.names), 200)}")
            kind = schema.field(name).type
            if not _is_plain(kind):
                raise source.error(f"column {shown(name)!r} is of type {shown(kind)}; give numbers or text")
        require_memory(source.shown, bytes_per_cell * file.metadata.num_rows * len(names))
        batches, decoded = [], 0
        for batch in file.iter_batches(rows_at_once(file), columns=names):
            batches.append(batch)
            decoded += sum(map(_decoded_bytes, batch.columns))
            require_memory(source.shown, 2 * decoded)
        table = pa.Table.from_batches(
            batches, batches[0].schema if batches else pa.schema([schema.field(n) for n in names])
        )
        plain = [pa.field(field.name, _plain_type(field.type)) for field in table.schema]
        return table.cast(pa.schema(plain, schema.metadata)).select(names)


def rows_at_once(file: "pq.ParquetFile") -> int:
    """Return how many rows with text to read in a batch, so that the text of one is some megabytes.

    What the file says of its row groups is enough for that. What it says of columns would be exact, but Arrow ends the
    process over some damage there.
    """
    rows = max(1, file.metadata.num_rows)
    stated = sum(file.metadata.row_group(number).total_byte_size for number in range(file.metadata.num_row_groups))
    return min(TEXT_ROWS, max(1, int(TEXT_BYTES * rows / max(1, stated))))


def is_text_type(kind: Any) -> bool:
    """Tell whether a type is text, in a dictionary or not."""
    from pyarrow import types

    plain = _plain_type(kind)
    return bool(types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain))


def choose_columns(
    where: str, names: list[str], columns: Sequence[Column] | None, kinds: Sequence[str] | None = None
) -> tuple[tuple[int, int], str]:
    """Return the places of the two columns that hold the node ids, and why these.

    Parameters
    ----------
    where
        What errors call the table.
    names
        All its columns.
    columns
        Those that the caller chose, by name or place; None for the pair that is called as usual, or the only one.
    kinds
        What the columns hold, if their types are known.

    >>> choose_columns("links.parquet", ["weight", "source", "target"], None)
    ((1, 2), 'by name')
    """
    listing = shown(", ".join(names), 200)
    if len(names) < 2:
        raise GraphFormatError(f"{where}: the only column is {listing or 'none'}; give two columns of node ids")
    if columns is None:
        found, why = choose(where, names, kinds or ["text"] * len(names))
    else:
        if len(columns) != 2:
            raise InvalidParameterError(
                f"{where}: columns must name two columns, got {len(columns)}; choose two of {listing}"
            )
        found, why = (place_of(where, names, columns[0]), place_of(where, names, columns[1])), "as chosen"
    duplicates = [names[i] for i in found if names.count(names[i]) > 1]
    if duplicates or found[0] == found[1]:
        raise GraphFormatError(f"{where}: two columns have the same name; rename one of {listing}")
    return found, why


def is_text(source: Source, field: "pa.Field") -> bool:
    """Tell whether a column holds names rather than whole numbers."""
    from pyarrow import types

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if is_text_type(kind):
        return True
    if types.is_integer(kind):
        return False
    raise source.error(f"column {shown(field.name)!r} is of type {shown(field.type)}; {WAY_OUT_IDS}")


def check_missing(source: Source, pair: list["pa.Array"], names: list[str], done: int) -> None:
    """Refuse rows without a node id; `done` rows came before these."""
    import pyarrow.compute as pc

    for values, name in zip(pair, names, strict=True):
        if values.null_count or pc.any(pc.is_null(values)).as_py():
            row = done + pc.index(pc.is_null(values), True).as_py() + 1
            raise source.error(f"row {row} has no node id in column {shown(name)!r}; fill it in or delete the row")


def _plain(values: "pa.Array") -> "pa.Array":
    """Return values without a dictionary."""
    from pyarrow import types

    return values.dictionary_decode() if types.is_dictionary(values.type) else values


def integers_of(source: Source, pair: list["pa.Array"], names: list[str], done: int) -> IdArray:
    """Return two columns of whole numbers as an array of shape (2, k)."""
    arrays = [_plain(values).to_numpy(zero_copy_only=False) for values in pair]
    for array, name in zip(arrays, names, strict=True):
        bad = (array < 0) | (array > MAX_ID)
        if bad.any():
            row = int(bad.argmax())
            problem = "is negative" if array[row] < 0 else "does not fit into 64 bits"
            raise source.error(
                f"row {done + row + 1}: node id {array[row]} in column {shown(name)!r} {problem}; {WAY_OUT_IDS}"
            )
    return compact(np.stack([array.astype(np.int64, copy=False) for array in arrays]))


def labels_of(source: Source, pair: list["pa.Array"], names: list[str], done: int) -> LabelBlock:
    """Return two columns of text as their distinct labels and codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [_encoded(values) for values in pair]
    for values, name in zip(columns, names, strict=True):
        labels = values.dictionary
        labels.validate(full=True)  # text that is not UTF-8
        bad = pc.or_(pc.equal(labels, ""), pc.match_substring(labels, "\0")).fill_null(True)
        if pc.any(bad).as_py():
            row = done + pc.index(bad.take(values.indices), True).as_py() + 1
            raise source.error(f"row {row} has no usable node id in column {shown(name)!r}; fill it in")
    return LabelBlock.from_columns(*(pa.chunked_array([values]) for values in columns))


def _encoded(values: "pa.Array") -> Any:
    """Return values as a dictionary array of text, whose dictionary holds what occurs and nothing else."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(values.type) and is_text_type(values.type)):
        return _plain(values).cast(pa.large_string()).dictionary_encode()
    codes = values.indices.to_numpy()
    occurs = np.zeros(len(values.dictionary), bool)
    occurs[codes] = True
    labels = values.dictionary.take(pa.array(np.flatnonzero(occurs))).cast(pa.large_string())
    return pa.DictionaryArray.from_arrays(pa.array((np.cumsum(occurs) - 1)[codes].astype(np.int32)), labels)


def _plain_type(kind: Any) -> Any:
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    plain = _plain_type(kind)
    return is_text_type(kind) or types.is_null(plain) or (types.is_primitive(plain) and not types.is_dictionary(plain))


def _decoded_bytes(column: "pa.Array") -> int:
    """Return what a column takes when every row has its own text."""
    import pyarrow.compute as pc
    from pyarrow import types

    if not (types.is_dictionary(column.type) and is_text_type(column.type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0) + 8 * len(column)
