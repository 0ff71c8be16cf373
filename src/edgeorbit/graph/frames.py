"""Graphs from data frames: pandas, polars, pyarrow, and whatever else offers the Arrow PyCapsule interface."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.parquet import TableColumns, read_batches


class _Frame(NamedTuple):
    """What errors call a frame, as `Source` does for a file."""

    shown: str
    size: int = 0

    def error(self, problem: str) -> GraphFormatError:
        return GraphFormatError(f"{self.shown}: {problem}")

    def report(self, done: int) -> None:
        """Nobody waits for what is in memory."""


def is_frame(source: Any) -> bool:
    """Return whether an object is a data frame.

    >>> import pyarrow
    >>> is_frame(pyarrow.table({"a": [1]})), is_frame([[0, 1]])
    (True, False)
    """
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")


def from_frame(
    frame: Any,
    columns: Sequence[str | int] | None = None,
    *,
    weight: str | int | None = None,
    time: str | int | None = None,
    name: str = "graph",
    threads: int | None = None,
) -> Graph:
    """Build a graph from a data frame with a row for every edge.

    Parameters
    ----------
    frame : pandas, polars or pyarrow data frame
        One row for every edge; other columns are ignored.
    columns : two names or places, optional
        The columns that hold the node ids; by default those that are called like the ends of links (`source` and
        `target`, `payer` and `payee`, ...), or the only two that can hold node ids.
    weight, time : name or place, optional
        The columns of weights and of times; see `edgeorbit.read_graph`.
    name : str
        What the graph is called.

    Raises
    ------
    GraphFormatError
        If it is not clear which columns hold the node ids, or an id is missing, negative or neither integer nor text.

    Examples
    --------
    >>> import pyarrow
    >>> frame = pyarrow.table({"amount": [3.5, 1.0], "source": ["ann", "bob"], "target": ["bob", "cy"]})
    >>> from_frame(frame, weight="amount").edge_weight.tolist()
    [3.5, 1.0]
    """
    import pyarrow as pa

    where = _Frame(f"the {type(frame).__module__.partition('.')[0]} frame")
    table = frame if isinstance(frame, pa.Table) else _as_table(frame)
    options = ReadOptions.of(weight=weight, time=time)
    if columns is not None:  # whose number is checked with the names at hand
        found = tuple(columns) if isinstance(columns, Iterable) else (columns,)
        options = replace(options, columns=found)  # type: ignore[arg-type]
    chosen = TableColumns.choose(where, table.schema, options)
    report = replace(chosen.report, file=where.shown, format="frame")
    if not table.num_rows:
        raise where.error("there are no rows; give a frame with at least one edge")
    batches = table.select(chosen.names).to_batches()
    return read_batches(where, batches, table.num_rows, chosen._replace(report=report), name, threads)


def _as_table(frame: Any) -> Any:
    """Return a frame as a table of Arrow; columns that Arrow cannot hold become columns of nothing."""
    import pyarrow as pa

    try:
        return pa.table(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        names = [str(column) for column in frame.columns]
        arrays = [_as_array(frame.iloc[:, place]) for place in range(len(names))] if hasattr(frame, "iloc") else None
        if arrays is None:
            raise
        return pa.table(arrays, names)


def _as_array(column: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.nulls(len(column))
