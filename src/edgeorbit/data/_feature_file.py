"""Node features from a file of their own, for graphs whose file has none.

| file | content |
|---|---|
| npy | an array with a row for each node, in ascending order of the node ids |
| npz | such an array, called `x` if there are several, or a CSR matrix that `scipy.sparse.save_npz` wrote |
| Parquet, or text (CSV) | rows in any order: the node id, then numbers |
"""

import os
from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.npz_layout import features_from
from edgeorbit.graph.reading.columns import is_number
from edgeorbit.graph.reading.parquet import read_columns
from edgeorbit.graph.reading.read import recognise
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import StoredArray, StoredArrays, open_npy, open_npz

BYTES_PER_NUMBER = 8  # as 32 bits, and what is made of them
WAY_OUT = "give an npz, npy, CSV or Parquet file of numbers"


def read_feature_file(path: str | os.PathLike[str], graph: Graph) -> Any:
    """Read features for the nodes of a graph.

    Parameters
    ----------
    path
        An npz, npy, CSV or Parquet file, recognised by its content; text may be compressed.
    graph
        The graph, whose node ids the file names or follows.

    Returns
    -------
    float32 array or scipy CSR array of shape (num_nodes, num_features)

    Raises
    ------
    GraphFormatError
        If the file is something else, a node is missing, unknown or named twice, or a number is not finite.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     file = Path(directory, "x.csv")
    ...     _ = file.write_text("node,age,income\\n1,30,2.5\\n0,20,1.5\\n")
    ...     read_feature_file(file, Graph.from_edges([(0, 1)])).tolist()
    [[20.0, 1.5], [30.0, 2.5]]
    """
    where = shown(path, 400)
    try:
        source = Source(path)
        match recognise(source.path.name, source.head):
            case "npy" | "npz" as kind:
                return _from_arrays(source, kind, graph)
            case "parquet":
                return _from_parquet(source, graph)
            case "edgelist":
                return _from_text(source, graph)
            case kind:
                raise source.error(f"holds no features but a graph in {kind}; {WAY_OUT}")
    except EdgeorbitError:
        raise
    except FileNotFoundError:
        raise GraphFormatError(f"{where}: there is no such file; check the path of the features") from None
    except OSError as error:
        raise GraphFormatError(f"{where}: cannot be read ({shown(error.strerror or error)}); check the path") from None


def in_single(values: Any) -> npt.NDArray[np.float32]:
    """Return numbers in single precision; those that do not fit, and signalling NaN, become infinite or NaN.

    numpy would warn about both, but they are refused later by their place.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        single: npt.NDArray[np.float32] = values.astype(np.float32)
    return single


def _from_arrays(source: Source, kind: str, graph: Graph) -> Any:
    if kind == "npy":
        with open_npy(source, WAY_OUT) as stored:
            return _from_stored(source, stored, graph)
    with open_npz(source, WAY_OUT) as archive:
        found = _choose(source, archive)
        return _from_stored(source, found, graph) if isinstance(found, StoredArray) else _checked(source, found, graph)


def _from_stored(source: Source, stored: StoredArray, graph: Graph) -> Any:
    """Read an array if its shape is that of features of the graph."""
    _check_shape(source, stored, graph)
    require_memory(source.shown, stored.nbytes + BYTES_PER_NUMBER * stored.size)
    return _checked(source, stored.read(), graph)


def _check_shape(source: Source, x: Any, graph: Graph) -> None:
    if x.dtype.kind not in "biuf":
        raise source.error(f"holds values of type {shown(x.dtype)}; {WAY_OUT}")
    if len(x.shape) not in (1, 2) or 0 in x.shape:
        raise source.error(f"has shape {x.shape}; give one row for every node and one column for every feature")
    if x.shape[0] != graph.num_nodes:
        raise source.error(
            f"has {x.shape[0]} rows and {graph.name} has {graph.num_nodes} nodes; give one row for every node, in "
            "ascending order of the node ids"
        )


def _checked(source: Source, values: Any, graph: Graph) -> Any:
    _check_shape(source, values, graph)
    x: Any = in_single(values[:, None] if values.ndim == 1 else values)
    _check_finite(source, x)
    return x


def _choose(source: Source, archive: StoredArrays) -> Any:
    """Return the features among the arrays of an npz file: one that is not read yet, or a sparse matrix."""
    names = list(archive)
    if "format" in names and "shape" in names:  # written by scipy
        layout = archive["format"].item()
        if layout not in ("csr", b"csr"):
            raise source.error(f"holds a sparse matrix in layout {shown(layout)}; save matrix.tocsr() instead")
        return features_from({f"x_{part}": archive[part] for part in ("data", "indices", "indptr", "shape")})
    if "x_data" in names:
        return features_from(archive)
    if "x" in names:
        return archive.stored("x")
    if len(names) != 1:
        raise source.error(f"it is not clear which array holds the features; call one of {shown(', '.join(names))} x")
    return archive.stored(names[0])


def _check_finite(source: Source, x: Any) -> None:
    values = x if isinstance(x, np.ndarray) else x.data
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(x).all(axis=1))) if isinstance(x, np.ndarray) else _bad_row(x)
        raise source.error(f"row {row} (from 0) holds a number that is not finite; fill it in")


def _bad_row(x: Any) -> int:
    return int(np.searchsorted(x.indptr, np.argmin(np.isfinite(x.data)), side="right")) - 1


def _from_parquet(source: Source, graph: Graph) -> npt.NDArray[np.float32]:
    import pyarrow as pa
    from pyarrow import types

    with source.wrapping("Parquet file", WAY_OUT):
        table = read_columns(source, bytes_per_cell=16)
        if table.num_columns < 2:
            raise source.error("has a single column; give the node id first, and numbers after it")
        for field in list(table.schema)[1:]:
            if not (types.is_integer(field.type) or types.is_floating(field.type) or types.is_boolean(field.type)):
                raise source.error(f"column {shown(field.name)!r} is of type {shown(field.type)}, not of numbers")
        columns = [in_single(column.cast(pa.float64()).to_numpy()) for column in table.columns[1:]]
        ids = [None if node is None else str(node) for node in table.column(0).to_pylist()]
    return _arrange(source, graph, ids, np.stack(columns, axis=1), range(1, len(ids) + 1), "row")


def _from_text(source: Source, graph: Graph) -> npt.NDArray[np.float32]:
    """Read a node id and numbers from each line; a first line whose numbers are none is a header."""
    ids: list[str | None] = []
    lines = array("q")
    numbers = array("f")
    width = 0
    may_be_header = True
    with source.wrapping("table of features", WAY_OUT):
        for line, raw_cells in source.rows(_choose_separator):
            cells = [cell.strip() for cell in raw_cells]
            if not cells or cells[0].startswith("#"):
                continue
            if may_be_header and len(cells) > 1 and not any(map(is_number, cells[1:])):
                may_be_header = False
                continue
            may_be_header = False
            if not width:
                width = max(2, len(cells))
                require_memory(source.shown, 3 * BYTES_PER_NUMBER * graph.num_nodes * width)
            if len(cells) != width:
                found = f"{len(cells)} cells in all" if len(cells) > 1 else "the id alone"
                raise source.error(f"expected a node id and {width - 1} numbers, found {found}", line)
            numbers.frombytes(_parse(source, cells[1:], line).tobytes())
            ids.append(cells[0])
            lines.append(line)
            if len(ids) > graph.num_nodes:
                break  # then a node comes twice or is unknown, and which one is found below
    if not ids:
        raise source.error("holds no features; give a node id and numbers on each line")
    values = np.frombuffer(numbers, np.float32).reshape(len(ids), width - 1)
    return _arrange(source, graph, ids, values, lines, "line")


def _choose_separator(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return next((mark for mark in ("\t", ",", ";") if mark in first), " ")


def _parse(source: Source, cells: list[str], line: int) -> npt.NDArray[np.float32]:
    try:
        numbers = np.array([float(cell) for cell in cells])
    except ValueError:
        bad = next(cell for cell in cells if not cell or not is_number(cell))
        raise source.error(f"expected a number, found {shown(bad, 40)!r}; fill it in", line) from None
    return in_single(numbers)


def _arrange(
    source: Source, graph: Graph, ids: list[str | None], values: npt.NDArray[Any], places: Iterable[int], unit: str
) -> npt.NDArray[np.float32]:
    """Return the rows in the order of the nodes; `places` says where each was found."""
    number_of = {str(name): node for node, name in enumerate(graph.names(np.arange(graph.num_nodes)).tolist())}
    x = np.empty((graph.num_nodes, values.shape[1]), np.float32)
    seen = np.zeros(graph.num_nodes, bool)
    finite = np.isfinite(values).all(axis=1)
    for row, (name, place) in enumerate(zip(ids, places, strict=True)):
        node = None if name is None else number_of.get(name)
        if node is None:
            what = "there is no node id" if name is None else f"there is no node {shown(name, 40)} in {graph.name}"
            raise GraphFormatError(f"{source.shown} {unit} {place}: {what}; name nodes of the graph")
        if seen[node]:
            raise GraphFormatError(f"{source.shown} {unit} {place}: node {shown(name, 40)} comes a second time")
        if not finite[row]:
            raise GraphFormatError(f"{source.shown} {unit} {place}: a number is missing or not finite; fill it in")
        seen[node] = True
        x[node] = values[row]
    if not seen.all():
        missing = graph.names(np.array([seen.argmin()]))[0]
        raise source.error(f"there are no features of node {shown(missing, 40)} of {graph.name}; give every node a row")
    return x
