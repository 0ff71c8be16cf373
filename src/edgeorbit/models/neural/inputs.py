"""What an encoder is given: the neighbourhoods of a graph, and the features of its nodes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from edgeorbit.data.features import num_channels
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.product import Matrix, multiply

SPARSE_BELOW = 0.05  # share of entries that are not zero, below which a sparse product is quicker than a dense one

Features = Tensor | Matrix
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """A graph and its features, ready for message passing.

    Attributes
    ----------
    adjacency : Matrix
        Ones where there is an edge, shape (num_nodes, num_nodes).
    degree : Tensor
        Number of neighbours of every node, as float, shape (num_nodes, 1).
    x : Tensor or Matrix
        Features, shape (num_nodes, in_channels).
    graph : Graph
        The very graph, for models that look at more than neighbourhoods.
    """

    adjacency: Matrix
    degree: Tensor
    x: Features
    graph: Graph
    _derived: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, x: Features | None = None) -> "Inputs":
        """Prepare a graph; features that were prepared before can be given again."""
        degree = torch.from_numpy(graph.degree.astype(np.float32))[:, None]
        adjacency = Matrix(graph.indptr, graph.indices, None, graph.num_nodes)
        return cls(adjacency, degree, prepare_features(graph) if x is None else x, graph)

    def to(self, device: torch.device) -> "Inputs":
        """Return the inputs for a device; what is sparse moves when it is multiplied with."""
        x = self.x if isinstance(self.x, Matrix) else self.x.to(device)
        return replace(self, degree=self.degree.to(device), x=x)

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
