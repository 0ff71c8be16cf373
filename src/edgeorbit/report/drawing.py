"""What is drawn of a graph: which nodes and links, where, and what can be told apart in the whole graph."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import check_seed
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import Measurement, measure
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import EdgeOrbits, edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine
from edgeorbit.report.layout import gather_leaves, place_nodes
from edgeorbit.report.sample import sample_nodes
from edgeorbit.report.style import ALONE, BEYOND_PALETTE, ORBITS

MAX_NODES = 500
MOST_NODES = 2000  # the layout takes time and memory that grow with the square, and nobody can see more


@dataclass(frozen=True, eq=False)
class ColouredGraph:
    """A graph with the orbits of its nodes and links.

    Attributes
    ----------
    graph, colouring, orbits
        The graph, the colours of its nodes and the orbits of its edges.
    rounds, initial, threads
        How it was coloured, as for `edgeorbit.refine`; rounds are None for stable colours.
    """

    graph: Graph
    colouring: Colouring
    orbits: EdgeOrbits
    rounds: int | None = None
    initial: str | npt.ArrayLike | None = None
    threads: int | None = None

    @property
    def num_indistinguishable(self) -> int:
        """Number of links that look like another."""
        return int(np.count_nonzero(self.orbits.indistinguishable))

    @property
    def ear(self) -> float:
        """Share of links that look like another; 0 without links."""
        return self.num_indistinguishable / self.graph.num_edges if self.graph.num_edges else 0.0

    @cached_property
    def until_stable(self) -> Measurement:
        """EAR after every round until colours are stable, however many rounds were asked for."""
        return measure(self.graph, initial=self.initial, threads=self.threads)


def colour_graph(
    graph: Graph,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> ColouredGraph:
    """Find the orbits of a graph, for several pictures of it; the arguments are those of `edgeorbit.refine`.

    Raises
    ------
    InvalidParameterError
        If the graph has no nodes.

    Examples
    --------
    >>> from edgeorbit.graph.toys import lobster
    >>> colour_graph(lobster()).num_indistinguishable
    7
    """
    limit = check_rounds(rounds)
    if graph.num_nodes == 0:
        raise InvalidParameterError(f"{graph.name}: has no nodes, so there is nothing to draw; give a graph with nodes")
    colouring = refine(graph, limit, initial, threads=threads)
    return ColouredGraph(graph, colouring, edge_orbits(graph, colouring), limit, initial, threads)


@dataclass(frozen=True, eq=False)
class Drawing:
    """What is drawn of a graph.

    Attributes
    ----------
    coloured : ColouredGraph
        The whole graph.
    nodes : int64 array of length k
        The nodes that are drawn, ascending.
    edges : int64 array of shape (l, 2)
        The edges between them, as places in `nodes`.
    positions : float array of shape (k, 2)
        Where the nodes are.
    indistinguishable : bool array of length l
        Whether each edge looks like another one of the whole graph.
    sample : str or None
        What the nodes are, if they are not all.
    """

    coloured: ColouredGraph
    nodes: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]
    positions: npt.NDArray[np.float64]
    indistinguishable: npt.NDArray[np.bool_]
    sample: str | None

    @property
    def orbit_sizes(self) -> npt.NDArray[np.int64]:
        """For every node that is drawn, the size of its orbit in the whole graph."""
        colouring = self.coloured.colouring
        return colouring.sizes[colouring.labels[self.nodes]]

    @property
    def orbits_with_colour(self) -> npt.NDArray[np.int64]:
        """The shared orbits that get a colour of their own: the largest of those that are drawn."""
        sizes = self.coloured.colouring.sizes
        drawn = np.unique(self.coloured.colouring.labels[self.nodes])
        shared = drawn[sizes[drawn] > 1].astype(np.int64)
        return shared[np.argsort(-sizes[shared], kind="stable")][: len(ORBITS)]

    @property
    def fills(self) -> list[str]:
        """The colour of every node that is drawn."""
        colour_of = dict(zip(self.orbits_with_colour.tolist(), ORBITS, strict=False))
        labels = self.coloured.colouring.labels[self.nodes].tolist()
        return [
            ALONE if size == 1 else colour_of.get(label, BEYOND_PALETTE)
            for label, size in zip(labels, self.orbit_sizes.tolist(), strict=True)
        ]


def lay_out(
    coloured: ColouredGraph,
    *,
    positions: npt.NDArray[np.float64] | None = None,
    max_nodes: int = MAX_NODES,
    seed: int = 0,
    aspect: float = 1.0,
) -> Drawing:
    """Choose what is drawn of a graph, and where.

    Parameters
    ----------
    coloured
        The graph, from `colour_graph`.
    positions : array of shape (num_nodes, 2), optional
        Where nodes are; by default they are laid out by `place_nodes`.
    max_nodes
        A larger graph is drawn by a sample of so many nodes (see `sample_nodes`), at least 2 and at most `MOST_NODES`.
    seed, aspect
        As for `place_nodes`.

    Raises
    ------
    InvalidParameterError
        If `max_nodes` or `seed` is out of its range, or `positions` do not fit the graph.
    """
    check_max_nodes(max_nodes)
    check_seed(seed)
    graph = coloured.graph
    if positions is not None and np.shape(positions) != (graph.num_nodes, 2):
        raise InvalidParameterError(
            f"positions have shape {np.shape(positions)}; give one pair for each of the {graph.num_nodes} nodes"
        )
    nodes, sentence = sample_nodes(graph, coloured.colouring, max_nodes)
    place = np.full(graph.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    near = [place[graph.neighbours(node)] for node in nodes.tolist()]
    pairs = np.stack([np.repeat(np.arange(len(nodes)), [len(row) for row in near]), np.concatenate(near)], axis=1)
    edges = pairs[pairs[:, 0] < pairs[:, 1]]  # a neighbour that is not drawn has place -1
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    if positions is None:
        positions = place_nodes(Graph.from_edges(edges, len(nodes)), seed=seed, aspect=aspect)
        positions = gather_leaves(positions, edges, coloured.colouring.labels[nodes])
    else:
        positions = np.asarray(positions, np.float64)[nodes]
    alike = coloured.orbits.orbit_sizes[coloured.orbits.labels_of(nodes[edges])] > 1
    return Drawing(coloured, nodes, edges, positions, alike, sentence)


def check_max_nodes(max_nodes: int) -> None:
    """Raise `InvalidParameterError` unless so many nodes can be drawn."""
    if not 2 <= max_nodes <= MOST_NODES:
        raise InvalidParameterError(f"max_nodes must be at least 2 and at most {MOST_NODES:,}, not {max_nodes}")
