"""When links occurred, and how heavily: one entry for every row of the input."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The rows that edges were read from, in ascending order of time.

    Attributes
    ----------
    edge : int64 array
        The edge of every row, a place in `graph.edges`.
    time : int64, float64 or datetime64 array
        Its time.
    weight : float64 array or None
        Its weight.
    """

    edge: npt.NDArray[np.int64]
    time: npt.NDArray[Any]
    weight: npt.NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls, edge: npt.NDArray[np.int64], time: npt.NDArray[Any], weight: npt.NDArray[np.float64] | None
    ) -> "History":
        """Return the history of rows in any order; rows whose edge is -1 are left out."""
        order = np.argsort(time, kind="stable")
        order = order[edge[order] >= 0]
        return cls(edge[order], time[order], None if weight is None else weight[order])

    def first_times(self, num_edges: int) -> npt.NDArray[Any]:
        """Return when every edge occurred first.

        >>> History(np.array([1, 0, 1]), np.array([3, 5, 9])).first_times(2).tolist()
        [5, 3]
        """
        found = np.empty(num_edges, self.time.dtype)
        found[self.edge[::-1]] = self.time[::-1]
        return found

    def before(self, time: Any, kept: npt.NDArray[np.bool_]) -> "History":
        """Return the rows of some edges before a time; those edges are numbered anew, in their order."""
        number = np.cumsum(kept) - 1
        chosen = kept[self.edge] & (self.time < time)
        weight = None if self.weight is None else self.weight[chosen]
        return History(number[self.edge[chosen]], self.time[chosen], weight)

    def weights(self, num_edges: int) -> npt.NDArray[np.float64] | None:
        """Return the sum of the weights of every edge."""
        if self.weight is None:
            return None
        return np.bincount(self.edge, self.weight, num_edges).astype(np.float64, copy=False)


def edge_numbers(
    edges: npt.NDArray[np.int32], num_nodes: int, pairs: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.int64]:
    """Return for every pair of node numbers its place in `Graph.edges`; -1 for what is no edge.

    >>> edge_numbers(np.array([[0, 1], [1, 2]]), 3, np.array([[2, 1], [0, 0], [0, 1]])).tolist()
    [1, -1, 0]
    """
    keys = edges[:, 0].astype(np.int64) * num_nodes + edges[:, 1]
    wanted = np.minimum(pairs[:, 0], pairs[:, 1]).astype(np.int64) * num_nodes
    wanted += np.maximum(pairs[:, 0], pairs[:, 1])
    places: npt.NDArray[np.int64] = np.searchsorted(keys, wanted)
    places[places == len(keys)] = -1
    if len(keys):
        places[keys[places] != wanted] = -1
    return places


def check_values(name: str, what: str, values: Any, number: int) -> npt.NDArray[Any]:
    """Return weights or times as an array, if there is one for each of so many pairs.

    Raises
    ------
    GraphFormatError
        If there are more or fewer, or a weight is no finite number from 0.
    """
    array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if array.shape != (number,):
        raise GraphFormatError(f"{name}: {what} has shape {array.shape} for {number} pairs; give one for each")
    if what == "edge_weight":
        if array.dtype.kind not in "fiub":
            raise GraphFormatError(f"{name}: {what} is of type {array.dtype}; give finite numbers from 0")
        array = array.astype(np.float64)
        bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
        if len(bad):
            raise GraphFormatError(f"{name}: weight {array[bad[0]]} of pair {bad[0]} is no finite number from 0")
    elif array.dtype.kind not in "fiuM":
        raise GraphFormatError(f"{name}: {what} is of type {array.dtype}; give numbers or datetime64")
    return array
