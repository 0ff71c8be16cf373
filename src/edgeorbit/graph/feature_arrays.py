"""Features and labels as named arrays, as npz files keep them: dense as `x`, sparse as the parts of a CSR matrix."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.adjacency import compressed_entries

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
    shape = tuple(int(length) for length in arrays["x_shape"].ravel())
    compressed_entries(indptr, indices, [data], shape)
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape)
