"""The one graph type: undirected, simple, immutable, over CSR arrays."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.origin import Origin

if TYPE_CHECKING:
    import scipy.sparse

MAX_NODES = 2**31 - 1  # neighbour ids are stored in 32 bits


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """An undirected graph without self-loops and parallel edges.

    Build one with `Graph.from_edges` or with a function of `edgeorbit.graph.convert`; the constructor trusts its
    arguments. All arrays are read-only.

    Attributes
    ----------
    indptr : int64 array of length num_nodes + 1
        Where the neighbours of every node start in `indices`.
    indices : int32 array of length 2 * num_edges
        The neighbours of all nodes, ascending for each node.
    node_names : array or None
        The user's own id of every node; None if they are `0, 1, ...`.
    x : array or scipy CSR array of shape (num_nodes, num_features), or None
        Node features.
    y : array of length num_nodes, or None
        A label of every node.
    name : str
        What the graph is called in tables.
    merged_edges, self_loops : int
        How many input edges repeated another one (in either direction), and how many joined a node to itself.
        The first were merged, the second dropped.
    origin : Origin or None
        Where the nodes and edges of a synthetic graph come from: copies, twins, added edges.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1], [1, 2], [2, 1], [2, 2]])
    >>> graph
    Graph(name='graph', num_nodes=3, num_edges=2, merged_edges=1, self_loops=1)
    >>> graph.neighbours(1).tolist()
    [0, 2]
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    node_names: npt.NDArray[Any] | None = None
    x: "npt.NDArray[Any] | scipy.sparse.csr_array | None" = None
    y: npt.NDArray[Any] | None = None
    name: str = "graph"
    merged_edges: int = 0
    self_loops: int = 0
    origin: Origin | None = None

    def __post_init__(self) -> None:
        """Keep read-only views of the arrays, and check that what belongs to nodes has one entry per node."""
        for attribute in ("indptr", "indices", "node_names", "x", "y"):
            array = getattr(self, attribute)
            if isinstance(array, np.ndarray):
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, attribute, view)
        for what, values in (("node_names", self.node_names), ("x", self.x), ("y", self.y)):
            if values is not None and values.shape[0] != self.num_nodes:
                raise GraphFormatError(
                    f"{self.name}: {what} has {values.shape[0]} rows and the graph {self.num_nodes} nodes; "
                    "give one row per node"
                )

    @classmethod
    def from_edges(
        cls, edges: npt.ArrayLike, num_nodes: int | None = None, *, threads: int | None = None, **attributes: Any
    ) -> "Graph":
        """Build a graph from pairs of node numbers, in any order and either direction.

        Parameters
        ----------
        edges : integer array of shape (m, 2), or an `edge_index` of shape (2, m)
            Node numbers from 0. An array of shape (2, 2) is read as two rows of pairs.
        num_nodes : int, optional
            Number of nodes; by default one more than the largest number, so that gaps are isolated nodes.
        threads : int, optional
            Number of threads; by default one per core.
        **attributes
            `name`, `node_names`, `x`, `y`.

        Raises
        ------
        GraphFormatError
            If the array has another shape, is not integer, or holds a number outside `range(num_nodes)`.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)], num_nodes=4).num_nodes
        4
        """
        name = attributes.get("name", "graph")
        array = np.asarray(edges)
        if array.size == 0:
            return cls.empty(num_nodes or 0, **attributes)
        if array.ndim != 2 or 2 not in array.shape:
            raise GraphFormatError(f"{name}: edges have shape {array.shape}; give pairs, shape (m, 2), or (2, m)")
        if array.dtype.kind not in "iu":
            raise GraphFormatError(f"{name}: edges are of type {array.dtype}; give whole numbers")
        if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
            raise GraphFormatError(f"{name}: node number {int(array.max())} does not fit int64; number nodes from 0")

        from edgeorbit.graph.csr import Pairs, build_csr, scan_pairs

        pairs = Pairs.from_array(array)
        scan = scan_pairs(pairs, threads)
        if scan.smallest < 0:
            raise GraphFormatError(f"{name}: node number {scan.smallest} is negative; number nodes from 0")
        num_nodes = scan.largest + 1 if num_nodes is None else int(num_nodes)
        if scan.largest >= num_nodes:
            raise GraphFormatError(f"{name}: node number {scan.largest} is outside a graph of {num_nodes} nodes")
        if num_nodes > MAX_NODES:
            raise GraphFormatError(f"{name}: node number {scan.largest} is too large; number nodes from 0 without gaps")
        csr = build_csr(pairs, num_nodes, scan.increasing, threads)
        return cls(csr.indptr, csr.indices, merged_edges=csr.merged, self_loops=csr.loops, **attributes)

    @classmethod
    def empty(cls, num_nodes: int, **attributes: Any) -> "Graph":
        """Return a graph of isolated nodes.

        >>> Graph.empty(3).num_edges
        0
        """
        if num_nodes < 0:
            raise InvalidParameterError(f"num_nodes must not be negative, not {num_nodes}")
        return cls(np.zeros(num_nodes + 1, np.int64), np.zeros(0, np.int32), **attributes)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @property
    def degree(self) -> npt.NDArray[np.int64]:
        """Number of neighbours of every node."""
        return np.diff(self.indptr)

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """All edges as pairs `(u, v)` with `u < v`, in ascending order: shape (num_edges, 2).

        >>> Graph.from_edges([[2, 0], [0, 1]]).edges.tolist()
        [[0, 1], [0, 2]]
        """
        rows = np.repeat(np.arange(self.num_nodes, dtype=np.int32), self.degree)
        upper = rows < self.indices
        return np.stack([rows[upper], self.indices[upper]], axis=1)

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """Both directions of all edges as PyG's `edge_index`: shape (2, 2 * num_edges), sorted by row."""
        return np.stack([np.repeat(np.arange(self.num_nodes), self.degree), self.indices.astype(np.int64)])

    def neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """Return the neighbours of a node number, ascending."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    neighbors = neighbours

    def names(self, nodes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return the user's own ids of node numbers."""
        return nodes if self.node_names is None else self.node_names[nodes]

    def with_attributes(self, **attributes: Any) -> "Graph":
        """Return the same graph with another `name`, `node_names`, `x`, `y` or `origin`.

        >>> Graph.empty(1).with_attributes(name="dot").name
        'dot'
        """
        return replace(self, **attributes)

    def __repr__(self) -> str:
        """Name the graph, its size, and what was merged or dropped."""
        return (
            f"Graph(name={self.name!r}, num_nodes={self.num_nodes}, num_edges={self.num_edges}, "
            f"merged_edges={self.merged_edges}, self_loops={self.self_loops})"
        )
