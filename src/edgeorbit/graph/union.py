"""The disjoint union of graphs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeorbit.graph.graph import Graph


def disjoint_union(graphs: Sequence[Graph], name: str = "union") -> Graph:
    """Put graphs side by side, without edges between them, in their order.

    Features and labels are kept if all graphs have them; node names are not.

    >>> edge = Graph.from_edges([[0, 1]])
    >>> disjoint_union([edge, edge]).edges.tolist()
    [[0, 1], [2, 3]]
    """
    offsets = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    entries = np.cumsum([0, *(len(graph.indices) for graph in graphs)])
    pairs = list(zip(graphs, offsets.tolist(), entries.tolist(), strict=False))
    indptr = np.concatenate([np.zeros(1, np.int64), *(graph.indptr[1:] + entry for graph, _, entry in pairs)])
    indices = np.concatenate([np.zeros(0, np.int32), *(graph.indices + np.int32(offset) for graph, offset, _ in pairs)])
    attributes: dict[str, Any] = {}
    if graphs and all(graph.x is not None for graph in graphs):
        attributes["x"] = _stack([graph.x for graph in graphs])
    if graphs and all(graph.y is not None for graph in graphs):
        attributes["y"] = np.concatenate([graph.y for graph in graphs])
    return Graph(indptr, indices, name=name, **attributes)


def _stack(features: list[Any]) -> Any:
    if all(isinstance(x, np.ndarray) for x in features):
        return np.concatenate(features)
    import scipy.sparse

    return scipy.sparse.csr_array(scipy.sparse.vstack(features, format="csr"))
