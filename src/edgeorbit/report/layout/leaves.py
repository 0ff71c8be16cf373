"""Leaves of one node can change places; here those of one colour come to lie side by side."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.report.layout.stress import Positions


def gather_leaves(
    positions: Positions, edges: npt.NDArray[np.integer[Any]], colours: npt.NDArray[np.integer[Any]]
) -> Positions:
    """Return the same places, exchanged among the leaves of each node so that leaves of one colour are neighbours.

    >>> star = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> spokes = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    >>> gather_leaves(star, spokes, np.array([9, 5, 7, 5, 7]))[1:].astype(int).tolist()
    [[1, 0], [-1, 0], [0, 1], [0, -1]]
    """
    moved = positions.copy()
    degree = np.bincount(edges.ravel(), minlength=len(positions))
    for leaf, hub in ((0, 1), (1, 0)):
        alone = edges[(degree[edges[:, leaf]] == 1) & (degree[edges[:, hub]] > 3)]
        for node in np.unique(alone[:, hub]).tolist():
            leaves = alone[alone[:, hub] == node, leaf]
            angle = np.arctan2(*(positions[leaves] - positions[node]).T[::-1])
            around = np.argsort(angle, kind="stable")
            # Begin after the widest gap, so that no colour is split between the first places and the last.
            gaps = np.diff(angle[around], append=angle[around[:1]] + 2 * np.pi)
            around = np.roll(around, -int(np.argmax(gaps)) - 1)
            moved[leaves[np.argsort(colours[leaves], kind="stable")]] = positions[leaves[around]]
    return moved
