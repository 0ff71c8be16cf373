"""Signals of node features: how alike two nodes are, or the means over their neighbours."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import to_scipy
from edgeorbit.graph.graph import Graph
from edgeorbit.signals._structure import Columns, Ends

MOST_COLUMNS = 128  # up to which all principal components are computed at once
CELLS = 1 << 22  # of features that are held at a time


class Features:
    """Cosine, distance and products in principal components of the features of two nodes."""

    prefix = "feature"

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names = graph, names
        self.x = checked(graph)
        components = [int(name.rsplit("_", 1)[1]) for name in names if "product" in name]
        if max(components, default=0) > self.x.shape[1]:
            raise InvalidParameterError(
                f"{graph.name} has {self.x.shape[1]} columns of features, and so no principal component "
                f"{max(components)}; leave {self.prefix}_product_{max(components)} out"
            )
        self.projected = None
        if components:
            prepared = shared["of features"]
            if "projected" not in prepared:
                prepared["projected"] = _principal(self.x)
            self.projected = self._prepare(prepared["projected"])

    def _prepare(self, projected: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return projected

    def _rows(self, nodes: npt.NDArray[np.integer]) -> Any:
        return self.x[nodes]

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        found: Columns = {}
        if any(name.endswith(("cosine", "distance")) for name in self.names):
            cosine, distance = np.empty(ends.shape[1]), np.empty(ends.shape[1])
            size = max(1, CELLS // max(1, self.x.shape[1]))
            for low in range(0, ends.shape[1], size):
                part = slice(low, low + size)
                cosine[part], distance[part] = self._compare(ends[:, part])
            found |= {f"{self.prefix}_cosine": cosine, f"{self.prefix}_distance": distance}
        if self.projected is not None:
            products = self.projected[ends[0]] * self.projected[ends[1]]
            found |= {f"{self.prefix}_product_{i + 1}": each for i, each in enumerate(products.T)}
        return {name: found[name] for name in self.names}

    def _compare(self, ends: Ends) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return cosines and distances of the rows of both nodes."""
        nodes, place = np.unique(ends, return_inverse=True)
        first, second = place.reshape(ends.shape)
        rows = self._rows(nodes)
        if isinstance(rows, np.ndarray):
            squares = np.einsum("ij,ij->i", rows, rows)
            products = np.einsum("ij,ij->i", rows[first], rows[second])
            apart = rows[first] - rows[second]
            distance = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        else:
            squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
            products = np.asarray(rows[first].multiply(rows[second]).sum(axis=1)).ravel()
            apart = rows[first] - rows[second]
            distance = np.sqrt(np.asarray(apart.multiply(apart).sum(axis=1)).ravel())
        lengths = np.sqrt(squares)
        scale = lengths[first] * lengths[second]
        return np.where(scale > 0, products / np.where(scale > 0, scale, 1.0), 0.0), distance


class NeighbourFeatures(Features):
    """The same of the mean features of each node's neighbours; zeros for a node without neighbours."""

    prefix = "neighbour_feature"

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        import scipy.sparse

        scale = scipy.sparse.diags_array(1 / np.maximum(graph.degree, 1))
        self.means = scipy.sparse.csr_array(scale @ to_scipy(graph).astype(np.float64))
        super().__init__(graph, names, options, threads, shared)

    def _prepare(self, projected: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.asarray(self.means @ projected)

    def _rows(self, nodes: npt.NDArray[np.integer]) -> Any:
        return self.means[nodes] @ self.x


def checked(graph: Graph) -> Any:
    """Return the features of a graph as float64 numbers, dense or a sparse matrix.

    Raises
    ------
    InvalidParameterError
        If there are none, they are no numbers, or one of them is not finite.
    """
    import scipy.sparse

    x = graph.x
    if x is None or x.ndim != 2 or x.shape[1] == 0 or x.dtype.kind not in "biuf":
        raise InvalidParameterError(f"{graph.name} has no features that are numbers; leave the signals of features out")
    values = x if isinstance(x, np.ndarray) else x.data
    if not np.isfinite(values).all():
        raise InvalidParameterError(f"{graph.name}: features contain NaN or infinite values; replace them by numbers")
    if isinstance(x, np.ndarray) and np.count_nonzero(x) > x.size // 10:
        return x if x.dtype.kind == "f" else x.astype(np.float64)
    return scipy.sparse.csr_array(x).astype(np.float64)


def _principal(x: Any) -> npt.NDArray[np.float64]:
    """Return the parts of centred features along their first principal components."""
    import scipy.sparse.linalg

    from edgeorbit.signals.catalogue import COMPONENTS

    mean = np.asarray(x.mean(axis=0)).ravel().astype(np.float64)
    width, count = x.shape[1], min(COMPONENTS, x.shape[1])
    if width <= MOST_COLUMNS:
        square = x.T @ x
        dense = np.asarray(square if isinstance(square, np.ndarray) else square.toarray(), np.float64)
        vectors = np.linalg.eigh(dense - x.shape[0] * np.outer(mean, mean))[1][:, ::-1][:, :count]
    else:
        operator = scipy.sparse.linalg.LinearOperator(
            (width, width),
            matvec=lambda vector: x.T @ (x @ vector) - x.shape[0] * mean * (mean @ vector),
            dtype=np.float64,
        )
        # A start that does not depend on chance; constant columns would be a start without a part along some component.
        start = np.cos(np.arange(1, width + 1))
        vectors = scipy.sparse.linalg.eigsh(operator, count, v0=start)[1][:, ::-1]
    projected: npt.NDArray[np.float64] = np.asarray(x @ vectors) - mean @ vectors
    return projected
