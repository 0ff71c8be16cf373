"""The one graph type: undirected, simple, immutable, over CSR arrays; and where a synthetic graph comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.history import History, check_values, edge_numbers
from edgeorbit.graph.read_report import ReadReport

if TYPE_CHECKING:
    import scipy.sparse

MAX_NODES = 2**31 - 1  # neighbour ids are stored in 32 bits
EDGE_KINDS = ("original", "added", "twin")
ORIGINAL, ADDED, TWIN = range(3)


def dense_array(values: Any, what: str) -> npt.NDArray[Any]:
    """Return the array of a tensor, an array or nested lists.

    Raises
    ------
    GraphFormatError
        If it is a sparse tensor, or nested lists of different lengths.

    Examples
    --------
    >>> dense_array([[0, 1], [1, 2]], "edges").shape
    (2, 2)
    """
    layout = str(getattr(values, "layout", "torch.strided")).removeprefix("torch.")
    if layout != "strided":
        raise GraphFormatError(f"{what} must be a dense tensor, got layout {layout}; give its indices of shape (2, m)")
    try:
        return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    except ValueError:
        raise GraphFormatError(f"{what} must be an array, got rows of different lengths; give two ids each") from None


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """What is known about a graph that was made from another one.

    Attributes
    ----------
    edge_kind : uint8 array of length num_edges
        For every edge of `graph.edges`, a place in `EDGE_KINDS`: an edge of the source graph, an edge added at random
        (which nothing predicts), or an edge of a cloned node.
    copy : int32 array of length num_nodes
        Which copy of the source every node belongs to.
    original : int32 array of length num_nodes
        The node of the source that every node stems from.
    twin_of : int32 array of length num_nodes
        The node that a node is a clone of, -1 for nodes that are none.
    recipe : mapping
        How the graph was made: generator, parameters, seed and what was measured on the way.
    """

    edge_kind: npt.NDArray[np.uint8]
    copy: npt.NDArray[np.int32]
    original: npt.NDArray[np.int32]
    twin_of: npt.NDArray[np.int32]
    recipe: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def plain(cls, num_nodes: int, num_edges: int) -> "Origin":
        """Return the origin of a graph that is its own source.

        >>> Origin.plain(3, 2).kind_counts()
        {'original': 2, 'added': 0, 'twin': 0}
        """
        nodes = np.arange(num_nodes, dtype=np.int32)
        return cls(np.zeros(num_edges, np.uint8), np.zeros_like(nodes), nodes, np.full_like(nodes, -1))

    @property
    def num_copies(self) -> int:
        """Number of copies of the source."""
        return int(self.copy.max(initial=0)) + 1

    @property
    def twinned(self) -> npt.NDArray[np.bool_]:
        """Whether every node is a clone or has one; what is done to such a node alone would undo the pair.

        >>> nodes = np.arange(3, dtype=np.int32)
        >>> Origin(np.zeros(0, np.uint8), nodes * 0, nodes, np.array([-1, -1, 0], np.int32)).twinned.tolist()
        [True, False, True]
        """
        found: npt.NDArray[np.bool_] = self.twin_of >= 0
        found[self.twin_of[found]] = True
        return found

    def kind_counts(self) -> dict[str, int]:
        """Return the number of edges of each kind."""
        counts = np.bincount(self.edge_kind, minlength=len(EDGE_KINDS)).tolist()
        return dict(zip(EDGE_KINDS, counts, strict=True))


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
    reciprocal_edges : int
        How many edges were given in both directions; these are among the merged ones.
    edge_weight : float64 array of length num_edges, or None
        The weight of every edge of `edges`; those of repeated input edges are summed. Heuristics use them; networks
        and measures do not.
    history : History or None
        When each edge occurred, if the input has times.
    read_report : ReadReport or None
        How the file was read that the graph comes from.
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
    reciprocal_edges: int = 0
    edge_weight: npt.NDArray[np.float64] | None = None
    history: History | None = None
    read_report: ReadReport | None = None

    def __post_init__(self) -> None:
        """Keep read-only views of the arrays, and check that what belongs to nodes and edges has one entry for each."""
        for attribute in ("indptr", "indices", "node_names", "x", "y", "edge_weight"):
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
        if self.edge_weight is not None and self.edge_weight.shape != (self.num_edges,):
            raise GraphFormatError(
                f"{self.name}: edge_weight has shape {self.edge_weight.shape} and the graph {self.num_edges} edges; "
                "give one weight per edge"
            )

    @classmethod
    def from_edges(
        cls,
        edges: npt.ArrayLike,
        num_nodes: int | None = None,
        *,
        threads: int | None = None,
        edge_weight: npt.ArrayLike | None = None,
        edge_time: npt.ArrayLike | None = None,
        **attributes: Any,
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
        edge_weight : array of length m, optional
            A weight of every pair, a finite number from 0; those of repeated pairs are summed.
        edge_time : array of length m, optional
            The time of every pair: numbers or datetime64.
        **attributes
            `name`, `node_names`, `x`, `y`.

        Raises
        ------
        GraphFormatError
            If an array has another shape or type, or holds a number outside `range(num_nodes)`.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)], num_nodes=4).num_nodes
        4
        >>> Graph.from_edges([(0, 1), (1, 2), (1, 0)], edge_weight=[1, 5, 2]).edge_weight.tolist()
        [3.0, 5.0]
        """
        name = attributes.get("name", "graph")
        array = dense_array(edges, f"{name}: edges")
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
        counts = {"merged_edges": csr.merged, "self_loops": csr.loops, "reciprocal_edges": csr.reciprocal}
        graph = cls(csr.indptr, csr.indices, **{**counts, **attributes})
        if edge_weight is None and edge_time is None:
            return graph
        columns = array.T if array.shape[0] == 2 and array.shape[1] != 2 else array
        return graph._with_rows(columns, edge_weight, edge_time)

    def _with_rows(self, pairs: npt.NDArray[Any], weight: Any, time: Any) -> "Graph":
        """Return the graph with the weights and times of the pairs that it was made from."""
        edge = edge_numbers(self.edges, self.num_nodes, pairs)
        found: dict[str, Any] = {}
        if weight is not None:
            weight = check_values(self.name, "edge_weight", weight, len(pairs))
            found["edge_weight"] = np.bincount(edge[edge >= 0], weight[edge >= 0], self.num_edges)
        if time is not None:
            found["history"] = History.of(edge, check_values(self.name, "edge_time", time, len(pairs)), weight)
        return replace(self, **found)

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
        """Return the same graph with another `name`, `node_names`, `x`, `y`, `edge_weight` or `origin`.

        With other edges (`indptr` and `indices`) it has the weights and times that are given with them, or none.

        >>> Graph.empty(1).with_attributes(name="dot").name
        'dot'
        """
        if "indices" in attributes:
            attributes = {"edge_weight": None, "history": None, **attributes}
        return replace(self, **attributes)

    def __repr__(self) -> str:
        """Name the graph, its size, and what was merged or dropped."""
        return (
            f"Graph(name={self.name!r}, num_nodes={self.num_nodes}, num_edges={self.num_edges}, "
            f"merged_edges={self.merged_edges}, self_loops={self.self_loops})"
        )


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
