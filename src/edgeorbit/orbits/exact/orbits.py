"""Orbits of nodes and edges under the automorphism group, for comparison with what colour refinement sees.

Refinement does most of the work: `_reduction` takes the coloured graph apart, `_twins` shrinks what is left, `_bliss`
searches that, `_assembly` puts the generators together, and `_generators` turns them into orbits.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring

if TYPE_CHECKING:
    from edgeorbit.orbits.exact._generators import Generators


@dataclass(frozen=True, slots=True, eq=False)
class ExactOrbits:
    """Orbits of nodes and of edges under the automorphism group of a graph.

    Attributes
    ----------
    node_labels : int32 array of length num_nodes
        Orbit of every node, numbered in order of stable colour, then of the smallest node. Unlike colours, these
        numbers are not canonical: orbits of one colour change places when nodes are renumbered.
    edge_labels : int32 array of length num_edges
        Orbit of every edge of `graph.edges`, numbered in order of the colours of its ends, then of the first edge.
    num_node_orbits, num_edge_orbits : int
        How many there are.
    log10_group_size : float or None
        log10 of the number of automorphisms; None if a part without further reduction was too large to count them.
    generators : Generators
        Automorphisms of which all others are made.
    """

    node_labels: npt.NDArray[np.int32]
    edge_labels: npt.NDArray[np.int32]
    num_node_orbits: int
    num_edge_orbits: int
    log10_group_size: float | None
    generators: "Generators"

    def __repr__(self) -> str:
        """Give the counts, not the arrays."""
        return (
            f"ExactOrbits(num_node_orbits={self.num_node_orbits}, num_edge_orbits={self.num_edge_orbits}, "
            f"log10_group_size={self.log10_group_size})"
        )


def exact_orbits(
    graph: Graph, colouring: Colouring | None = None, *, time_limit: float = 60.0, memory_limit: int | None = None
) -> ExactOrbits:
    """Find the orbits of nodes and edges under the automorphism group.

    Parameters
    ----------
    graph
        The graph.
    colouring
        Its colours; by default they are computed. If they were refined from initial colours, only automorphisms that
        keep those count. Colours that are not stable are refined further first.
    time_limit
        Seconds that it may take. (What is left after reduction is searched in a process of its own, which is ended
        when time is up, unless it has less than a hundred nodes and takes milliseconds.)
    memory_limit
        Bytes of address space that the process of the search may take, some 150 MB of the interpreter and its libraries
        included; None for no limit.

    Returns
    -------
    ExactOrbits
        Always at least as fine as the colours and their edge orbits.

    Raises
    ------
    LimitExceededError
        If a limit is reached.
    MissingExtraError
        If the graph cannot be solved by reduction alone and igraph is not installed.

    Examples
    --------
    All edges of a triangular prism look alike to a message-passing network, but only three of them lie in no triangle:

    >>> from edgeorbit import Graph
    >>> prism = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)])
    >>> orbits = exact_orbits(prism)
    >>> orbits.num_node_orbits, orbits.num_edge_orbits
    (1, 2)
    >>> round(10**orbits.log10_group_size)
    12
    """
    if not time_limit > 0:
        raise InvalidParameterError(f"time_limit must be more than 0 seconds, not {time_limit}")
    if memory_limit is not None and memory_limit <= 0:
        raise InvalidParameterError(
            f"memory_limit must be more than 0 bytes, not {memory_limit}; leave it out for none"
        )
    if colouring is not None and len(colouring.labels) != graph.num_nodes:
        raise InvalidParameterError(
            f"{graph.name}: the colouring has {len(colouring.labels)} nodes and the graph {graph.num_nodes}; "
            "give the colouring of this graph"
        )
    from edgeorbit.orbits.exact._generators import Generators, edge_orbits, node_orbits
    from edgeorbit.orbits.refine import refine

    deadline = time.monotonic() + time_limit
    if colouring is None:
        colouring = refine(graph)
    elif not colouring.stable:
        # Colours after K rounds are kept by every automorphism that keeps the initial ones, so nothing is lost.
        colouring = refine(graph, initial=colouring.labels)
    parts, log10_group_size = _generators(graph, colouring, deadline, time_limit, memory_limit)
    generators = Generators.concatenate(parts)
    colour = colouring.labels
    first_node = node_orbits(graph.num_nodes, generators)
    first_edge = edge_orbits(graph, generators)
    ends = np.sort(colour[graph.edges[first_edge]].reshape(-1, 2), axis=1)
    node_labels, num_node_orbits = _number(colour.astype(np.int64), first_node)
    edge_labels, num_edge_orbits = _number(ends[:, 0] * np.int64(colouring.num_colours) + ends[:, 1], first_edge)
    return ExactOrbits(node_labels, edge_labels, num_node_orbits, num_edge_orbits, log10_group_size, generators)


def _generators(
    graph: Graph, colouring: Colouring, deadline: float, time_limit: float, memory_limit: int | None
) -> "tuple[list[Generators], float | None]":
    from edgeorbit.orbits.exact._assembly import assemble, find_patterns, solve
    from edgeorbit.orbits.exact._bliss import search
    from edgeorbit.orbits.exact._reduction import reduce
    from edgeorbit.orbits.exact._twins import shrink

    where = "while the graph was being reduced"
    try:
        reduction = reduce(graph, colouring, deadline)
        part = reduction.irreducible
        components, component = np.unique(part.component, return_inverse=True)
        shrunk = shrink(component, colouring.labels[part.nodes], part.edges, deadline)
        patterns, occurrences = find_patterns(component, shrunk.items)
        where = (
            f"with {int(patterns.size.sum())} nodes and {int(patterns.num_edges.sum())} edges "
            f"in {len(patterns.size)} component(s) left to search after reduction"
        )
        found = search(patterns, deadline - time.monotonic(), memory_limit)
    except TimeoutError:
        raise LimitExceededError(
            f"{graph.name}: exact orbits were not found within time_limit={time_limit:g} s, {where}; "
            "raise time_limit, or use the orbits of colour refinement"
        ) from None
    except MemoryError:
        limit = "the memory of this machine" if memory_limit is None else f"memory_limit={memory_limit} bytes"
        raise LimitExceededError(
            f"{graph.name}: exact orbits need more than {limit}, {where}; "
            "raise memory_limit, or use the orbits of colour refinement"
        ) from None
    solved = solve(components, component, shrunk, patterns, occurrences, found)
    generators, log10_group_size = assemble(reduction, colouring.labels, solved)
    for swaps in shrunk.swaps:
        generators.append(swaps._replace(source=part.nodes[swaps.source], image=part.nodes[swaps.image]))
    return generators, None if np.isnan(log10_group_size) else log10_group_size


def _number(key: npt.NDArray[np.int64], first: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.int32], int]:
    """Number orbits, given by their first members, in order of the key, then of the first member."""
    heads = np.flatnonzero(first == np.arange(len(first)))
    number = np.empty(len(first), np.int32)
    number[heads[np.argsort(key[heads], kind="stable")]] = np.arange(len(heads), dtype=np.int32)
    return number[first], len(heads)
