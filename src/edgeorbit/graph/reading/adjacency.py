"""From an adjacency matrix in a file, which nobody has checked, to a graph.

Sparse matrices are unpacked here and not by scipy, which trusts their arrays: with contradictory ones it writes
outside its memory, even after its own full check.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import Source

WAY_OUT = "check that the file is complete, or write it again"
BYTES_PER_NODE = 24
BYTES_PER_ENTRY = 24
BYTES_TO_UNPACK = 64  # for an entry, when a sparse matrix is unpacked: rows and columns of 64 bits several times
Entries = npt.NDArray[np.int64]


def check_shape(source: Source, shape: Sequence[int], line: int | None = None) -> None:
    """Refuse a shape that is not square or too large."""
    if len(shape) != 2 or shape[0] != shape[1]:
        sizes = " x ".join(map(str, shape))
        raise source.error(f"the matrix is {sizes}; give an adjacency matrix, which is square", line)
    if not 0 <= shape[0] <= MAX_NODES:
        raise source.error(f"the matrix has {shape[0]} rows; give at most {MAX_NODES}", line)
    require_memory(source.shown, BYTES_PER_NODE * shape[0])


def compressed_entries(
    starts: npt.NDArray[Any], inner: npt.NDArray[Any], values: Sequence[npt.NDArray[Any]], shape: Sequence[int]
) -> Entries:
    """Return where a matrix in compressed rows (or columns) is not zero: its outer and inner numbers.

    Parameters
    ----------
    starts
        Where each row starts in `inner`, and where the last one ends.
    inner
        The column of every entry.
    values
        One array of values for every entry, or several, such as the real and the imaginary parts.
    shape
        The number of rows and of columns.

    Raises
    ------
    ValueError
        If the arrays contradict each other or the shape.

    Examples
    --------
    >>> compressed_entries(np.array([0, 1, 3]), np.array([1, 0, 1]), [np.array([5, 6, 0])], (2, 2)).tolist()
    [[0, 1], [1, 0]]
    """
    for array in (starts, inner):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError("its index arrays are no lists of whole numbers")
    starts, inner = starts.astype(np.int64), inner.astype(np.int64)
    if len(starts) != shape[0] + 1 or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError("its rows or columns overlap")
    count = int(starts[-1])
    if any(array.ndim != 1 or len(array) < count for array in (inner, *values)):
        raise ValueError("entries are missing")
    inner = inner[:count]
    if count and not 0 <= inner.min() <= inner.max() < shape[1]:
        raise ValueError(f"an entry lies outside its {shape[0]} rows and {shape[1]} columns")
    outer = np.repeat(np.arange(shape[0]), np.diff(starts))
    return np.stack([outer, inner])[:, _are_filled(values, count)]


def listed_entries(
    row: npt.NDArray[Any], column: npt.NDArray[Any], values: Sequence[npt.NDArray[Any]], shape: Sequence[int]
) -> Entries:
    """Return where a matrix that lists its entries is not zero; a ValueError says what is contradictory.

    >>> listed_entries(np.array([0, 1]), np.array([1, 0]), [np.array([0, 2])], (2, 2)).tolist()
    [[1], [0]]
    """
    count = len(values[0]) if values[0].ndim == 1 else -1
    for array, size in ((row, shape[0]), (column, shape[1])):
        if array.shape != (count,) or array.dtype.kind not in "iu":
            raise ValueError("its index arrays are no lists of whole numbers, one for every entry")
        if count and not 0 <= int(array.min()) <= int(array.max()) < size:
            raise ValueError(f"an entry lies outside its {shape[0]} rows and {shape[1]} columns")
    return np.stack([row, column]).astype(np.int64)[:, _are_filled(values, count)]


def _are_filled(values: Sequence[npt.NDArray[Any]], count: int) -> npt.NDArray[np.bool_]:
    if not values or any(array.dtype.kind not in "biufc" for array in values):
        raise ValueError("its values are no numbers")
    filled: npt.NDArray[np.bool_] = np.any([array[:count] != 0 for array in values], axis=0)
    return filled


def graph_from_entries(source: Source, entries: Entries, size: int, name: str, threads: int | None) -> Graph:
    """Build a graph from the rows and columns where a square matrix is not zero."""
    require_memory(source.shown, BYTES_PER_ENTRY * entries.shape[1])
    return Graph.from_edges(entries.T, size, threads=threads, name=name)
