"""Names of colours that mean the same in every graph.

`refine` numbers the colours of one graph. A table that is learned on one graph and looked up on another, or on the
same graph without a batch of links, needs a name that depends on the colour alone: a 64-bit hash of the tree that a
node sees in K rounds.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits._refinement.hashing import mix, salt_of
from edgeorbit.orbits.refine import check_rounds


@kernel
def _name_round(indptr, indices, names, own_salt, neighbour_salt, longer):
    """Name every node by its own name and the multiset of its neighbours' names."""
    for v in range(len(names)):
        total = mix(names[v], own_salt)
        for j in range(indptr[v], indptr[v + 1]):
            total += mix(names[indices[j]], neighbour_salt)
        longer[v] = total


def role_names(graph: Graph, rounds: int, initial: npt.ArrayLike | None = None) -> npt.NDArray[np.uint64]:
    """Return for every node a name of its colour after so many rounds of colour refinement.

    Nodes of equal colour have equal names, whichever graph they are in and however its nodes are numbered. Nodes of
    different colours have different names, unless 64 bits collide: among a million colours with probability 3e-8. The
    names are the same on every machine.

    Parameters
    ----------
    graph
        The graph.
    rounds
        Number of rounds, at least 0.
    initial : integer array of length num_nodes, optional
        Colours to start from, which must mean the same in all graphs that are compared; by default all nodes are alike.

    Examples
    --------
    The end of a path and the tip of a star look alike after one round, and not after two:

    >>> path, star = Graph.from_edges([[0, 1], [1, 2], [2, 3]]), Graph.from_edges([[0, 1], [0, 2], [0, 3]])
    >>> [bool(role_names(path, rounds)[0] == role_names(star, rounds)[1]) for rounds in (1, 2)]
    [True, False]
    """
    check_rounds(rounds)
    names = np.zeros(graph.num_nodes, np.uint64)
    if initial is not None:
        names = np.ascontiguousarray(initial).astype(np.uint64)
    longer = np.empty_like(names)
    indices = graph.indices.view(np.uint32)
    for made in range(rounds):
        _name_round(graph.indptr, indices, names, salt_of(2 * made), salt_of(2 * made + 1), longer)
        names, longer = longer, names
    return names
