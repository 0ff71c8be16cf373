"""Parquet files: two columns of node ids for a graph, or any columns of numbers and text.

Files are read in batches, in which repeated text stays once, so that the text of a small file cannot fill the memory.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeorbit._memory import require_memory
from edgeorbit._parallel import resolve_threads
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.delimited import well_known_pair
from edgeorbit.graph.reading.node_ids import (
    MAX_ID,
    IdArray,
    LabelBlock,
    Numbered,
    compact,
    memory_of_labels,
    number_integers,
    number_labels,
)
from edgeorbit.graph.reading.read import Columns
from edgeorbit.graph.reading.source import Source

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 21
BYTES_PER_ROW = 44  # two ids of 8 bytes, and what numbering the nodes and building the graph take
WAY_OUT_IDS = "give whole numbers from 0, or text"
TEXT_ROWS = 1 << 16  # at most in a batch with text, whose length is unknown before it is read
TEXT_BYTES = 1 << 26
WAY_OUT = "check that the file is complete, or write it again"


def read_parquet(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
    """Read the edges of a Parquet file."""
    with open_parquet(source) as table:
        numbered = _read(source, table, columns, threads)
    return numbered.to_graph(name, threads)


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


def choose_columns(where: str, names: list[str], columns: Sequence[str | int] | None) -> tuple[int, int]:
    """Return the places of the two columns that hold the node ids.

    Parameters
    ----------
    where
        What errors call the table.
    names
        All its columns.
    columns
        Those that the caller chose, by name or place; None for the pair that is called as usual, or the only one.

    >>> choose_columns("links.parquet", ["weight", "source", "target"], None)
    (1, 2)
    """
    listing = shown(", ".join(names), 200)
    if len(names) < 2:
        raise GraphFormatError(f"{where}: the only column is {listing or 'none'}; give two columns of node ids")
    if columns is None:
        found = well_known_pair(names) or ((0, 1) if len(names) == 2 else None)
        if found is None:
            raise GraphFormatError(f"{where}: it is not clear which columns hold the node ids; choose two of {listing}")
    else:
        if len(columns) != 2:
            raise InvalidParameterError(
                f"{where}: columns must name two columns, got {len(columns)}; choose two of {listing}"
            )
        first, second = (_place(where, names, column, listing) for column in columns)
        found = (first, second)
    duplicates = [names[i] for i in found if names.count(names[i]) > 1]
    if duplicates or found[0] == found[1]:
        raise GraphFormatError(f"{where}: two columns have the same name; rename one of {listing}")
    return found


def is_text(source: Source, field: "pa.Field") -> bool:
    """Tell whether a column holds names rather than whole numbers."""
    from pyarrow import types

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if is_text_type(kind):
        return True
    if types.is_integer(kind):
        return False
    raise source.error(f"column {shown(field.name)!r} is of type {shown(field.type)}; {WAY_OUT_IDS}")


def _read(source: Source, table: "pq.ParquetFile", columns: Columns | None, threads: int | None) -> Numbered:
    rows = table.metadata.num_rows
    schema = table.schema_arrow
    chosen = choose_columns(source.shown, schema.names, columns)
    are_text = [is_text(source, schema.field(i)) for i in chosen]
    if rows == 0:
        raise source.error("there are no rows; give a file with at least one edge")
    names = [schema.names[i] for i in chosen]
    require_memory(source.shown, rows * BYTES_PER_ROW)
    integers: list[IdArray] = []
    labels: list[LabelBlock] = []
    done = 0
    batch_rows = rows_at_once(table) if any(are_text) else BATCH_ROWS
    for batch in table.iter_batches(batch_rows, columns=names, use_threads=resolve_threads(threads) > 1):
        pair = [batch.column(batch.schema.get_field_index(column)) for column in names]
        check_missing(source, pair, names, done)
        if any(are_text):
            labels.append(labels_of(source, pair, names, done))
            require_memory(source.shown, memory_of_labels(labels))
        else:
            integers.append(integers_of(source, pair, names, done))
        done += batch.num_rows
        source.report(int(source.size * (done / rows)))
    return number_labels(labels, source.shown) if any(are_text) else number_integers(integers)


def _place(where: str, names: list[str], column: str | int, listing: str) -> int:
    if isinstance(column, int) and column < len(names):
        return column
    if isinstance(column, str) and column in names:
        return names.index(column)
    raise InvalidParameterError(f"{where}: there is no column {shown(column)!r}; choose two of {listing}")


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
