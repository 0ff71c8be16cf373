"""What an encoder is given: the neighbourhoods of a graph, and the features of its nodes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit.data.features import num_channels
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural import device
from edgeorbit.models.neural.product import Matrix, multiply

SPARSE_BELOW = 0.05  # share of entries that are not zero, below which a sparse product is quicker than a dense one

Features = Tensor | Matrix
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The nodes that a batch needs: first those whose embeddings are read, then their neighbours, and so on.

    So whoever has the rows of the first `counts[i + 1]` nodes can pass messages to the first `counts[i]`.

    Attributes
    ----------
    nodes : int32 array
        The nodes, ascending among those of one distance.
    counts : tuple of int
        How many of them lie within 0, 1, ... steps of what is read.
    place : int32 array of length num_nodes
        Where each node of the graph stands in `nodes`, -1 if it does not.
    """

    nodes: npt.NDArray[np.int32]
    counts: tuple[int, ...]
    place: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """A graph and its features, ready for message passing.

    Attributes
    ----------
    adjacency : Matrix
        Ones where there is an edge, shape (num_nodes, num_nodes).
    degree : Tensor
        Number of neighbours of every node, as float, shape (num_nodes, 1); those of `rows` alone, if there are any.
    x : Tensor or Matrix
        Features, shape (num_nodes, in_channels), or those of `rows`.
    graph : Graph
        The very graph, for models that look at more than neighbourhoods.
    rows : Rows or None
        The nodes that are computed; None: all of them, in their order.
    """

    adjacency: Matrix
    degree: Tensor
    x: Features
    graph: Graph
    _derived: dict[Any, Any] = field(default_factory=dict)
    rows: Rows | None = None
    _blocks: dict[Any, Matrix] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, x: Features | None = None) -> "Inputs":
        """Prepare a graph; features that were prepared before can be given again."""
        degree = torch.from_numpy(graph.degree.astype(np.float32))[:, None]
        adjacency = Matrix(graph.indptr, graph.indices, None, graph.num_nodes)
        return cls(adjacency, degree, prepare_features(graph) if x is None else x, graph)

    def to(self, where: torch.device) -> "Inputs":
        """Return the inputs for a device; what is sparse moves when it is multiplied with."""
        x = self.x if isinstance(self.x, Matrix) else self.x.to(where)
        return replace(self, degree=self.degree.to(where), x=x)

    def double(self) -> "Inputs":
        """Return the inputs in double precision; what is sparse takes that of what it is multiplied with."""
        x = self.x if isinstance(self.x, Matrix) else self.x.double()
        return replace(self, degree=self.degree.double(), x=x, _derived={})

    def derive(self, make: Callable[[Graph], T]) -> T:
        """Return what a function makes of the graph; it is called once for these inputs, however often it is asked."""
        if make not in self._derived:
            self._derived[make] = make(self.graph)
        found: T = self._derived[make]
        return found

    def only(self, rows: Rows) -> "Inputs":
        """Return the inputs of these rows alone; what is derived from the graph is shared."""
        nodes = rows.nodes
        if isinstance(self.x, Matrix):
            x: Features = self.x.select(nodes)
        else:
            x = self.x.index_select(0, device.place(nodes, self.x))
        return replace(
            self, degree=self.degree.index_select(0, device.place(nodes, self.degree)), x=x, rows=rows, _blocks={}
        )

    def reweighed(self, values: npt.NDArray[np.float32]) -> "Inputs":
        """Return the inputs with weights of the entries of the adjacency; degrees are their sums."""
        whole = Matrix(self.adjacency.indptr, self.adjacency.indices, values, self.adjacency.shape[1])
        degree = whole.multiply(np.ones((whole.shape[1], 1), np.float32))
        if self.rows is not None:
            degree = degree[self.rows.nodes]
        return replace(self, adjacency=whole, degree=device.place(degree, self.degree))

    def block(self, num_rows: int) -> Matrix:
        """Return the adjacency of the nodes that messages can be passed to, if the first `num_rows` rows are known."""
        rows = self.rows
        if rows is None:
            return self.adjacency
        key = self.adjacency, num_rows
        if key not in self._blocks:
            # Of equal counts the last: where no node has a neighbour outside, none is lost.
            steps = max((step for step, count in enumerate(rows.counts) if count == num_rows), default=0)
            if steps == 0:
                raise ValueError(f"messages need {num_rows} rows and one step more than the {rows.counts} of the batch")
            self._blocks[key] = self._local(rows).head(rows.counts[steps - 1], num_rows)
        return self._blocks[key]

    def _local(self, rows: Rows) -> Matrix:
        """Return the adjacency of all rows that can be passed messages, in their own numbers."""
        if self.adjacency not in self._blocks:
            inner = rows.nodes[: rows.counts[-2]]
            self._blocks[self.adjacency] = self.adjacency.select(inner, rows.place, rows.counts[-1])
        return self._blocks[self.adjacency]

    def nodes(self, num_rows: int) -> npt.NDArray[np.int32] | None:
        """Return the nodes that the first rows belong to; None if they are all, in order."""
        return None if self.rows is None else self.rows.nodes[:num_rows]

    def names(self, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int32]:
        """Return the nodes of rows."""
        return rows.astype(np.int32) if self.rows is None else self.rows.nodes[rows]

    def local(self, nodes: Any) -> Any:
        """Return the rows of nodes, as an array or a tensor in main memory as they are."""
        return local_rows(self.rows, nodes)


def local_rows(rows: Rows | None, nodes: Any) -> Any:
    """Return where nodes stand, as an array or a tensor in main memory as they are.

    >>> rows = Rows(np.array([2, 0], np.int32), (2,), np.array([1, -1, 0], np.int32))
    >>> local_rows(rows, torch.tensor([[0, 2]])).tolist(), local_rows(None, [1])
    ([[1, 0]], [1])
    """
    if rows is None:
        return nodes
    if isinstance(nodes, Tensor):
        return torch.from_numpy(rows.place[nodes.numpy()].astype(np.int64))
    return rows.place[nodes]


def head(x: Features, num_rows: int) -> Features:
    """Return the first rows of features."""
    if isinstance(x, Matrix):
        return x if num_rows == x.shape[0] else x.head(num_rows, x.shape[1])
    return x[:num_rows]


def prepare_features(graph: Graph) -> Features:
    """Return the features of a graph as a dense tensor, or as a sparse matrix if most of them are zero.

    Raises
    ------
    InvalidParameterError
        If there are no features, or they are no finite numbers.
    """
    x: Any = graph.x
    num_entries = graph.num_nodes * num_channels(graph)
    values = x if isinstance(x, np.ndarray) else x.data
    if values.dtype.kind not in "iufb":
        raise InvalidParameterError(f"{graph.name}: features are numbers, not {values.dtype}; convert them")
    if not np.isfinite(values).all():
        raise InvalidParameterError(f"{graph.name}: a feature is NaN or infinite; replace it by a number")
    if np.count_nonzero(values) < SPARSE_BELOW * num_entries:
        import scipy.sparse

        return Matrix.from_scipy(scipy.sparse.csr_array(x))
    return torch.from_numpy((x if isinstance(x, np.ndarray) else x.toarray()).astype(np.float32))


class FeatureLinear(torch.nn.Linear):
    """A linear layer whose input may be sparse.

    Its weights lie in memory as the sparse product needs them, input by input; otherwise wide ones would be turned
    in every step.
    """

    def __init__(self, in_channels: int, out_channels: int, bias: bool = True) -> None:
        super().__init__(in_channels, out_channels, bias)
        self.weight = torch.nn.Parameter(self.weight.detach().T.contiguous().T)

    def forward(self, x: Features) -> Tensor:
        """Map features of shape (n, in_channels) to shape (n, out_channels)."""
        if not isinstance(x, Matrix):
            return super().forward(x)
        out = multiply(x, self.weight.T.contiguous())
        return out if self.bias is None else out + self.bias
