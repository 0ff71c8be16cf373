"""Graphs from data frames: pandas, polars, pyarrow, and whatever else offers the Arrow PyCapsule interface."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading import parquet
from edgeorbit.graph.reading.node_ids import IdArray, LabelBlock, number_integers, number_labels


class _Frame(NamedTuple):
    """What errors call a frame, as `Source` does for a file."""

    shown: str

    def error(self, problem: str) -> GraphFormatError:
        return GraphFormatError(f"{self.shown}: {problem}")


def is_frame(source: Any) -> bool:
    """Return whether an object is a data frame.

    >>> import pyarrow
    >>> is_frame(pyarrow.table({"a": [1]})), is_frame([[0, 1]])
    (True, False)
    """
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")


def from_frame(
    frame: Any, columns: Sequence[str | int] | None = None, *, name: str = "graph", threads: int | None = None
) -> Graph:
    """Build a graph from a data frame with a row for every edge.

    Parameters
    ----------
    frame : pandas, polars or pyarrow data frame
        One row for every edge; other columns are ignored.
    columns : two names or places, optional
        The columns that hold the node ids; by default those with a usual pair of names (`source` and `target`, ...), or
        the only two.
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
    >>> from_frame(frame).node_names.tolist()
    ['ann', 'bob', 'cy']
    """
    import pyarrow as pa

    where: Any = _Frame(f"the {type(frame).__module__.partition('.')[0]} frame")
    names = [str(column) for column in (frame.column_names if isinstance(frame, pa.Table) else frame.columns)]
    chosen = parquet.choose_columns(where.shown, names, columns)
    pair = [names[place] for place in chosen]
    table = (frame if isinstance(frame, pa.Table) else pa.table(frame)).select(pair)
    are_text = [parquet.is_text(where, table.schema.field(place)) for place in range(2)]
    integers: list[IdArray] = []
    labels: list[LabelBlock] = []
    done = 0
    for batch in table.to_batches():
        values = batch.columns
        parquet.check_missing(where, values, pair, done)
        if any(are_text):
            labels.append(parquet.labels_of(where, values, pair, done))
        else:
            integers.append(parquet.integers_of(where, values, pair, done))
        done += batch.num_rows
    if not done:
        raise where.error("there are no rows; give a frame with at least one edge")
    numbered = number_labels(labels, where.shown) if any(are_text) else number_integers(integers)
    return numbered.to_graph(name, threads)
