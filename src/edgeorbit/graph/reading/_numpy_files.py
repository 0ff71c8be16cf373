"""numpy's files: an edge array (npy), named arrays (npz), and scipy's sparse matrices in npz. Never with pickles."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.npz_layout import MARK, graph_from_arrays
from edgeorbit.graph.reading.node_ids import MAX_ID, LabelBlock, Numbered, compact, number_integers, number_labels
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import (
    BYTES_TO_UNPACK,
    StoredArray,
    StoredArrays,
    check_shape,
    compressed_entries,
    graph_from_entries,
    listed_entries,
    open_npy,
    open_npz,
)

EDGE_KEYS = ("edges", "edge_index", "edge_list")
BYTES_PER_PAIR = 36
BYTES_PER_TEXT = 160  # of a text as a Python object, in Arrow's arrays and among the names
SHAPES = "give pairs, shape (m, 2), or an edge_index, shape (2, m)"
Arrays = Mapping[str, npt.NDArray[Any]]


def read_npy(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read an edge array of shape (m, 2) or (2, m)."""
    with open_npy(source) as stored:
        array = _read_edges(source, stored, "the array")
    return _number(source, array, "the array").to_graph(name, threads)


def read_npz(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a graph from named arrays."""
    with open_npz(source) as arrays:
        if MARK in arrays:
            return graph_from_arrays(source, arrays, name, threads)
        if "format" in arrays and "shape" in arrays:
            return _read_matrix(source, arrays, name, threads)
        return _read_named(source, arrays, name, threads)


def _read_named(source: Source, arrays: StoredArrays, name: str, threads: int | None) -> Graph:
    key = next((key for key in EDGE_KEYS if key in arrays), None)
    if key is None:
        raise source.error(
            f"there is no array called {', '.join(EDGE_KEYS)}, only {shown(', '.join(arrays), 120)}; rename one"
        )
    attributes: dict[str, Any] = {key: arrays[key] for key in ("x", "y", "node_names") if key in arrays}
    num_nodes = _num_nodes(source, arrays, attributes)
    array = _read_edges(source, arrays.stored(key), key, may_be_empty=num_nodes is not None)
    if num_nodes is None:
        return _number(source, array, key).to_graph(name, threads)
    pairs = _pairs(array, key)
    if pairs.dtype.kind == "U":
        raise source.error(f"{key} holds text beside num_nodes; give node numbers, and the text as node_names")
    largest = int(pairs.max()) if pairs.size else -1
    if largest >= num_nodes:
        raise source.error(f"{key} holds node {largest} of a graph of {num_nodes} nodes; number nodes from 0")
    return Graph.from_edges(compact(pairs).T, num_nodes, threads=threads, name=name, **attributes)


def _num_nodes(source: Source, arrays: Arrays, attributes: dict[str, Any]) -> int | None:
    """Return the number of nodes that the file states, or that its features, labels or names have rows for."""
    for key, values in attributes.items():
        if values.ndim == 0:
            raise source.error(f"{key} is a single value; give one row per node")
    if "num_nodes" not in arrays:
        return next((len(values) for values in attributes.values()), None)
    stated = arrays["num_nodes"]
    if stated.size != 1 or stated.dtype.kind not in "iu" or not 0 <= int(stated.item()) <= MAX_NODES:
        raise source.error(f"num_nodes is {shown(stated, 40)}; give one whole number from 0 to {MAX_NODES}")
    num_nodes = int(stated.item())
    require_memory(source.shown, 16 * num_nodes)
    for key, values in attributes.items():
        if len(values) != num_nodes:
            raise source.error(f"{key} has {len(values)} rows for {num_nodes} nodes; give one row per node")
    return num_nodes


def _read_edges(source: Source, stored: StoredArray, key: str, may_be_empty: bool = False) -> npt.NDArray[Any]:
    """Read an array of edges, if it is one by its shape and type, and its numbers are those of nodes."""
    if stored.size == 0 and may_be_empty:
        return stored.read()
    if stored.ndim != 2 or 2 not in stored.shape:
        raise source.error(f"{key} has shape {stored.shape}; {SHAPES}")
    if stored.size == 0:
        raise source.error(f"{key} holds no edges; give at least one, or num_nodes in an npz file")
    if stored.dtype.kind not in "iuUS":
        raise source.error(f"{key} is of type {shown(stored.dtype)}; give whole numbers from 0, or text")
    in_python = 0 if stored.dtype.kind in "iu" else BYTES_PER_TEXT * stored.size + 2 * stored.nbytes
    require_memory(source.shown, stored.nbytes + BYTES_PER_PAIR * (stored.size // 2) + in_python)
    array = stored.read()
    if array.dtype.kind in "iu":
        for value, problem in ((array.min(), "is negative"), (array.max(), "does not fit into 64 bits")):
            if not 0 <= int(value) <= MAX_ID:
                place = int(np.argmax((_pairs(array, key) == value).any(axis=0)))
                raise source.error(f"{key}: node id {value} of edge {place} {problem}; number nodes from 0")
    return array


def _pairs(array: npt.NDArray[Any], key: str) -> npt.NDArray[Any]:
    """Return the edges in shape (2, m); two by two is an edge_index only where it is called so."""
    if array.size == 0:
        return np.zeros((2, 0), np.int64)
    is_index = array.shape[0] == 2 and (array.shape[1] != 2 or key == "edge_index")
    return array if is_index else array.T


def _number(source: Source, array: npt.NDArray[Any], key: str) -> Numbered:
    pairs = _pairs(array, key)
    if pairs.dtype.kind in "iu":
        return number_integers([compact(pairs)])
    import pyarrow as pa

    with source.wrapping("text array", "give UTF-8 text"):
        texts = np.char.decode(pairs, "utf-8") if pairs.dtype.kind == "S" else pairs
        if (texts == "").any():
            raise source.error(f"{key} has an empty node id; give every node a name")
        columns = [pa.chunked_array([pa.array(row.tolist(), pa.large_string())]) for row in texts]
        return number_labels([LabelBlock.from_columns(*columns)], source.shown)


def _read_matrix(source: Source, arrays: StoredArrays, name: str, threads: int | None) -> Graph:
    """Read the matrix that `scipy.sparse.save_npz` wrote."""
    found = arrays["format"].item()
    layout = found.decode() if isinstance(found, bytes) else str(found)
    if layout not in ("csr", "csc", "coo"):
        raise source.error(f"the sparse matrix is in layout {shown(layout)!r}; save matrix.tocsr() instead")
    shape = [int(length) for length in arrays["shape"].ravel()]
    check_shape(source, shape)
    require_memory(source.shown, BYTES_TO_UNPACK * arrays.stored("data").size)
    if layout == "coo":
        entries = listed_entries(arrays["row"], arrays["col"], [arrays["data"]], shape)
    else:
        entries = compressed_entries(arrays["indptr"], arrays["indices"], [arrays["data"]], shape)
    return graph_from_entries(source, entries, shape[0], name, threads)
