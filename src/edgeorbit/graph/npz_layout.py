"""Graphs as named arrays: the npz layout that `write_graph` writes, and features and labels within it.

| key | content |
|---|---|
| `edgeorbit` | version of this layout |
| `indptr`, `indices` | the CSR arrays |
| `counts` | merged edges, dropped self-loops |
| `name` | name of the graph |
| `node_numbers`, or `node_text` and `node_text_ends` | node names: whole numbers, or UTF-8 text and where each ends |
| `x`, or `x_data`, `x_indices`, `x_indptr` and `x_shape` | features, dense or CSR |
| `y` | labels |
| `edge_weight` | weights of edges |
| `history_edge`, `history_time`, `history_weight` | when edges occurred, see `edgeorbit.graph.history` |
| `reciprocal` | edges that were given in both directions |

Text is kept end to end because numpy's own text arrays give every label the room of the longest.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.history import History
from edgeorbit.graph.reading.node_ids import text_array
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import compressed_entries

MARK = "edgeorbit"
VERSION = 1
BYTES_PER_ENTRY = 24
BYTES_PER_NAME = 160  # the end of a name as a Python number, the name as text, and its place among the names
Arrays = Mapping[str, npt.NDArray[Any]]
PARTS = ("data", "indices", "indptr")


def feature_arrays(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Return `x`, or `x_data`, `x_indices`, `x_indptr` and `x_shape`, and `y`, as far as the graph has them.

    Raises
    ------
    ValueError
        If they are Python objects, which no file should hold.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    if isinstance(graph.x, np.ndarray):
        arrays["x"] = graph.x
    elif graph.x is not None:
        matrix = graph.x.tocsr()
        arrays |= {f"x_{part}": getattr(matrix, part) for part in PARTS}
        arrays["x_shape"] = np.array(matrix.shape)
    if graph.y is not None:
        arrays["y"] = graph.y
    for key, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(f"{key[0]} holds Python objects; give numbers or text")
    return arrays


def features_from(arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Return the features that the arrays hold, or None.

    Raises
    ------
    ValueError
        If the parts of a sparse matrix contradict each other, which scipy would not notice.
    """
    if "x_data" not in arrays:
        return arrays.get("x")
    import scipy.sparse

    data, indices, indptr = (arrays[f"x_{part}"] for part in PARTS)
    lengths = arrays["x_shape"]
    if lengths.shape != (2,) or lengths.dtype.kind not in "iu":
        raise ValueError("its shape must be two integers")
    shape = tuple(int(length) for length in lengths)
    compressed_entries(indptr, indices, [data], shape)
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape)


def graph_from_arrays(source: Source, arrays: Arrays, name: str, threads: int | None) -> Graph:
    """Build the graph, after checking that the arrays are those of an undirected simple graph."""
    version = int(arrays[MARK].item())
    if version != VERSION:
        raise source.error(f"was written by another version (layout {version}, not {VERSION}); update edgeorbit")
    indptr, indices = arrays["indptr"], arrays["indices"]
    if not (
        indptr.dtype == np.int64
        and indices.dtype == np.int32
        and indptr.ndim == indices.ndim == 1
        and len(indptr) > 0
        and indptr[0] == 0
        and indptr[-1] == len(indices)
        and (np.diff(indptr) >= 0).all()
    ):
        raise _inconsistent(source)
    num_nodes = len(indptr) - 1
    require_memory(source.shown, BYTES_PER_ENTRY * len(indices))
    rows = np.repeat(np.arange(num_nodes, dtype=np.int32), np.diff(indptr))
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < num_nodes:
        raise _inconsistent(source)
    graph = Graph.from_edges(np.stack([rows, indices]).T, num_nodes, threads=threads)
    if not np.array_equal(graph.indices, indices):
        raise _inconsistent(source)
    merged, loops = (int(count) for count in arrays["counts"])
    attributes: dict[str, Any] = {
        "node_names": _names(source, arrays),
        "x": features_from(arrays),
        "y": arrays.get("y"),
    }
    for key, values in attributes.items():
        if values is not None and (len(values.shape) == 0 or values.shape[0] != num_nodes):
            raise source.error(f"{key} and the {num_nodes} nodes do not fit together; write the file again")
    stored = str(arrays["name"].item()) if "name" in arrays else name
    attributes |= {"edge_weight": _edge_weight(source, arrays, graph), "history": _history(source, arrays, graph)}
    attributes["reciprocal_edges"] = int(arrays["reciprocal"].item()) if "reciprocal" in arrays else 0
    return Graph(graph.indptr, graph.indices, name=stored, merged_edges=merged, self_loops=loops, **attributes)


def edge_arrays(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Return the weights and the history of edges, as far as the graph has them."""
    arrays: dict[str, npt.NDArray[Any]] = {} if graph.edge_weight is None else {"edge_weight": graph.edge_weight}
    if graph.history is not None:
        values: dict[str, Any] = {
            "edge": graph.history.edge,
            "time": graph.history.time,
            "weight": graph.history.weight,
        }
        arrays |= {f"history_{key}": array for key, array in values.items() if array is not None}
    return arrays | ({"reciprocal": np.array(graph.reciprocal_edges)} if graph.reciprocal_edges else {})


def _edge_weight(source: Source, arrays: Arrays, graph: Graph) -> npt.NDArray[Any] | None:
    if "edge_weight" not in arrays:
        return None
    weight = arrays["edge_weight"]
    if weight.dtype != np.float64 or weight.shape != (graph.num_edges,) or not _are_weights(weight):
        raise source.error("edge_weight does not hold a finite weight from 0 for every edge; write the file again")
    return weight


def _history(source: Source, arrays: Arrays, graph: Graph) -> History | None:
    if "history_edge" not in arrays or "history_time" not in arrays:
        return None
    edge, time, weight = arrays["history_edge"], arrays["history_time"], arrays.get("history_weight")
    fits = edge.dtype == np.int64 and edge.ndim == 1 and time.shape == edge.shape and time.dtype.kind in "fiuM"
    fits = fits and (not len(edge) or 0 <= int(edge.min()) <= int(edge.max()) < graph.num_edges)
    fits = fits and bool(np.bincount(edge, minlength=graph.num_edges).all()) and not bool((time[1:] < time[:-1]).any())
    if fits and weight is not None:
        fits = weight.dtype == np.float64 and weight.shape == edge.shape and _are_weights(weight)
    if not fits:
        raise source.error("its history does not belong to its edges; write the file again")
    return History(edge, time, weight)


def _are_weights(weight: npt.NDArray[Any]) -> bool:
    return bool((np.isfinite(weight) & (weight >= 0)).all())


def _names(source: Source, arrays: Arrays) -> npt.NDArray[Any] | None:
    if "node_text" not in arrays:
        return arrays.get("node_numbers")
    places, text = arrays["node_text_ends"], arrays["node_text"]
    require_memory(source.shown, BYTES_PER_NAME * places.size + 8 * text.size)
    ends, data = places.tolist(), text.tobytes()
    if ends != sorted(ends) or (ends and not 0 <= ends[0] <= ends[-1] == len(data)):
        raise _inconsistent(source)
    return text_array([data[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)], source.shown)


def _inconsistent(source: Source) -> Exception:
    return source.error("its arrays do not describe an undirected graph; write the file again")
