"""The twin split: edges that correspond to each other in the copies of a graph fall into the same part.

A random split of two copies undoes their symmetry, and an edge whose twin is a training edge is given away by it.
"""

from collections.abc import Sequence

import numpy as np

from edgeorbit.data.splits.random import RATIOS, split_groups
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph


def twin_split(graph: Graph, ratios: Sequence[float] = RATIOS, seed: int = 0) -> LinkSplit:
    """Split a synthetic graph at random, corresponding edges together.

    Two edges correspond if they stem from the same edge of the source: in two copies, or as the edges of a node and of
    its clone. An added edge that no other copy has is split on its own.

    Parameters
    ----------
    graph
        A graph with an `origin`, as `edgeorbit.synthetic.make` makes it.
    ratios, seed
        As for `random_split`; the ratios hold for groups of corresponding edges.

    Examples
    --------
    >>> from edgeorbit.synthetic import make
    >>> test = twin_split(make("syn-karate")).test
    >>> (test[test[:, 0] < 34] + 34).tolist() == test[test[:, 0] >= 34].tolist()
    True
    """
    origin = graph.origin
    if origin is None:
        raise InvalidParameterError(
            f"{graph.name} is not known to be made of copies or twins; take split random, or a graph that synth made"
        )
    ends = graph.edges
    # Within a copy, an edge goes by the source nodes of its ends; between copies, by the nodes of the copies.
    between = origin.copy[ends[:, 0]] != origin.copy[ends[:, 1]]
    num_sources = int(origin.original.max(initial=0)) + 1
    name = origin.original[ends].astype(np.int64)
    name[between] += num_sources * (1 + origin.copy[ends[between]].astype(np.int64))
    keys = np.sort(name, axis=1) @ np.array([num_sources * (1 + origin.num_copies), 1])
    group = np.unique(keys, return_inverse=True)[1]
    return split_groups(graph, group, ratios, seed, {"split": "twin"})
