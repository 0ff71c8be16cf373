"""Colours to start from: by degree, by label, by features, or given by the caller."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse

INITIAL_COLOURS = ("degree", "labels", "features")


def initial_keys(graph: Graph, initial: str | npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a whole number per node, equal where the initial colours are equal.

    Numbers ascend with the values (degrees, labels, rows of features), so they do not depend on the order of nodes.

    >>> initial_keys(Graph.from_edges([[0, 1], [1, 2]]), "degree")
    array([0, 1, 0])
    >>> initial_keys(Graph.empty(3), ["b", "a", "b"])
    array([1, 0, 1])
    """
    if isinstance(initial, str):
        values = _named(graph, initial)
    else:
        values = np.asarray(initial)
        if values.ndim == 0 or len(values) != graph.num_nodes:
            raise InvalidParameterError(
                f"initial colours have shape {values.shape}; give one value for each of the {graph.num_nodes} nodes"
            )
    if not isinstance(values, np.ndarray):
        return _equal_sparse_rows(values)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InvalidParameterError("initial colours contain NaN, which equals nothing; replace it by a number")
    try:
        keys = np.unique(values, axis=0, return_inverse=True)[1]
    except TypeError:  # objects that cannot be ordered, such as numbers among texts
        keys = np.unique(values.astype(str), axis=0, return_inverse=True)[1]
    return keys.reshape(-1).astype(np.int64, copy=False)


def _named(graph: Graph, initial: str) -> Any:
    if initial == "degree":
        return graph.degree
    values = {"labels": graph.y, "features": graph.x}.get(initial)
    if values is None:
        if initial in INITIAL_COLOURS:
            raise InvalidParameterError(
                f"{graph.name} has no {initial} to start from; give an array with a value per node"
            )
        raise InvalidParameterError(f"unknown initial colours {initial!r}; choose from {', '.join(INITIAL_COLOURS)}")
    return values


def _equal_sparse_rows(rows: "scipy.sparse.csr_array") -> npt.NDArray[np.int64]:
    """Number equal rows of a sparse matrix by their stored entries, without making it dense."""
    rows = rows.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    columns, values, ends = rows.indices.astype(np.int64), rows.data, rows.indptr
    contents = [columns[low:high].tobytes() + values[low:high].tobytes() for low, high in pairwise(ends)]
    number = {content: i for i, content in enumerate(sorted(set(contents)))}
    return np.array([number[content] for content in contents], np.int64)
