"""Which nodes of a large graph are drawn: the neighbourhoods of members of its largest orbits."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring

MAX_ORBITS, MAX_MEMBERS = 12, 3  # to begin with; more are taken when all their components are drawn
NODES_AROUND = 12  # a neighbourhood of fewer nodes than this shows little


class Sample(NamedTuple):
    """Nodes to draw.

    Attributes
    ----------
    nodes : int64 array
        Their numbers, ascending.
    sentence : str or None
        What they are; None if they are all nodes of the graph.
    """

    nodes: npt.NDArray[np.int64]
    sentence: str | None


def sample_nodes(graph: Graph, colouring: Colouring, max_nodes: int) -> Sample:
    """Choose at most `max_nodes` nodes: some members of each of the largest orbits, with their neighbourhoods.

    All neighbourhoods grow at the same pace, breadth-first, a node at a time, so that none crowds out another. Nodes of
    large orbits come first, and otherwise the order depends on colours alone: members of one orbit, whose surroundings
    look alike, are drawn with surroundings that look alike. Orbits of nodes without links come last.

    Parameters
    ----------
    graph
        The graph.
    colouring
        Its colouring, from `refine`.
    max_nodes
        How many nodes there may be, at least 2.

    Raises
    ------
    InvalidParameterError
        If `max_nodes` is less than 2.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> from edgeorbit.orbits.refine import refine
    >>> sample_nodes(cycle(100), refine(cycle(100)), 20)
    Sample(nodes=array([ 0,  1,  2,  ..., 99]),
        sentence='20 of 100 nodes: the neighbourhood of 1 node of the only orbit, breadth-first')
    """
    if max_nodes < 2:
        raise InvalidParameterError(f"max_nodes must be at least 2, not {max_nodes}")
    if graph.num_nodes <= max_nodes:
        return Sample(np.arange(graph.num_nodes), None)
    members_per_orbit = int(np.clip(max_nodes // NODES_AROUND, 1, MAX_MEMBERS))
    orbits_at_first = int(np.clip(max_nodes // (NODES_AROUND * members_per_orbit), 1, MAX_ORBITS))
    ranking = _rank_orbits(graph, colouring)
    neighbours = _neighbours_in_order(graph, colouring)

    taken: set[int] = set()
    reached = _Reach(0, 0, 0)
    for starts, reach in _steps(ranking, orbits_at_first, members_per_orbit):
        if len(taken.union(starts)) > max_nodes:
            break
        reached = reach
        taken.update(starts)
        growing = [_breadth_first(start, neighbours) for start in starts]
        while growing and len(taken) < max_nodes:
            growing = [walk for walk in growing if _take_next(walk, taken, max_nodes)]
        if len(taken) == max_nodes:
            break
    return Sample(np.array(sorted(taken), np.int64), _describe(graph, ranking, len(taken), reached))


class _Reach(NamedTuple):
    """From how many of the largest orbits neighbourhoods were taken, and the fewest and most per orbit."""

    num_orbits: int
    fewest: int
    most: int


class _Ranking(NamedTuple):
    """Orbits in the order in which they are drawn, and the members of each."""

    orbits: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]  # of every orbit, by colour
    linked: npt.NDArray[np.bool_]  # by colour: whether a member has a neighbour
    nodes: npt.NDArray[np.int64]  # by colour, nodes with neighbours first
    starts: npt.NDArray[np.int64]

    def members(self, rank: int, first: int, last: int) -> list[int]:
        """Return some members of an orbit, from the first-th on and before the last-th, in an order that scatters them.

        Members with neighbouring numbers often lie in one place; the order is that of numbers read backwards in binary.
        """
        size, start = int(self.sizes[self.orbits[rank]]), int(self.starts[self.orbits[rank]])
        digits = max(size - 1, 0).bit_length()
        backwards = (int(f"{place:0{digits}b}"[::-1], 2) for place in range(2**digits))
        scattered = islice((place for place in backwards if place < size), first, last)
        return [int(self.nodes[start + place]) for place in scattered]


def _rank_orbits(graph: Graph, colouring: Colouring) -> _Ranking:
    sizes = colouring.sizes
    degree = graph.degree
    nodes = np.lexsort((degree == 0, colouring.labels))
    starts = np.cumsum(sizes) - sizes
    largest_degree = np.maximum.reduceat(degree[nodes], starts)
    linked = largest_degree > 0
    # Of equally large orbits, those of high degree show more.
    orbits = np.lexsort((-largest_degree, -sizes, ~linked))
    return _Ranking(orbits, sizes, linked, nodes, starts)


def _steps(ranking: _Ranking, orbits_at_first: int, members: int) -> Iterator[tuple[list[int], _Reach]]:
    """Yield where to begin neighbourhoods: some members of the largest orbits, then of others, then further members."""
    total = len(ranking.orbits)
    begun = min(orbits_at_first, total)
    starts = [start for rank in range(begun) for start in ranking.members(rank, 0, members)]
    yield starts, _Reach(begun, members, members)
    for rank in range(begun, total):
        yield ranking.members(rank, 0, members), _Reach(rank + 1, members, members)
    for further in range(members, int(ranking.sizes.max())):
        for rank in range(total):
            fewest = further + (rank + 1 == total)
            yield ranking.members(rank, further, further + 1), _Reach(total, fewest, further + 1)


def _neighbours_in_order(graph: Graph, colouring: Colouring) -> Callable[[int], list[int]]:
    """Return a function that lists the neighbours of a node: those of large orbits first, then by colour."""

    @cache
    def neighbours(node: int) -> list[int]:
        near = graph.neighbours(node)
        colour = colouring.labels[near]
        ordered: list[int] = near[np.lexsort((near, colour, -colouring.sizes[colour]))].tolist()
        return ordered

    return neighbours


def _breadth_first(start: int, neighbours: Callable[[int], list[int]]) -> Iterator[int]:
    seen, queue = {start}, deque([start])
    while queue:
        for node in neighbours(queue.popleft()):
            if node not in seen:
                seen.add(node)
                queue.append(node)
                yield node


def _take_next(walk: Iterator[int], taken: set[int], max_nodes: int) -> bool:
    """Take the next node that nobody has taken; False if the walk has been everywhere."""
    if len(taken) >= max_nodes:
        return True
    node = next((node for node in walk if node not in taken), None)
    if node is not None:
        taken.add(node)
    return node is not None


def _describe(graph: Graph, ranking: _Ranking, num_nodes: int, reached: _Reach) -> str:
    num_orbits, fewest, most = reached
    used = ranking.orbits[:num_orbits]
    start = f"{num_nodes:,} of {graph.num_nodes:,} nodes: "
    if ranking.sizes.max() == 1:
        which = (
            "the neighbourhood of the node" if num_orbits == 1 else f"the neighbourhoods of the {num_orbits:,} nodes"
        )
        return f"{start}{which} of largest degree, breadth-first, as no two nodes share an orbit"
    smallest = int(ranking.sizes[used].min())
    each = f"{fewest} to {most} nodes" if fewest < most else "1 node" if most == 1 else f"{most} nodes"
    if smallest < most:
        each = f"up to {most} nodes"
    orbits = "the largest orbit" if num_orbits == 1 else f"each of the {num_orbits:,} largest orbits"
    passed_over = ~ranking.linked & (ranking.sizes >= smallest)
    if ranking.linked[used].all() and passed_over.any():
        orbits += " that has links" if num_orbits == 1 else " that have links"
    if num_orbits == len(ranking.orbits):
        orbits = "the only orbit" if num_orbits == 1 else f"each of the {num_orbits:,} orbits"
    many = "neighbourhood" if most == num_orbits == 1 else "neighbourhoods"
    return f"{start}the {many} of {each} of {orbits}, breadth-first"
