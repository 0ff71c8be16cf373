"""Damage to Parquet tables: types, nesting, names, rows and metadata."""

import io
import random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_VALUES: list[Any] = [
    None,
    -1,
    0,
    1,
    2**31,
    2**62,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "a" * 3000,
    "\x1b[31m",
    b"\xff",
    True,
]
_NAMES = ["", "key", "seed", "a.b", "\x1b[31m", "x" * 3000, "é", "source", "test_auc", "nan"]


def damage_parquet(rng: random.Random, content: bytes) -> bytes:
    """Return a Parquet file of a table to which one to three things were done."""
    table = pq.read_table(io.BytesIO(content))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            table = rng.choice(_CHANGES)(rng, table)
        except (pa.ArrowException, ValueError, TypeError, OverflowError, IndexError):
            continue
    file = io.BytesIO()
    try:
        pq.write_table(
            table,
            file,
            compression=rng.choice(("none", "snappy", "gzip", "zstd")),
            use_dictionary=rng.random() < 0.7,
            row_group_size=rng.choice((1, 3, 100_000)),
        )
    except (pa.ArrowException, ValueError, TypeError):
        return content
    return file.getvalue()


def _recast(rng: random.Random, table: pa.Table) -> pa.Table:
    """Give a column another type, with values of that type."""
    place, rows = rng.randrange(table.num_columns), len(table)
    old = table.column(place).to_pylist()
    makers = {
        "text": lambda: pa.array([str(value) for value in old]),
        "large text": lambda: pa.array([str(value) for value in old], pa.large_string()),
        "binary": lambda: pa.array([b"\xff\x00" + str(value).encode() for value in old]),
        "dictionary": lambda: pa.array([str(value) for value in old]).dictionary_encode(),
        "list": lambda: pa.array([[value] for value in old]),
        "lists": lambda: pa.array([[[value], []] for value in old]),
        "struct": lambda: pa.array([{"a": value} for value in old]),
        "map": lambda: pa.array([[("a", 1)]] * rows, pa.map_(pa.string(), pa.int64())),
        "null": lambda: pa.nulls(rows),
        "bool": lambda: pa.array([bool(value) for value in old]),
        "float": lambda: pa.array([rng.choice((0.5, 1.0, float("nan"), 1e300))] * rows),
        "small": lambda: pa.array([1] * rows, pa.int8()),
        "unsigned": lambda: pa.array([2**64 - 1] * rows, pa.uint64()),
        "date": lambda: pa.array([10] * rows, pa.date32()),
        "time": lambda: pa.array([2**62] * rows, pa.timestamp(rng.choice(("s", "ns")), rng.choice((None, "UTC")))),
        "decimal": lambda: pa.array([1] * rows).cast(pa.decimal128(38, 2)),
        "half": lambda: pa.array([1.0] * rows, pa.float32()),
        "fixed": lambda: pa.array([b"abc"] * rows, pa.binary(3)),
    }
    return table.set_column(place, table.column_names[place], makers[rng.choice(sorted(makers))]())


def _change_values(rng: random.Random, table: pa.Table) -> pa.Table:
    place = rng.randrange(table.num_columns)
    values = table.column(place).to_pylist()
    for _ in range(rng.choice((1, 1, 5, len(values)))):
        values[rng.randrange(len(values))] = rng.choice(_VALUES)
    field = table.schema.field(place)
    try:
        column = pa.array(values, field.type)
    except (pa.ArrowException, TypeError, OverflowError):
        column = pa.array([None if value is None else str(value) for value in values])
    return table.set_column(place, field.name, column)


def _rename(rng: random.Random, table: pa.Table) -> pa.Table:
    names = table.column_names
    names[rng.randrange(len(names))] = rng.choice((*_NAMES, *names))
    return table.rename_columns(names)


def _drop(rng: random.Random, table: pa.Table) -> pa.Table:
    return table.remove_column(rng.randrange(table.num_columns))


def _shuffle(rng: random.Random, table: pa.Table) -> pa.Table:
    return table.select(rng.sample(range(table.num_columns), table.num_columns))


def _append(rng: random.Random, table: pa.Table) -> pa.Table:
    return table.append_column(rng.choice(_NAMES), pa.array([rng.choice(_VALUES)] * len(table)))


def _change_rows(rng: random.Random, table: pa.Table) -> pa.Table:
    match rng.randrange(4):
        case 0:
            return table.slice(0, 0)
        case 1:
            return table.slice(rng.randrange(len(table)))
        case 2:
            return pa.concat_tables([table] * rng.choice((2, 20)))
        case _:
            return table.take(rng.sample(range(len(table)), len(table)))


def _change_metadata(rng: random.Random, table: pa.Table) -> pa.Table:
    known = dict(table.schema.metadata or {})
    key = rng.choice([*known, b"edgeorbit results", b"ARROW:schema", b"pandas"])
    return table.replace_schema_metadata(
        known | {key: rng.choice((b"", b"2", b"-1", b"x", b"1.5", b"\xff", b"9" * 5000))}
    )


_CHANGES = (
    _recast,
    _recast,
    _recast,
    _change_values,
    _change_values,
    _rename,
    _drop,
    _shuffle,
    _append,
    _change_rows,
    _change_metadata,
)
