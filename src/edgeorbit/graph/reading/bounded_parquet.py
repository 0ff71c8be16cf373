"""Parquet files read in batches in which repeated text stays once, so that no text of a small file fills the memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import Source, shown

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

TEXT_ROWS = 1 << 16  # at most in a batch with text, whose length nobody knows before it is read
TEXT_BYTES = 1 << 26
WAY_OUT = "check that the file is complete, or write it again"


@contextmanager
def open_parquet(source: Source, way_out: str = WAY_OUT) -> "Iterator[pq.ParquetFile]":
    """Open a Parquet file whose text is read as dictionaries; what fails in the block becomes one sentence."""
    import pyarrow.parquet as pq

    with source.open_seekable() as file, source.wrapping("Parquet file", way_out):
        fields = list(pq.ParquetFile(file).schema_arrow)
        texts = [field.name for field in fields if is_text(field.type)]
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


def is_text(kind: Any) -> bool:
    """Tell whether a type is text, in a dictionary or not."""
    from pyarrow import types

    plain = _plain_type(kind)
    return bool(types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain))


def _plain_type(kind: Any) -> Any:
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    plain = _plain_type(kind)
    return is_text(kind) or types.is_null(plain) or (types.is_primitive(plain) and not types.is_dictionary(plain))


def _decoded_bytes(column: "pa.Array") -> int:
    """Return what a column takes when every row has its own text."""
    import pyarrow.compute as pc
    from pyarrow import types

    if not (types.is_dictionary(column.type) and is_text(column.type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0) + 8 * len(column)
