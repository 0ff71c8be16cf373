"""`load`: a graph from a file, a data set, or an object of another library."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from edgeorbit.data.loading import load_graph
from edgeorbit.data.splits.given import as_pairs
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.convert import from_networkx, from_pyg, from_scipy
from edgeorbit.graph.frames import from_frame, is_frame
from edgeorbit.graph.graph import Graph

ACCEPTED = (
    "a path, the name of a data set, an edge_index of shape (2, m), a PyG Data, a networkx graph, a scipy sparse "
    "matrix, or a pandas, polars or pyarrow frame"
)


def load(source: Any, **options: Any) -> Graph:
    """Load a graph from a file, a data set, or an object of another library.

    Parameters
    ----------
    source
        A `Graph`; a path, or the name of a data set (see `edgeorbit.datasets`); an `edge_index` tensor or array of
        shape (2, m), or pairs of shape (m, 2); a PyG `Data`; a networkx graph; a scipy sparse matrix; or a pandas,
        polars or pyarrow frame with a row for every edge.
    **options
        For a path or a data set those of `load_graph` (`format`, `columns`, `features_file`, ...), for a frame
        `columns`, for an `edge_index` `num_nodes`; for every object `name`, and where it fits `x` and `y`.

    Raises
    ------
    InvalidParameterError
        If the object has another type, or an option does not apply to it.
    DatasetNotFoundError
        If there is no such file or data set.
    GraphFormatError
        If the file or object does not describe a graph.

    Examples
    --------
    >>> import numpy as np
    >>> load("karate").num_edges, load(np.array([[0, 1, 2], [1, 2, 3]])).num_edges
    (78, 3)
    >>> import networkx as nx
    >>> load(nx.cycle_graph(5)).num_edges
    5
    """
    try:
        return _load(source, options)
    except TypeError as error:
        known = str(error).partition("argument ")[2]
        if "unexpected keyword argument" not in str(error):
            raise
        raise InvalidParameterError(f"option {known} does not go with {_kind(source)}; leave it out") from None


def _load(source: Any, options: dict[str, Any]) -> Graph:
    build = next((build for fits, build in BUILDERS if fits(source)), None)
    if build is None:
        raise InvalidParameterError(f"cannot load a graph from {_kind(source)}; give {ACCEPTED}")
    return build(source, **options)


def _from_data(data: Any, **options: Any) -> Graph:
    if data.edge_index is None:
        raise GraphFormatError(f"this {type(data).__name__} has no edge_index; set it to a tensor of shape (2, m)")
    return from_pyg(data, **options)


def _from_tensor(edge_index: Any, num_nodes: int | None = None, **attributes: Any) -> Graph:
    return Graph.from_edges(as_pairs(edge_index, "edge_index"), num_nodes, **attributes)


def _refuse_hetero(data: Any, **options: Any) -> Graph:
    raise GraphFormatError(f"a {type(data).__name__} has several types of edges; give data.to_homogeneous()")


# How a source is recognised, and what builds a graph from it; the first match counts.
BUILDERS: tuple[tuple[Callable[[Any], bool], Callable[..., Graph]], ...] = (
    (lambda source: isinstance(source, Graph), Graph.with_attributes),
    (lambda source: isinstance(source, str | os.PathLike), load_graph),
    (is_frame, from_frame),
    (lambda source: type(source).__module__.partition(".")[0] == "networkx", from_networkx),
    (lambda source: hasattr(source, "tocoo"), from_scipy),
    (lambda source: hasattr(source, "edge_index"), _from_data),
    (lambda source: hasattr(source, "edge_types"), _refuse_hetero),
    (lambda source: hasattr(source, "detach"), _from_tensor),
    (lambda source: isinstance(source, list | tuple | np.ndarray), Graph.from_edges),
)


def _kind(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return "a path or name"
    name = type(source).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
