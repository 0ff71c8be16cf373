"""WL-induced edge orbits: edges whose ends have the same unordered pair of colours.

No message-passing model that starts from the same colours can score two edges of one orbit differently.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring


@kernel
def _number_pairs(indptr, indices, colour, num_colours, orbit_of_edge, orbit_colours):
    """Number the edges' colour pairs in ascending order; return how many there are.

    A counting sort by the larger colour and then by the smaller one: two passes, whatever the colours are.
    """
    num_edges = len(orbit_of_edge)
    lower, upper = np.empty(num_edges, np.int32), np.empty(num_edges, np.int32)
    lower_places, upper_places = np.zeros(num_colours + 1, np.int64), np.zeros(num_colours + 1, np.int64)
    edge = 0
    for u in range(len(indptr) - 1):
        for j in range(indptr[u], indptr[u + 1]):
            if indices[j] > u:
                a, b = colour[u], colour[indices[j]]
                lower[edge], upper[edge] = min(a, b), max(a, b)
                lower_places[min(a, b) + 1] += 1
                upper_places[max(a, b) + 1] += 1
                edge += 1
    for c in range(num_colours):
        lower_places[c + 1] += lower_places[c]
        upper_places[c + 1] += upper_places[c]
    by_upper, by_both = np.empty(num_edges, np.uint32), np.empty(num_edges, np.uint32)
    for edge in range(num_edges):
        by_upper[upper_places[upper[edge]]] = edge
        upper_places[upper[edge]] += 1
    for i in range(num_edges):
        edge = by_upper[i]
        by_both[lower_places[lower[edge]]] = edge
        lower_places[lower[edge]] += 1
    orbit = -1
    for i in range(num_edges):
        edge = by_both[i]
        if i == 0 or lower[edge] != orbit_colours[orbit, 0] or upper[edge] != orbit_colours[orbit, 1]:
            orbit += 1
            orbit_colours[orbit, 0], orbit_colours[orbit, 1] = lower[edge], upper[edge]
        orbit_of_edge[edge] = orbit
    return orbit + 1


@kernel
def _shared_pairs(indptr, indices, colour, size, keys):
    """Count the edges with an end that shares its colour, and those that join the two nodes of a colour.

    If `keys` has room, the colour pairs of the former are written to it.
    """
    shared, joining = 0, 0
    num_colours = np.int64(len(size))
    for u in range(len(indptr) - 1):
        if size[colour[u]] == 1:
            continue
        for j in range(indptr[u], indptr[u + 1]):
            v = indices[j]
            if v > u or size[colour[v]] == 1:
                a, b = np.int64(colour[u]), np.int64(colour[v])
                if len(keys) > 0:
                    keys[shared] = min(a, b) * num_colours + max(a, b)
                shared += 1
                joining += a == b and size[a] == 2
    return shared, joining


@kernel
def _count_pairs(keys, num_colours):
    """Count sorted colour pairs: how many there are, occur once, and occur once with twice the same colour."""
    pairs, alone, within = 0, 0, 0
    for i in range(len(keys)):
        if i > 0 and keys[i] == keys[i - 1]:
            continue
        pairs += 1
        if i + 1 == len(keys) or keys[i + 1] != keys[i]:
            alone += 1
            within += keys[i] // num_colours == keys[i] % num_colours
    return pairs, alone, within


class OrbitCounts(NamedTuple):
    """How many edge orbits there are, and how many edges are alone in theirs.

    Attributes
    ----------
    num_orbits : int
        Number of edge orbits.
    alone : int
        Edges that are the only one of their orbit.
    alone_within_colour : int
        Those among them whose two ends have the same colour. Counted in both directions, as ordered colour pairs, such
        an edge meets its own reverse and is not alone.
    """

    num_orbits: int
    alone: int
    alone_within_colour: int


def count_edge_orbits(graph: Graph, colouring: Colouring) -> OrbitCounts:
    """Count edge orbits without numbering them.

    Only edges with an end that shares its colour are visited: the others are alone in their orbit.

    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> count_edge_orbits(path, refine(path))
    OrbitCounts(num_orbits=2, alone=1, alone_within_colour=1)
    """
    arrays = graph.indptr, graph.indices.view(np.uint32), colouring.labels, colouring.sizes
    shared, _ = _shared_pairs(*arrays, np.empty(0, np.int64))
    keys = np.empty(shared, np.int64)
    _shared_pairs(*arrays, keys)
    keys.sort()
    pairs, alone, within = _count_pairs(keys, colouring.num_colours)
    return OrbitCounts(graph.num_edges - shared + pairs, graph.num_edges - shared + alone, within)


def count_alone_when_stable(graph: Graph, colouring: Colouring) -> tuple[int, int]:
    """Return `alone` and `alone_within_colour` of a stable colouring, without grouping edges.

    In a stable colouring all nodes of a colour have equally many neighbours of every other. So the orbit of an edge
    whose ends differ in colour has at least as many edges as the larger of the two colours has nodes, and an orbit
    within a colour of k nodes has at least k / 2: an edge is alone iff both its ends are alone in their colours, or
    they are the two nodes of one colour.
    """
    arrays = graph.indptr, graph.indices.view(np.uint32), colouring.labels, colouring.sizes
    shared, joining = _shared_pairs(*arrays, np.empty(0, np.int64))
    return graph.num_edges - shared + joining, joining


@dataclass(frozen=True, eq=False)
class EdgeOrbits:
    """The WL-induced edge orbits of a graph.

    Attributes
    ----------
    labels : int64 array of length num_edges
        The orbit of every edge, in the order of `graph.edges`; orbits are numbered in the order of their colour pairs.
    colours : int32 array of shape (num_orbits, 2)
        The two colours of every orbit, the smaller first.
    node_colours : int32 array of length num_nodes
        The colour of every node.
    """

    labels: npt.NDArray[np.int64]
    colours: npt.NDArray[np.int32]
    node_colours: npt.NDArray[np.int32]

    @property
    def colors(self) -> npt.NDArray[np.int32]:
        """The two colours of every orbit, the smaller first."""
        return self.colours

    @property
    def node_colors(self) -> npt.NDArray[np.int32]:
        """The colour of every node."""
        return self.node_colours

    @property
    def num_orbits(self) -> int:
        """Number of orbits that hold an edge."""
        return len(self.colours)

    @cached_property
    def orbit_sizes(self) -> npt.NDArray[np.int64]:
        """Number of edges of every orbit."""
        return np.bincount(self.labels, minlength=self.num_orbits)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """For every edge, the number of edges of its orbit."""
        return self.orbit_sizes[self.labels]

    @property
    def indistinguishable(self) -> npt.NDArray[np.bool_]:
        """For every edge, whether its orbit holds another one."""
        return self.sizes > 1

    def colours_of(self, pairs: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the orbit of any node pairs, edges or not, as their two colours, the smaller first."""
        nodes = np.asarray(pairs)
        if nodes.ndim != 2 or nodes.shape[1] != 2 or nodes.dtype.kind not in "iu":
            raise InvalidParameterError(f"node pairs have shape {nodes.shape}; give whole numbers of shape (k, 2)")
        if len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(self.node_colours)):
            raise InvalidParameterError(
                f"node pairs name node {nodes.max() if nodes.min() >= 0 else nodes.min()}; "
                f"the graph has nodes 0 to {len(self.node_colours) - 1}"
            )
        return np.sort(self.node_colours[nodes], axis=1)

    colors_of = colours_of

    def labels_of(self, pairs: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the number of the orbit of any node pairs; -1 where no edge has that orbit."""
        colours = self.colours_of(pairs).astype(np.int64)
        num_colours = int(self.node_colours.max(initial=0)) + 1
        known = self.colours.astype(np.int64) @ np.array([num_colours, 1])
        wanted = colours @ np.array([num_colours, 1])
        if len(known) == 0:
            return np.full(len(wanted), -1, np.int64)
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[place] == wanted, place, -1)

    def __repr__(self) -> str:
        """Give the counts, not the arrays."""
        return f"EdgeOrbits(num_edges={len(self.labels)}, num_orbits={self.num_orbits})"


def edge_orbits(graph: Graph, colouring: Colouring) -> EdgeOrbits:
    """Group the edges of a graph by the colours of their ends.

    Parameters
    ----------
    graph
        The graph.
    colouring
        Its colouring, from `refine`.

    Examples
    --------
    >>> from edgeorbit.orbits.refine import refine
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> orbits = edge_orbits(path, refine(path))
    >>> orbits.labels.tolist(), orbits.sizes.tolist()
    ([0, 1, 0], [2, 1, 2])
    >>> orbits.indistinguishable.tolist()
    [True, False, True]
    >>> orbits.labels_of([[0, 2], [0, 3]]).tolist()
    [0, -1]
    """
    if len(colouring.labels) != graph.num_nodes:
        raise InvalidParameterError(
            f"the colouring has {len(colouring.labels)} nodes and {graph.name} has {graph.num_nodes}; "
            "refine this very graph"
        )
    labels = np.empty(graph.num_edges, np.int64)
    colours = np.empty((graph.num_edges, 2), np.int32)
    num_orbits = _number_pairs(
        graph.indptr, graph.indices.view(np.uint32), colouring.labels, colouring.num_colours, labels, colours
    )
    return EdgeOrbits(labels, colours[:num_orbits].copy(), colouring.labels)
