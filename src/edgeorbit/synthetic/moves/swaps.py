"""Edge swaps that keep the degree of every node: `a-b, c-d` become `a-d, c-b`."""

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.randomness import Random
from edgeorbit.synthetic.node_pairs import are_among, pair_keys

TRIES = 50  # random partners for an edge, before all of them are looked at
HOPELESS = 200  # edges in a row without any partner, before the search is given up


class Swaps:
    """The sequence of swaps made in a graph; no swap doubles an edge or brings one back, and no edge is moved twice.

    So `2 * count` edges are new after `count` swaps, and there are at most half as many swaps as edges. Edges of nodes
    that have a twin are not swapped, so that twins stay twins.

    Parameters
    ----------
    graph, origin
        The graph, and its twins.
    seed
        Another seed, another sequence.
    """

    def __init__(self, graph: Graph, origin: Origin, seed: int) -> None:
        self._name, self._num_nodes = graph.name, graph.num_nodes
        self._edges = graph.edges.astype(np.int64)
        self._random = Random(seed, "swaps")
        order = self._random.permutation(len(self._edges))
        fixed = origin.twinned[self._edges[order]].any(axis=1)
        self._order: list[int] = order[~fixed].tolist()  # edges not moved yet, the next one last
        self._hopeless = 0
        self._taken = set(pair_keys(self._edges[:, 0], self._edges[:, 1], self._num_nodes).tolist())
        self._moved: list[int] = []
        self._new: list[tuple[int, int]] = []

    def first(self, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return all edges after `count` swaps, shape (num_edges, 2), and whether each is new.

        Raises
        ------
        InvalidParameterError
            If the graph does not allow so many swaps.
        """
        if count > self.room(count):
            raise InvalidParameterError(
                f"{self._name}: {self.room(count):,} swaps that keep every degree and double no edge were found, not "
                f"{count:,}; ask for fewer"
            )
        edges, new = self._edges.copy(), np.zeros(len(self._edges), bool)
        moved = self._moved[: 2 * count]
        edges[moved] = np.array(self._new[: 2 * count], np.int64).reshape(-1, 2)
        new[moved] = True
        return edges, new

    def room(self, wanted: int) -> int:
        """Return how many swaps can be made, or `wanted` if it is less."""
        while len(self._moved) < 2 * wanted and len(self._order) > 1 and self._hopeless < HOPELESS:
            self._hopeless = 0 if self._swap(self._order.pop()) else self._hopeless + 1
        return min(wanted, len(self._moved) // 2)

    def _swap(self, edge: int) -> bool:
        """Swap an edge with a random other one that was not moved; tell whether there was one."""
        for _ in range(TRIES):
            place = int(self._random.one() * len(self._order))
            if self._try(edge, place, self._random.one() < 0.5):
                return True
        partners = self._partners(edge)
        if len(partners) == 0:
            return False
        place, turned = divmod(int(partners[int(self._random.one() * len(partners))]), 2)
        return self._try(edge, place, bool(turned))

    def _try(self, edge: int, place: int, turned: bool) -> bool:
        partner = self._order[place]
        (a, b), (c, d) = self._edges[edge].tolist(), self._edges[partner].tolist()
        if turned:
            c, d = d, c
        first, second = (min(a, d), max(a, d)), (min(b, c), max(b, c))
        keys = [low * self._num_nodes + high for low, high in (first, second)]
        if a == d or b == c or keys[0] in self._taken or keys[1] in self._taken:
            return False
        self._taken.update(keys)  # the old edges stay in it, or else a later swap might make one of them again
        self._moved += [edge, partner]
        self._new += [first, second]
        self._order[place] = self._order[-1]
        self._order.pop()
        return True

    def _partners(self, edge: int) -> npt.NDArray[np.int64]:
        """Return the swaps of an edge that are possible: twice the partner's place, plus one if it is turned."""
        a, b = self._edges[edge]
        ends = self._edges[self._order]
        taken = np.sort(np.fromiter(self._taken, np.int64, len(self._taken)))
        c, d = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2).T
        keys = [pair_keys(a, d, self._num_nodes), pair_keys(b, c, self._num_nodes)]
        possible = (d != a) & (c != b)
        possible &= ~are_among(keys[0], taken) & ~are_among(keys[1], taken)
        return np.flatnonzero(possible)
