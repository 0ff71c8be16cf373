"""Nodes by the user's own ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph


class UnknownPairError(InvalidParameterError):
    """A pair names a node that is not there; `row` is its place, from 0, and `reason` what is wrong with it."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(f"pair {row + 1}: {reason}")
        self.row, self.reason = row, reason


def node_numbers(graph: Graph, pairs: Sequence[Sequence[Any]] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return pairs of node numbers for pairs of the user's own ids.

    Raises
    ------
    UnknownPairError
        If there is no such node; the message names it and the pair.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]], node_names=np.array(["ann", "bob", "cy"]))
    >>> node_numbers(path, [["cy", "ann"]]).tolist()
    [[2, 0]]
    """
    names = np.arange(graph.num_nodes) if graph.node_names is None else graph.node_names
    number = {str(name): i for i, name in enumerate(names.tolist())}
    found = np.empty((len(pairs), 2), np.int64)
    for row, pair in enumerate(pairs):
        if len(pair) != 2:
            raise UnknownPairError(row, f"has {len(pair)} nodes; give two")
        for side, name in enumerate(pair):
            if str(name) not in number:
                raise UnknownPairError(row, f"there is no node {str(name)!r} in {graph.name}; check its spelling")
            found[row, side] = number[str(name)]
    return found
