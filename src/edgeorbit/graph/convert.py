"""Graphs from and to other libraries: PyTorch Geometric, networkx, scipy.

Each library is imported only when its function is called.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError, naming_extras
from edgeorbit.graph.graph import Graph, dense_array

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse
    from torch_geometric.data import Data


def from_edge_index(edge_index: Any, num_nodes: int | None = None, **attributes: Any) -> Graph:
    """Build a graph from PyG's `edge_index`: a tensor or array of shape (2, m).

    Unlike `Graph.from_edges`, a shape of (2, 2) is read as a row of sources and a row of targets.

    >>> from_edge_index(np.array([[0, 5], [1, 2]])).edges.tolist()
    [[0, 1], [2, 5]]
    """
    array = dense_array(edge_index, "edge_index")
    if array.ndim != 2 or array.shape[0] != 2:
        raise GraphFormatError(f"edge_index has shape {array.shape}; give (2, number of edges)")
    return Graph.from_edges(array.T, num_nodes, **attributes)


def from_pyg(data: "Data", **attributes: Any) -> Graph:
    """Build a graph from a PyG `Data`, with its `x` and `y`."""
    found = {key: _to_numpy(data[key]) for key in ("x", "y") if key in data and data[key] is not None}
    found = {key: value for key, value in found.items() if value.ndim > 0 and len(value) == data.num_nodes}
    return from_edge_index(data.edge_index, data.num_nodes, **found | attributes)


def to_pyg(graph: Graph) -> "Data":
    """Return a PyG `Data` with both directions of every edge, sorted, and the graph's features and labels."""
    with naming_extras("to_pyg"):
        import torch
        from torch_geometric.data import Data
    data = Data(edge_index=torch.from_numpy(graph.edge_index), num_nodes=graph.num_nodes)
    if graph.x is not None:
        dense = graph.x if isinstance(graph.x, np.ndarray) else graph.x.toarray()
        data.x = torch.from_numpy(np.array(dense))
    if graph.y is not None and graph.y.dtype.kind in "iufb":
        data.y = torch.from_numpy(np.array(graph.y))
    return data


def from_networkx(other: "nx.Graph", **attributes: Any) -> Graph:
    """Build a graph from any networkx graph; its nodes are numbered in their order and keep their names.

    >>> import networkx as nx
    >>> from_networkx(nx.path_graph(["a", "b", "c"])).node_names.tolist()
    ['a', 'b', 'c']
    """
    nodes = list(other.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    pairs = np.fromiter((number[node] for edge in other.edges() for node in edge), np.int64).reshape(-1, 2)
    names = None if nodes == list(range(len(nodes))) else object_array(nodes)
    given = {"name": str(other.name) or "graph", "node_names": names} | attributes
    return Graph.from_edges(pairs, len(nodes), **given)


def to_networkx(graph: Graph) -> "nx.Graph":
    """Return a networkx graph whose nodes are the user's own ids.

    >>> sorted(to_networkx(Graph.from_edges([[0, 1], [1, 2]])).edges)
    [(0, 1), (1, 2)]
    """
    import networkx as nx

    other = nx.Graph(name=graph.name)
    names = graph.names(np.arange(graph.num_nodes)).tolist()
    other.add_nodes_from(names)
    other.add_edges_from((names[u], names[v]) for u, v in graph.edges.tolist())
    return other


def from_scipy(matrix: Any, **attributes: Any) -> Graph:
    """Build a graph from a square scipy sparse matrix: an edge wherever the matrix is not zero.

    >>> import scipy.sparse
    >>> from_scipy(scipy.sparse.eye_array(3, k=1)).num_edges
    2
    """
    if matrix.shape[0] != matrix.shape[1]:
        raise GraphFormatError(f"an adjacency matrix is square; this one is {matrix.shape[0]} x {matrix.shape[1]}")
    coo = matrix.tocoo()
    kept = coo.data != 0
    return Graph.from_edges(np.stack([coo.row[kept], coo.col[kept]], axis=1), matrix.shape[0], **attributes)


def to_scipy(graph: Graph) -> "scipy.sparse.csr_array":
    """Return the adjacency matrix with ones in both directions; it shares the graph's index arrays.

    >>> to_scipy(Graph.from_edges([[0, 1]])).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    import scipy.sparse

    ones = np.ones(len(graph.indices), np.int8)
    return scipy.sparse.csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))


def object_array(values: list[Any]) -> npt.NDArray[Any]:
    """Return a one-dimensional array of the values; of objects where numpy would not keep them as they are."""
    array = np.empty(len(values), object)
    array[:] = values
    kinds = {type(value) for value in values}
    return np.array(values) if kinds in ({int}, {str}) and np.array(values).dtype.kind in "iU" else array


def _to_numpy(value: Any) -> npt.NDArray[Any]:
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
