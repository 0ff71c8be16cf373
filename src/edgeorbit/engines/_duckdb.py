"""DuckDB as an engine: embedded, out of core, with a limit of memory and a directory to spill to."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgeorbit._files import atomic_path
from edgeorbit._parallel import resolve_threads
from edgeorbit.engines._database import WHOLE, NotWholeNumbersError, Salts, Slice, most_slices
from edgeorbit.engines._sources import EdgeFiles
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError

SMALLEST_LIMIT = 50 * 10**6  # bytes with which a thread can join, group and write at all
LIMIT_PER_THREAD = 128 * 10**6  # with less each, joins of many groups end for want of memory instead of spilling
BYTES_PER_ROW = 64  # of a hash table: key, hash value, pointer and what is carried or summed
TABLES_AT_ONCE = 4  # hash tables that a query of several joins and groups has at a time
UNITS = {"": 10**9, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
PARQUET = "FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880"


def parse_size(text: str) -> int:
    """Return the bytes of a size as people write it; a bare number counts gigabytes.

    >>> parse_size("1GB"), parse_size("512 MiB"), parse_size("0.5")
    (1000000000, 536870912, 500000000)
    """
    match = re.fullmatch(r"\s*(\d++\.?\d*+|\.\d++)\s*+([A-Za-z]*+)\s*+", text)
    if match is None or match[2].upper() not in UNITS:
        raise InvalidParameterError(f"{text!r} is no size of memory; write it as 1GB or 500MB")
    return int(float(match[1]) * UNITS[match[2].upper()])


class OutOfMemoryError(LimitExceededError):
    """A query needs more memory than there may be."""


class DuckDB:
    """A connection to an embedded database that holds nothing itself: its tables are Parquet files.

    Parameters
    ----------
    spill
        Where joins and groups go that do not fit.
    memory_limit
        Bytes; by default DuckDB's own, four fifths of the machine's.
    threads
        Number of threads; by default one per core, or as many as the memory suffices for.
    """

    name = "duckdb"

    def __init__(self, spill: Path, memory_limit: int | None = None, threads: int | None = None) -> None:
        import duckdb

        if memory_limit is not None and memory_limit < SMALLEST_LIMIT:
            raise InvalidParameterError(
                f"a memory limit of {_megabytes(memory_limit)} is too small to start; "
                f"give at least {_megabytes(SMALLEST_LIMIT)}"
            )
        count = resolve_threads(threads)
        if memory_limit is not None:
            count = max(1, min(count, memory_limit // LIMIT_PER_THREAD))
        self._limit, self._spill = memory_limit, spill
        self._slices: dict[str, int] = {}  # how many the last table of a name needed
        config: dict[str, Any] = {
            "temp_directory": str(spill),
            "threads": count,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
        }
        if memory_limit is not None:
            config["memory_limit"] = f"{memory_limit}B"
        with self._one_sentence():
            self._connection = duckdb.connect(":memory:", config=config)
            self._connection.execute("SET enable_progress_bar = false")

    def define(self, view: str, tables: list[Path]) -> None:
        """Let a name stand for the rows of Parquet tables."""
        files = [file for table in tables for file in (sorted(table.iterdir()) if table.is_dir() else [table])]
        self.define_as(view, f"SELECT * FROM read_parquet([{', '.join(_quoted(str(file)) for file in files)}])")

    def define_as(self, view: str, query: str) -> None:
        """Let a name stand for a query."""
        with self._one_sentence():
            self._connection.execute(f"CREATE OR REPLACE VIEW {view} AS {WHOLE.of(query)}")

    def fits(self, rows: int) -> bool:
        """Tell whether hash tables of so many rows are within the limit."""
        return self._limit is None or rows * BYTES_PER_ROW * TABLES_AT_ONCE <= self._limit

    @contextmanager
    def steps(self, queries: dict[str, str], rows: int) -> Iterator[None]:
        """Let names stand for queries; where memory is short, for their rows in the spill directory.

        Joins and groups of one query compete for memory, and DuckDB gives up although each of them could spill.
        """
        if self.fits(rows):
            for view, query in queries.items():
                self.define_as(view, query)
            yield
            return
        with self._one_sentence():
            self._spill.mkdir(parents=True, exist_ok=True)
            place = tempfile.TemporaryDirectory(prefix="steps-", dir=self._spill)
        with place as directory:
            for view, query in queries.items():
                table = Path(directory, f"{view}.parquet")
                self.write(table, query)
                self.define(view, [table])
            yield

    def write(self, table: Path, query: str) -> None:
        """Write the rows of a query as a Parquet file, or in slices as a directory of them."""
        kind, most = table.stem.split("-")[0], most_slices(query)
        count = min(self._slices.get(kind, 1), most)
        pending = [Slice(count, number) for number in range(count)]
        while pending:
            one = pending[0]
            if one.count > 1:
                table.mkdir(exist_ok=True)
            file = table if one.count == 1 else table / f"{one.number}-of-{one.count}.parquet"
            try:
                self._copy(one.of(query), file)
            except OutOfMemoryError:
                file.unlink(missing_ok=True)
                if one.count == most:
                    raise
                pending = [half for slice in pending for half in slice.halves()]
                self._slices[kind] = 2 * one.count
            else:
                del pending[0]

    def _copy(self, query: str, file: Path) -> None:
        with self._one_sentence():
            self._connection.execute(f"COPY ({query}) TO {_quoted(str(file))} ({PARQUET})")

    def fetch(self, query: str) -> tuple[Any, ...]:
        """Return the first row of a query."""
        with self._one_sentence():
            row: tuple[Any, ...] | None = self._connection.execute(WHOLE.of(query)).fetchone()
        return row or ()

    def read_edges(self, source: EdgeFiles, *, as_text: bool) -> None:
        """Let `raw` stand for the pairs of node ids of the files."""
        files = f"[{', '.join(map(_quoted, source.files))}]"
        kind = "VARCHAR" if as_text else "BIGINT"
        if source.dialect is None:
            if source.are_text and not as_text:
                raise NotWholeNumbersError
            a, b = (_identifier(name) for name in source.columns or ())
            table = f"read_parquet({files})"
        else:
            a, b = (f"c{place}" for place in source.dialect.columns)
            types = {f"c{i}": kind if i in source.dialect.columns else "VARCHAR" for i in range(source.dialect.width)}
            columns = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in types.items())
            comment = f", comment = {_quoted(source.comment)}" if source.comment else ""
            table = (
                f"read_csv({files}, auto_detect = false, delim = {_quoted(source.dialect.separator)}, quote = '\"', "
                f"escape = '\"', header = {source.dialect.has_header}, columns = {{{columns}}}{comment})"
            )
        trim = "trim" if as_text else ""
        self.define_as("raw", f"SELECT {trim}({a})::{kind} AS a, {trim}({b})::{kind} AS b FROM {table}")

    def hashes(self, column: str, salts: Salts) -> tuple[str, str]:
        """Return two hash values that are mixed apart: one of the colour, one of a hash value of it."""
        return (
            f"hash(xor({column}::UBIGINT, {salts[0]}::UBIGINT))",
            f"hash(xor(hash({column}::UBIGINT), {salts[1]}::UBIGINT))",
        )

    def total(self, column: str) -> str:
        """Return the expression for a sum modulo 2^64; DuckDB adds in 128 bits."""
        return f"(sum({column}) & 18446744073709551615::HUGEINT)::UBIGINT"

    def sorted_list(self, column: str) -> str:
        """Return the expression for the ascending list of a group's values."""
        return f"list_sort(list({column}))"

    def row_id(self) -> str:
        """Return the expression for the number of a row: those of a slice have its remainder."""
        return "((row_number() OVER () - 1) * slices() + slice())"

    def export(self, target: Path, query: str) -> None:
        """Write a Parquet file for the user."""
        with atomic_path(target) as temporary:
            self.write(temporary, query)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.ConversionException:
            raise NotWholeNumbersError from None
        except (duckdb.OutOfMemoryException, duckdb.IOException, OSError) as error:
            raise self._shortage(str(error)) from None
        except duckdb.InvalidInputException as error:
            if "onver" in str(error) and "CSV" in str(error):
                raise NotWholeNumbersError from None
            raise GraphFormatError(f"DuckDB cannot read the edges ({_first_line(error)}); check the file") from None
        except duckdb.Error as error:
            raise EdgeorbitError(f"DuckDB stopped ({_first_line(error)}); the last complete round is kept") from None

    def _shortage(self, message: str) -> EdgeorbitError:
        """Return the sentence for a lack of memory or of disk, or for a disk that fails."""
        if "No space left" in message or "File too large" in message or "max_temp_directory_size" in message:
            return LimitExceededError(
                f"the disk is full (spill directory {self._spill}); free some space or give another with --spill and "
                "--work, and go on from the last complete round"
            )
        limit = "the machine's memory" if self._limit is None else f"a memory limit of {_megabytes(self._limit)}"
        if "Out of Memory" in message or "memory" in message.lower():
            return OutOfMemoryError(f"{limit} is too small for this graph; give a larger --memory-limit")
        return EdgeorbitError(f"DuckDB cannot read or write a file ({message.splitlines()[0]}); check the disk")


def _megabytes(number: int) -> str:
    return f"{number / 10**6:g}MB"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200]
