"""The results of an experiment: one Parquet file of rows, and the columns that it may have."""

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit._files import InUseError, atomic_path, locked, make_directory
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.reading.parquet import read_columns
from edgeorbit.graph.reading.source import Source
from edgeorbit.measures.summary import SUMMARY_LABELS

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

SCHEMA = 1  # raised when an older version would misread the file
SCHEMA_KEY = b"edgeorbit results"
LOCK = "lock"
BYTES_PER_CELL = 64  # as Python objects
NEEDED = ("key", "data", "model", "seed", "negatives")
COMPLETE = (*NEEDED, "features")  # without empty cells, if they are there
TEXT = {
    *("key", "data", "model", "negatives", "features", "node_features", "failed", "version", "code", "made", "host"),
    *("settings_digest", "split_digest", "negatives_digest", "negatives_protocol"),
}
NUMBERS = {"seconds", "cell_seconds", "epochs", "covered", "train_ear", "colour_ear", *SUMMARY_LABELS}
DURATIONS = {"seconds", "cell_seconds"}
LARGEST = 1e15  # number: what pages draw are shares and seconds
FIGURES = ("test_", "valid_", "bound_")  # what the names of other columns with numbers begin with


class Store:
    """Rows in a Parquet file, which is replaced whole whenever a run is done: a kill loses no finished run.

    One process at a time writes it, inside `alone`. A file of 10,000 rows takes about a tenth of a second to replace.
    A file of an older form is read as it is; before it is written for the first time, a copy of it is kept beside it.

    Parameters
    ----------
    path
        The file; it need not exist yet.

    Raises
    ------
    GraphFormatError
        If the file is no table of results, or was written by a newer version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._table: pa.Table | None = None
        self._rows: list[Row] | None = None
        self._form = SCHEMA
        self._load()

    @property
    def side(self) -> Path:
        """The directory beside the file with the lock, and the checkpoints of unfinished runs."""
        return self.path.with_name(f"{self.path.name}.unfinished")

    @property
    def copy(self) -> Path:
        """Where a file of an older form is kept as it was."""
        return self.path.with_name(f"{self.path.stem}.form{self._form}{self.path.suffix}")

    @contextmanager
    def alone(self, *, wait: bool = False) -> Iterator[None]:
        """Keep other processes from writing the file, and read what they wrote before.

        Raises
        ------
        EdgeorbitError
            If another process is writing it, unless this one is to wait; or if it cannot be written.
        """
        try:
            with locked(self.side / LOCK, wait=wait):
                try:
                    self._load()
                    yield
                finally:
                    with suppress(OSError):
                        (self.side / LOCK).unlink()
                        self.side.rmdir()  # unless there are unfinished runs
        except InUseError:
            raise EdgeorbitError(
                f"{self.path}: another bench is running on these results; wait for it with --wait, or name another "
                "file with -o"
            ) from None

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        if self._rows is None:
            self._rows = [] if self._table is None else self._table.to_pylist()
        return self._rows

    @property
    def keys(self) -> set[str]:
        """The cells that have a row."""
        return set(self.column("key"))

    def column(self, name: str) -> list[Any]:
        """Return the values of a column, None in rows that have none."""
        if self._table is None:
            return []
        return self._table[name].to_pylist() if name in self._table.column_names else [None] * len(self._table)

    def _load(self) -> None:
        self._table, self._rows = self._read() if self.path.exists() else None, None

    def _read(self) -> "pa.Table":
        import pyarrow as pa

        if self.path.is_dir():
            raise GraphFormatError(f"{self.path}: is a directory; name a file in it")
        try:
            table = read_columns(
                Source(self.path), bytes_per_cell=BYTES_PER_CELL, way_out="name another file of results"
            )
            schema = int((table.schema.metadata or {}).get(SCHEMA_KEY, b"0"))
        except EdgeorbitError:
            raise
        except OSError as error:
            raise GraphFormatError(f"{self.path}: cannot be read ({error.strerror}); name another file") from None
        except ValueError as error:
            raise GraphFormatError(f"{self.path}: holds no results ({error}); name another file") from None
        if schema > SCHEMA:
            raise GraphFormatError(
                f"{self.path}: was written by a newer edgeorbit (form {schema}, this one knows {SCHEMA}); "
                "update edgeorbit, or name another file"
            )
        self._form = schema
        if not len(table):
            return empty_results()
        try:
            return checked(table)
        except (pa.ArrowException, ValueError) as error:
            raise GraphFormatError(f"{self.path}: is no table of results, {error}; name another file") from None

    def add(self, rows: list[Row]) -> None:
        """Add the rows of a cell, instead of older ones of the same cell, and write the file.

        Raises
        ------
        EdgeorbitError
            If the file cannot be written, for instance because the disk is full; it is as it was.
        """
        import pyarrow as pa

        new = pa.Table.from_pylist(rows, pa.schema(_fields(rows)))
        if self._table is not None:
            old = self._without(self._table, {row["key"] for row in rows})
            new = pa.concat_tables([old, new], promote_options="permissive")
        self._replace(new)

    def remove(self, keys: Collection[str]) -> int:
        """Remove the rows of cells, and return how many they were.

        Raises
        ------
        EdgeorbitError
            If the file cannot be written; it is as it was.
        """
        if self._table is None:
            return 0
        kept = self._without(self._table, keys)
        removed = len(self._table) - len(kept)
        if removed:
            self._replace(kept)
        return removed

    @staticmethod
    def _without(table: "pa.Table", keys: Collection[str]) -> "pa.Table":
        import pyarrow as pa
        import pyarrow.compute as pc

        return table.filter(pc.invert(pc.is_in(table["key"], value_set=pa.array(sorted(keys), pa.string()))))

    def _replace(self, table: "pa.Table") -> None:
        """Write the file anew."""
        import pyarrow.parquet

        make_directory(self.path.parent)
        if self._form < SCHEMA and not self.copy.exists():
            with atomic_path(self.copy) as temporary:
                shutil.copyfile(self.path, temporary)
        table = table.replace_schema_metadata({SCHEMA_KEY: str(SCHEMA)})
        with atomic_path(self.path) as temporary:
            pyarrow.parquet.write_table(table, temporary, compression="zstd")
        self._table, self._rows, self._form = table, None, SCHEMA

    def query(self, sql: str) -> list[Row]:
        """Return what a question in SQL finds; the rows are the table `results`.

        It is answered by duckdb on a copy of the rows that cannot reach files, the network or settings, so that a
        question from somebody else does no harm.

        Raises
        ------
        InvalidParameterError
            If it is no SQL, or asks for what is not there.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as directory:
        ...     store = Store(Path(directory, "results.parquet"))
        ...     store.add([{"key": "a", "data": "karate", "model": "ra", "seed": 0, "negatives": "random"}])
        ...     store.query("SELECT model, count(*) AS runs FROM results GROUP BY model")
        [{'model': 'ra', 'runs': 1}]
        """
        import duckdb

        with duckdb.connect(":memory:") as connection:
            connection.register("given", empty_results() if self._table is None else self._table)
            connection.execute("CREATE TABLE results AS SELECT * FROM given")
            connection.unregister("given")
            for setting in ("python_enable_replacements", "enable_external_access"):
                connection.execute(f"SET {setting} = false")
            connection.execute("SET lock_configuration = true")
            try:
                found = connection.execute(sql)
                names = [column[0] for column in found.description or []]
                return [dict(zip(names, values, strict=True)) for values in found.fetchall()]
            except duckdb.Error as error:
                reason = " ".join(str(error).split())
                raise InvalidParameterError(f"{sql}: {reason}") from None


def _fields(rows: list[Row]) -> "list[pa.Field[Any]]":
    """Return a field for every column, of the first value's type that there is."""
    import pyarrow as pa

    names = dict.fromkeys(name for row in rows for name in row)
    return [pa.field(name, pa.array([row.get(name) for row in rows]).type) for name in names]


def empty_results() -> "pa.Table":
    """Return a table of no results."""
    import pyarrow as pa

    return pa.table({name: pa.array([], pa.int64() if name == "seed" else pa.string()) for name in NEEDED})


def checked(table: "pa.Table") -> "pa.Table":
    """Return a table of results with the types that this package writes, whoever wrote it.

    Raises
    ------
    ValueError
        If a column is missing, is there twice, or holds something else; the message names it. Arrow raises it too, for
        values that do not fit.
    """
    import pyarrow as pa

    names = table.column_names
    missing = next((name for name in NEEDED if name not in names), None)
    if missing is not None:
        raise ValueError(f"there is no column {missing!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"there are two columns {shown(max(names, key=names.count))!r}")
    table.validate(full=True)
    for place, field in enumerate(table.schema):
        kind = _type_of(field)
        if kind != field.type:
            column = table.column(place).cast(kind)
            table = table.set_column(place, field.with_type(kind), column)
        if field.name in COMPLETE and table.column(place).null_count:
            raise ValueError(f"a value of the column {field.name!r} is missing")
        if field.name != "seed" and kind in (pa.int64(), pa.float64()):
            _check_numbers(field.name, table.column(place))
    return table


def _check_numbers(name: str, column: "pa.ChunkedArray[pa.DoubleScalar]") -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    lowest, highest = (0.0 if name in DURATIONS else -LARGEST), LARGEST
    numbers = column.cast(pa.float64(), safe=False)
    inside = pc.and_(pc.greater_equal(numbers, lowest), pc.less_equal(numbers, highest))
    if not pc.all(inside, min_count=0).as_py():
        raise ValueError(f"the column {shown(name)!r} holds a value outside {lowest:g} to {highest:g}")


def _type_of(field: "pa.Field[pa.DataType]") -> "pa.DataType":
    """Return the type that a column should have."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if pa.types.is_null(kind):
        return kind
    if field.name in TEXT:
        wanted, fits = "text", is_text
    elif field.name == "seed":
        wanted, fits = "whole numbers", pa.types.is_integer(kind)
    elif field.name in NUMBERS or field.name.startswith(FIGURES):
        wanted, fits = "numbers", is_number
    else:
        wanted, fits = "text, numbers or truth values", is_text or is_number or pa.types.is_boolean(kind)
    if not fits:
        raise ValueError(f"the column {shown(field.name)!r} holds {shown(field.type)}, not {wanted}")
    if pa.types.is_boolean(kind):
        return kind
    return pa.string() if is_text else pa.int64() if pa.types.is_integer(kind) else pa.float64()
