"""Lobsters: trees whose nodes lie at most two steps from a central path."""

import numpy as np

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.randomness import Random


def lobster(length: int = 20, legs: int = 4, claws: int = 3, seed: int = 0) -> Graph:
    """A path whose nodes carry random numbers of legs, up to `legs`, that end in up to `claws` leaves.

    The nodes of the path mostly differ, the leaves of one leg look alike.

    >>> lobster(length=100).num_nodes
    671
    """
    if length < 1 or legs < 0 or claws < 0:
        raise InvalidParameterError(
            f"a lobster needs length >= 1, legs >= 0 and claws >= 0, not {length}, {legs} and {claws}"
        )
    random = Random(seed, "lobster")
    spine = np.arange(length)
    hips = np.repeat(spine, random.below(np.full(length, legs + 1)))
    feet = length + np.arange(len(hips))
    ankles = np.repeat(feet, random.below(np.full(len(hips), claws + 1)))
    leaves = length + len(hips) + np.arange(len(ankles))
    edges = [np.stack([spine[:-1], spine[1:]]), np.stack([hips, feet]), np.stack([ankles, leaves])]
    return Graph.from_edges(np.concatenate(edges, axis=1).T, length + len(hips) + len(ankles), name="lobster")
