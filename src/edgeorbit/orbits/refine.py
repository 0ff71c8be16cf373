"""Colour refinement (1-WL): the coarsest partition that message passing cannot split.

One round gives every node the pair of its colour and the multiset of its neighbours' colours. Rounds over all nodes
(`dense`) come first; when few nodes move, rounds over their neighbours (`frontier`) take over. Both give the partition
that the definition gives, round by round, and the colours are canonical because every choice, also that between the
two, depends on counts and hash values that relabelling the nodes does not change.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._parallel import resolve_threads
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph, disjoint_union
from edgeorbit.orbits._refinement.dense import Cost, DenseRounds, class_aligned
from edgeorbit.orbits._refinement.frontier import Frontier
from edgeorbit.orbits._refinement.hashing import FULL_MASK, salt_of
from edgeorbit.orbits._refinement.partition import Partition, Workspace, count_degrees
from edgeorbit.orbits._refinement.verify import members_agree
from edgeorbit.orbits.colouring import Colouring, initial_keys

# What a round costs, in units of one neighbour read by a dense round; measured on trees and grids.
DENSE_NODE_COST = 20  # sorting and cutting, per node that shares its class
FRONTIER_ENTRY_COST = 25  # random reads and writes, per neighbour of a moved node
FRONTIER_SETUP_COST = 2  # per node of the graph
SMALL_GRAPH, PATIENT_ROUNDS = 20_000, 16  # so few nodes and rounds are not worth compiling the other kind of rounds
NODES_PER_THREAD = 20_000  # below this a second thread costs more than it saves
MAX_THREADS = 256  # parts of the work are numbered in 8 bits


def refine(
    graph: Graph,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> Colouring:
    """Colour the nodes of a graph by colour refinement.

    Parameters
    ----------
    graph
        The graph.
    rounds
        Number of rounds K: what a message-passing network of K layers can tell apart. None (the default) refines until
        the colours are stable.
    initial
        Colours to start from: None (all nodes alike), `"degree"`, `"labels"` (the graph's `y`), `"features"` (equal
        rows of the graph's `x` are alike), or an array with a value or a row per node.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Returns
    -------
    Colouring
        Two nodes have the same colour if and only if they are indistinguishable. Hash values are used inside, but the
        result is proved by counting and repaired where they collide.

    Raises
    ------
    InvalidParameterError
        If `rounds` is negative or `initial` does not fit the graph.

    Examples
    --------
    The ends of a path differ from its middle, and stable colours see how far a node is from an end:

    >>> from edgeorbit import Graph
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> refine(path, rounds=1).labels.tolist()
    [0, 1, 1, 1, 0]
    >>> refine(path)
    Colouring(num_colours=3, rounds=2, stable=True)
    """
    refinement = Refinement(graph, initial, threads=threads, prove_rounds=rounds is not None)
    refinement.run(check_rounds(rounds))
    return refinement.colouring()


def refine_by_round(
    graph: Graph, rounds: int | None = None, initial: Any = None, *, threads: int | None = None
) -> Iterator[Colouring]:
    """Yield the colouring at the start and after each round, until it is stable or `rounds` are made.

    Examples
    --------
    >>> from edgeorbit import Graph
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> [colouring.num_colours for colouring in refine_by_round(path)]
    [1, 2, 3]
    """
    limit = check_rounds(rounds)
    refinement = Refinement(graph, initial, threads=threads, prove_rounds=True)
    made = -1
    while made < refinement.rounds:
        made = refinement.rounds
        yield refinement.colouring()
        if limit is None or made < limit:
            refinement.run(1)


def refine_together(
    graphs: Sequence[Graph], rounds: int | None = None, initial: Any = None, *, threads: int | None = None
) -> list[Colouring]:
    """Colour several graphs at once, so that equal labels mean the same in all of them.

    Examples
    --------
    Two triangles and a hexagon look the same to a message-passing network:

    >>> from edgeorbit import Graph
    >>> hexagon = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> [colouring.labels.tolist() for colouring in refine_together([hexagon, triangles])]
    [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]
    """
    if not graphs:
        return []
    together = refine(disjoint_union(graphs), rounds, initial, threads=threads)
    ends = np.cumsum([graph.num_nodes for graph in graphs])
    return [
        Colouring(labels, together.colours_per_round, together.stable)
        for labels in np.split(together.labels, ends[:-1])
    ]


def check_rounds(rounds: int | None) -> int | None:
    """Return the number of rounds if it is one."""
    if rounds is not None and rounds < 0:
        raise InvalidParameterError(f"rounds must be 0 or more, not {rounds}; leave it out for stable colours")
    return rounds


class Refinement:
    """A refinement under way: the partition so far, and what chooses the next round.

    Parameters
    ----------
    graph, initial, threads
        As for `refine`.
    prove_rounds
        Whether every round is proved exact. Otherwise the stable partition is, at the end: hashing can only leave nodes
        together that belong apart, so if it is stable it is the right one.
    mask
        Which bits of hash values are used; fewer only to test that collisions are repaired.
    space
        Work arrays to use; by default new ones.
    """

    def __init__(
        self,
        graph: Graph,
        initial: Any = None,
        *,
        threads: int | None = None,
        prove_rounds: bool,
        mask: np.uint64 = FULL_MASK,
        space: Workspace | None = None,
    ) -> None:
        n = graph.num_nodes
        self.indptr, self.indices = graph.indptr, graph.indices.view(np.uint32)
        self.threads = max(1, min(resolve_threads(threads), n // NODES_PER_THREAD, MAX_THREADS))
        self.mask, self.prove_rounds = mask, prove_rounds
        self.space = space or Workspace(n)
        if initial is None:
            self.partition = Partition.trivial(self.space)
        else:
            self.partition = Partition.from_keys(initial_keys(graph, initial), self.space)
        num_classes = self.partition.num_classes
        self.classes_per_round = [np.array([num_classes])]
        self.rounds = 0
        self.stable = num_classes == n
        self._all_alike = num_classes == 1
        self._dense = DenseRounds(self.indptr, self.indices, self.space, self.threads, mask)
        self._frontier: Frontier | None = None
        self._cost = self._unknown_cost()
        self._salts = 0

    def run(self, max_rounds: int | None = None) -> None:
        """Make rounds until the partition is stable, or `max_rounds` more are made."""
        last = np.iinfo(np.int64).max if max_rounds is None else self.rounds + max_rounds
        while not self.stable and self.rounds < last:
            if self._all_alike:
                self._split_by_degree()
            elif self._frontier is not None or self._frontier_pays():
                self._frontier_rounds(last - self.rounds)
            else:
                self._dense_round()

    def colouring(self, check_stable: bool = True) -> Colouring:
        """Return the colours as they are now; whether they are stable may have to be found out first."""
        stable = self.stable or (check_stable and self._proved(self.partition.colour))
        return Colouring(self.partition.labels(self.threads), np.concatenate(self.classes_per_round), stable)

    def _split_by_degree(self) -> None:
        """Make the first round of nodes that are all alike: only degrees can differ."""
        self._all_alike = False
        sizes = count_degrees(self.indptr)
        self.partition = Partition.from_degrees(self.indptr, sizes, self.space)
        if self.partition.num_classes == 1:
            self.stable = True
            return
        self._record(np.array([self.partition.num_classes]))
        commonest = int(sizes.argmax())
        moved = len(self.indptr) - 1 - int(sizes[commonest])
        self._cost = Cost(active=int(sizes[sizes > 1].sum()), moved=moved)
        if self._frontier_pays():  # all but the nodes of the commonest degree have moved
            start = int(sizes[:commonest].sum())
            self.space.moved[:start] = self.partition.order[:start]
            self.space.moved[start:moved] = self.partition.order[start + sizes[commonest] :]

    def _dense_round(self) -> None:
        partition, before = self.partition, self.partition.num_classes
        if self.prove_rounds:
            seen = self.space.seen
            seen[:] = partition.colour
            self._cost = self._dense.split(partition, partition.colour, self._next_salt(), self._cost)
            while not self._proved(seen):
                self._dense.split(partition, seen, self._next_salt(), self._unknown_cost())
                self._cost = self._unknown_cost()
        else:
            self._cost = self._dense.split(partition, partition.colour, self._next_salt(), self._cost)
        if partition.num_classes > before:
            self._record(np.array([partition.num_classes]))
        else:
            self._stop_if_stable()

    def _frontier_pays(self) -> bool:
        if self._cost.moved is None or (len(self.indptr) <= SMALL_GRAPH and self.rounds < PATIENT_ROUNDS):
            return False
        n, entries = len(self.indptr) - 1, len(self.indices)
        dense = self._cost.active * (DENSE_NODE_COST * n + entries)
        return self._cost.moved * FRONTIER_ENTRY_COST * entries + n * FRONTIER_SETUP_COST * n < dense

    def _frontier_rounds(self, max_rounds: int) -> None:
        if self._frontier is None:
            self.space.release()
            graph, num_moved = (self.indptr, self.indices), self._cost.moved or 0
            self._frontier = Frontier(*graph, self.partition, num_moved, self.space, self.mask, self.prove_rounds)
        frontier = self._frontier
        classes, proved = frontier.run(max_rounds, self._next_salt())
        self._record(classes)
        if not proved or frontier.num_moved == 0:
            self._frontier = None
            self._cost = self._unknown_cost()
        if proved and frontier.num_moved == 0:
            self._stop_if_stable()

    def _stop_if_stable(self) -> None:
        """End the refinement if the partition is proved stable; otherwise continue with other hash values."""
        self.stable = self.prove_rounds or self._proved(self.partition.colour)

    def _record(self, classes: npt.NDArray[np.int64]) -> None:
        self.classes_per_round.append(classes)
        self.rounds += len(classes)
        self.stable = self.partition.num_classes == len(self.partition.order)

    def _proved(self, seen: npt.NDArray[np.int32]) -> bool:
        chunks = class_aligned(self.partition, self.threads)
        return members_agree(self.indptr, self.indices, self.partition, seen, chunks)

    def _next_salt(self) -> np.uint64:
        self._salts += 1
        return salt_of(self._salts)

    def _unknown_cost(self) -> Cost:
        return Cost(active=len(self.indptr) - 1, moved=None)
