"""Spark as an engine: DataFrames over whatever path or table it reads, on one machine or on a cluster.

The work directory is where driver and executors meet. Each table is written before it is used, so that an executor
that dies costs its tasks and no more, and the plan of round 200 is as short as that of round 2.
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgeorbit._text import shown
from edgeorbit.engines._database import WHOLE, NotWholeNumbersError, Salts
from edgeorbit.engines._sources import EdgeFiles, find_edges
from edgeorbit.engines._spark_session import LOCAL, require_spark, start_session
from edgeorbit.engines._work import LOG
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError
from edgeorbit.graph.reading.parquet import choose_columns

WHOLE_NUMBERS, TEXT = ("tinyint", "smallint", "int", "bigint"), ("string",)
TABLE_NAME = re.compile(r"\w+(\.\w+){0,2}")
# Sums of hash values go round at 2^64, which the ANSI mode forbids.
SETTINGS = {"spark.sql.ansi.enabled": "false", "spark.sql.parquet.compression.codec": "snappy"}
PARTITIONS = "spark.sql.shuffle.partitions"
PARTITION_BYTES = 2**24  # of a stored table; what a task makes of so much is some hundred megabytes


@dataclass(frozen=True)
class SparkEdges:
    """A DataFrame with two columns of node ids, or the address or table where Spark finds one."""

    frame: Any
    columns: tuple[str, str]
    are_text: bool
    name: str
    shown: str

    def identity(self) -> list[Any]:
        """Return what is different when the source or the columns are."""
        return [self.shown, list(self.columns)]


class Spark:
    """A session beside the user's own, with settings and names of its own.

    Parameters
    ----------
    session
        A classic session (not Spark Connect).
    stops
        Whether the application ends with us.
    place
        The work directory.
    """

    name = "spark"

    def __init__(self, session: Any, place: Path, *, stops: bool) -> None:
        if not hasattr(session, "newSession") or not hasattr(session, "_jsparkSession"):
            raise InvalidParameterError("the session is one of Spark Connect; give a classic one, or a master")
        self._owner, self._stops, self._place = session, stops, place
        with self._one_sentence():
            self._session = session.newSession()
        self._schemas: dict[Path, Any] = {}  # of the tables written here
        self._defined: dict[str, list[Path]] = {}  # views that stand for tables
        for key, value in SETTINGS.items():
            self._session.conf.set(key, value)

    @classmethod
    def connect(cls, master: str | None, session: Any, place: Path, *, has_work: bool) -> "Spark":
        """Use a session that exists, or start one on a master."""
        if session is not None and master is not None:
            raise InvalidParameterError("give a Spark session or a master, not both")
        where = master if session is None else session.sparkContext.master
        if where is not None and not where.startswith(LOCAL) and not has_work:
            raise InvalidParameterError(
                f"on {where} give a work directory that driver and executors share, with --work DIR"
            )
        if session is not None:
            return cls(session, place, stops=False)
        require_spark()
        running = _running_session()
        if running is not None and master is not None:
            raise InvalidParameterError(
                f"a Spark session on {running.sparkContext.master} is running in this process; give it as session, or "
                "stop it first"
            )
        if running is not None:
            return cls.connect(None, running, place, has_work=has_work)
        return cls(start_session(master, place / LOG), place, stops=True)

    def find(
        self, source: Any, columns: Sequence[str | int] | None = None, format: str | None = None
    ) -> "EdgeFiles | SparkEdges":
        """Return where the edges are: files of this machine, or what Spark finds under that name."""
        if hasattr(source, "sparkSession"):
            frame, name, where = source, "dataframe", "the DataFrame"
        else:
            text = os.fspath(source)
            is_address = "://" in text
            if not is_address and not self._is_table(text):
                return find_edges(text, columns, format)
            name, where = re.split(r"[/.]", text.rstrip("/"))[-1], shown(text, 400)
            with self._one_sentence():
                reader = self._owner.read
                frame = reader.load(text, format=format or "parquet") if is_address else reader.table(text)
        (source_at, target_at), _ = choose_columns(where, frame.columns, columns)
        chosen = frame.columns[source_at], frame.columns[target_at]
        kinds = dict(frame.dtypes)
        for column in chosen:
            if kinds[column] not in WHOLE_NUMBERS + TEXT:
                raise GraphFormatError(
                    f"{where}: column {shown(column)!r} is of type {kinds[column]}; give whole numbers from 0, or text"
                )
        are_text = any(kinds[column] in TEXT for column in chosen)
        return SparkEdges(frame, chosen, are_text, name, where)

    def _is_table(self, name: str) -> bool:
        if Path(name).exists() or TABLE_NAME.fullmatch(name) is None:
            return False
        return bool(self._owner.catalog.tableExists(name))

    def define(self, view: str, tables: list[Path]) -> None:
        """Let a name stand for the rows of Parquet tables."""
        if self._defined.get(view) == tables:
            return
        with self._one_sentence():
            reader = self._session.read
            schema = self._schemas.get(tables[0])
            if schema is not None:  # to look for it in the files would be a job of its own
                reader = reader.schema(schema)
            reader.parquet(*(table.absolute().as_uri() for table in tables)).createOrReplaceTempView(view)
        self._divide(sum(part.stat().st_size for table in tables for part in table.glob("*.parquet")))
        self._defined[view] = tables

    def _divide(self, size: int) -> None:
        """Let what is joined and grouped be divided into so many parts that each fits into the memory of a task."""
        with suppress(ValueError):  # there are clusters that find the number by themselves, and say so by a word
            if (parts := math.ceil(size / PARTITION_BYTES)) > int(self._session.conf.get(PARTITIONS)):
                self._session.conf.set(PARTITIONS, str(parts))

    def define_as(self, view: str, query: str) -> None:
        """Let a name stand for a query."""
        self._defined.pop(view, None)
        with self._one_sentence():
            self._session.sql(WHOLE.of(query)).createOrReplaceTempView(view)

    def fits(self, rows: int) -> bool:
        """Return True: Spark divides its work among executors and spills by itself."""
        return True

    @contextmanager
    def steps(self, queries: dict[str, str], rows: int) -> Iterator[None]:
        """Let names stand for queries."""
        for view, query in queries.items():
            self.define_as(view, query)
        yield

    def write(self, table: Path, query: str) -> None:
        """Write the rows of a query as a Parquet table."""
        with self._one_sentence():
            rows = self._session.sql(WHOLE.of(query))
            rows.write.parquet(table.absolute().as_uri())
            self._schemas[table] = rows.schema

    def fetch(self, query: str) -> tuple[Any, ...]:
        """Return the first row of a query."""
        with self._one_sentence():
            return tuple(self._session.sql(WHOLE.of(query)).collect()[0])

    def read_edges(self, source: "EdgeFiles | SparkEdges", *, as_text: bool) -> None:
        """Let `raw` stand for the pairs of node ids of the source."""
        if source.columns is not None and source.are_text and not as_text:
            raise NotWholeNumbersError
        kind = "STRING" if as_text else "BIGINT"
        with self._one_sentence():
            if isinstance(source, SparkEdges):
                # The user's session has settings of its own: it hands over its rows once, as they are.
                raw, (a, b) = self._place / "raw-000000.parquet", source.columns
                rows = source.frame.selectExpr(f"CAST({_name(a)} AS {kind}) AS a", f"CAST({_name(b)} AS {kind}) AS b")
                rows.write.mode("overwrite").parquet(raw.absolute().as_uri())
                frame, a, b = self._session.read.parquet(raw.absolute().as_uri()), "a", "b"
            else:
                frame, a, b = self._read_files(source, kind)
            self._divide(int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())))
            trim = "trim" if as_text else ""
            frame.selectExpr(
                f"CAST({trim}({_name(a)}) AS {kind}) AS a", f"CAST({trim}({_name(b)}) AS {kind}) AS b"
            ).createOrReplaceTempView("raw")

    def _read_files(self, source: EdgeFiles, kind: str) -> tuple[Any, str, str]:
        paths = [Path(name).absolute().as_uri() for name in source.files]
        if source.dialect is None:
            a, b = source.columns or ("", "")
            return self._session.read.parquet(*paths), a, b
        dialect = source.dialect
        schema = ", ".join(f"c{i} {kind if i in dialect.columns else 'STRING'}" for i in range(dialect.width))
        options = {"sep": dialect.separator, "header": dialect.has_header, "mode": "FAILFAST", "enforceSchema": True}
        if source.comment:
            options["comment"] = source.comment
        a, b = (f"c{place}" for place in dialect.columns)
        return self._session.read.schema(schema).options(**options).csv(paths), a, b

    def hashes(self, column: str, salts: Salts) -> tuple[str, str]:
        """Return two hash values; the salt comes first and is the seed that the colour is mixed with."""
        return f"xxhash64({salts[0]}L, {column})", f"xxhash64({salts[1]}L, {column})"

    def total(self, column: str) -> str:
        """Return the expression for a sum modulo 2^64."""
        return f"sum({column})"

    def sorted_list(self, column: str) -> str:
        """Return the expression for the ascending list of a group's values."""
        return f"sort_array(collect_list({column}))"

    def row_id(self) -> str:
        """Return the expression for a number that no other row has; it is written down before it is used."""
        return "monotonically_increasing_id()"

    def export(self, target: Path, query: str) -> None:
        """Write a directory of Parquet files for the user."""
        with self._one_sentence():
            if target.exists():
                raise InvalidParameterError(f"{target}: exists; Spark writes the colours into a new directory")
            self._session.sql(query).write.parquet(target.absolute().as_uri())

    def close(self) -> None:
        """End the application if it is ours."""
        if self._stops:
            self._stops = False
            self._owner.stop()

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        from py4j.protocol import Py4JError  # type: ignore[import-untyped]
        from pyspark.errors import PySparkException

        try:
            yield
        except (Py4JError, PySparkException, ConnectionError) as error:
            message = str(error)
            if "No space left" in message or "File too large" in message:
                raise LimitExceededError(
                    "the disk of Spark's work or spill directory is full; free some space, or set SPARK_LOCAL_DIRS to "
                    "another disk for what it spills, and go on from the last complete round"
                ) from None
            if "OutOfMemoryError" in message:
                raise LimitExceededError(
                    "Spark ran out of memory; give it more (on this machine SPARK_DRIVER_MEMORY=8g in the environment, "
                    "on a cluster spark.executor.memory), and go on from the last complete round"
                ) from None
            if "MALFORMED_RECORD" in message or "NumberFormatException" in message:
                raise NotWholeNumbersError from None
            if "PATH_NOT_FOUND" in message:
                raise GraphFormatError(f"Spark finds no such path ({_first_line(message)}); check it") from None
            raise EdgeorbitError(
                f"Spark stopped ({_first_line(message)}); with --work DIR it goes on from the last complete round"
            ) from None


def _running_session() -> Any:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # Not getActiveSession(), which knows only sessions that this very thread has started.
    return None if SparkContext._active_spark_context is None else SparkSession.builder.getOrCreate()


def _name(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _first_line(message: str) -> str:
    """Return Spark's own name and words for an error, else the exception at the bottom of it, else the first line."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    named = [line for line in lines if line.startswith("[")]
    causes = [line.removeprefix("Caused by:").strip() for line in lines if line.startswith("Caused by:")]
    return [*named[:1], *causes[-1:], *lines[:1], "no reason given"][0][:200]
