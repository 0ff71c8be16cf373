"""Colours of nodes: what a refinement starts from (degrees, labels, features, or an array), and what it returns."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse

INITIAL_COLOURS = ("degree", "labels", "features")


@dataclass(frozen=True, eq=False)
class Colouring:
    """A colour for every node, from colour refinement (1-WL).

    Attributes
    ----------
    labels : int32 array of length num_nodes
        Canonical colours from 0 to `num_colours - 1`: relabelling the nodes permutes them with the nodes.
    colours_per_round : int64 array of length rounds + 1
        Number of colours at the start and after each round.
    stable : bool
        Whether a further round would change nothing.
    """

    labels: npt.NDArray[np.int32]
    colours_per_round: npt.NDArray[np.int64]
    stable: bool

    @property
    def num_colours(self) -> int:
        """Number of colours."""
        return int(self.colours_per_round[-1])

    num_colors = num_colours

    @property
    def colors_per_round(self) -> npt.NDArray[np.int64]:
        """Number of colours at the start and after each round."""
        return self.colours_per_round

    @property
    def rounds(self) -> int:
        """Rounds after which the colours were reached; further rounds, if any were asked for, changed nothing."""
        return len(self.colours_per_round) - 1

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of nodes of every colour."""
        return np.bincount(self.labels, minlength=self.num_colours)

    @property
    def alpha_v(self) -> float:
        """Share of nodes that share their colour with another node; 0 for a graph without nodes."""
        alone = int(np.count_nonzero(self.sizes == 1))
        return 1 - alone / len(self.labels) if len(self.labels) else 0.0

    def __repr__(self) -> str:
        """Give the counts, not the arrays."""
        return f"Colouring(num_colours={self.num_colours}, rounds={self.rounds}, stable={self.stable})"


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
