"""From a base graph to a synthetic one: so many swaps, then added edges, then twins; and what they changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import ADDED, TWIN, Graph, Origin
from edgeorbit.synthetic.generators import Knob
from edgeorbit.synthetic.moves import AddedEdges, Cloned, Clones, Part, Swaps, check_inter, check_part


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many moves of each kind are made, and the places in their sequences that are skipped."""

    swaps: int = 0
    edges: int = 0
    twins: int = 0
    skipped_edges: tuple[int, ...] = ()
    skipped_twins: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Raise an error for negative amounts."""
        for knob in ("swaps", "edges", "twins"):
            if getattr(self, knob) < 0:
                raise InvalidParameterError(f"{knob} must not be negative, not {getattr(self, knob)}")

    def with_more(self, knob: Knob, amount: int) -> "Amounts":
        """Return the same with another amount of one kind."""
        changed: dict[str, Any] = {knob: amount}
        return replace(self, **changed)

    def skipping_next(self, knob: Knob) -> "Amounts":
        """Return the same without the next edge or twin of its sequence."""
        skipped = getattr(self, f"skipped_{knob}")
        changed: dict[str, Any] = {f"skipped_{knob}": (*skipped, getattr(self, knob) + len(skipped))}
        return replace(self, **changed)


class Construction:
    """A base graph and the moves that can be made in it.

    Parameters
    ----------
    base
        The graph to begin with.
    inter
        The share of added edges between copies; by default a tenth, and 0 if there is one copy.
    part
        What a twin is: a `"node"` with its neighbourhood, or a `"pendant"` part.
    seed
        Which swaps, edges and twins.
    threads
        Number of threads; by default one per core.

    Examples
    --------
    >>> construction = Construction(Graph.from_edges([[0, 1], [1, 2]]), seed=0)
    >>> construction.build(Amounts(edges=1, twins=1)).origin.kind_counts()
    {'original': 2, 'added': 1, 'twin': 2}
    """

    def __init__(
        self,
        base: Graph,
        *,
        inter: float | None = None,
        part: Part = "node",
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.base = base
        self.origin = base.origin or Origin.plain(base.num_nodes, base.num_edges)
        self.inter = (0.1 if self.origin.num_copies > 1 else 0.0) if inter is None else inter
        check_inter(self.inter, self.origin.num_copies, base.name)
        check_part(part)
        self.part, self.seed, self.threads = part, seed, threads
        self._swaps: Swaps | None = None
        self._added: tuple[int, AddedEdges] | None = None
        self._clones: tuple[Any, Clones] | None = None

    def with_options(self, **options: Any) -> "Construction":
        """Return the same construction with another `inter` or `part`."""
        same = {"inter": self.inter, "part": self.part, "seed": self.seed, "threads": self.threads}
        return Construction(self.base, **{**same, **options})

    def room(self, knob: Knob, amounts: Amounts, wanted: int) -> int:
        """Return how many moves of a kind can be made beside the other amounts, or `wanted` if it is less."""
        if knob == "swaps":
            return self._swap_sequence().room(wanted)
        sequence = self._edge_sequence(amounts) if knob == "edges" else self._clone_sequence(amounts)
        return min(wanted, sequence.room - len(getattr(amounts, f"skipped_{knob}")))

    def bare(self, amounts: Amounts) -> Graph:
        """Return the graph without features and without what is known about its edges, which is enough to measure."""
        edges, _, cloned = self._edges(amounts)
        num_nodes = self.base.num_nodes + len(cloned.twin_of)
        return Graph.from_edges(edges, num_nodes, threads=self.threads, name=self.base.name)

    def build(self, amounts: Amounts, recipe: Mapping[str, Any] | None = None) -> Graph:
        """Return the graph, with the features and labels of the base and all that is known about its edges.

        The recipe is kept with it, together with what the moves have changed.
        """
        graph = self.bare(amounts)
        edges, kind, cloned = self._edges(amounts)
        source = np.concatenate([np.arange(self.base.num_nodes), cloned.twin_of])
        twin_of = np.concatenate([self.origin.twin_of, cloned.twin_of]).astype(np.int32)
        in_order = np.lexsort((edges.max(axis=1), edges.min(axis=1)))
        origin = Origin(
            kind[in_order],
            self.origin.copy[source],
            self.origin.original[source],
            twin_of,
            {**(recipe or {}), "changes": compare(self.base, graph)},
        )
        x, y = self.base.x, self.base.y
        return graph.with_attributes(
            x=None if x is None else x[source], y=None if y is None else y[source], origin=origin
        )

    def _edges(self, amounts: Amounts) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], Cloned]:
        """Return all edges, their kinds, and the clones."""
        edges, kind = self._before_twins(amounts)
        if amounts.twins == 0:
            return edges, kind, Cloned(np.empty((0, 2), np.int64), np.empty(0, np.int64))
        cloned = self._clone_sequence(amounts).first(amounts.twins, amounts.skipped_twins)
        kinds = np.concatenate([kind, np.full(len(cloned.edges), TWIN, np.uint8)])
        return np.concatenate([edges, cloned.edges]), kinds, cloned

    def _before_twins(self, amounts: Amounts) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        edges, kind = self._swapped(amounts.swaps)
        if amounts.edges == 0:
            return edges, kind
        added = self._edge_sequence(amounts).first(amounts.edges, amounts.skipped_edges)
        return np.concatenate([edges, added]), np.concatenate([kind, np.full(len(added), ADDED, np.uint8)])

    def _swapped(self, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        if count == 0:
            return self.base.edges.astype(np.int64), self.origin.edge_kind
        edges, new = self._swap_sequence().first(count)
        return edges, np.where(new, np.uint8(ADDED), self.origin.edge_kind)

    def _swap_sequence(self) -> Swaps:
        if self._swaps is None:
            self._swaps = Swaps(self.base, self.origin, self.seed)
        return self._swaps

    def _edge_sequence(self, amounts: Amounts) -> AddedEdges:
        if self._added is None or self._added[0] != amounts.swaps:
            # Edges that were swapped away are not added again either: they would be original, and count as added.
            known = self._graph(np.concatenate([self.base.edges, self._swapped(amounts.swaps)[0]]))
            self._added = amounts.swaps, AddedEdges(known, self.origin, self.inter, self.seed)
        return self._added[1]

    def _clone_sequence(self, amounts: Amounts) -> Clones:
        key = amounts.swaps, amounts.edges, amounts.skipped_edges
        if self._clones is None or self._clones[0] != key:
            graph = self._graph(self._before_twins(amounts)[0])
            self._clones = key, Clones(graph, self.origin, self.part, self.seed)
        return self._clones[1]

    def _graph(self, edges: npt.NDArray[np.int64]) -> Graph:
        return Graph.from_edges(edges, self.base.num_nodes, threads=self.threads, name=self.base.name)


def compare(base: Graph, graph: Graph) -> dict[str, Any]:
    """Compare a graph with the one it was made from.

    Returns
    -------
    dict
        `before` and `after`: nodes, edges, mean and largest degree, components. `degrees_moved`: the share of the
        degree distribution that has moved (the total variation distance). `still` and `moved`: the names of what is
        the same and of what is not.

    Examples
    --------
    >>> path, cycle = Graph.from_edges([[0, 1], [1, 2]]), Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    >>> compare(path, cycle)["still"]
    ['nodes', 'largest degree', 'components']
    """
    before, after = _properties(base), _properties(graph)
    moved = [name for name, value in before.items() if after[name] != value]
    degrees_moved = _distance(base, graph)
    if degrees_moved > 0:
        moved.append("degree distribution")
    still = [name for name in [*before, "degree distribution"] if name not in moved]
    return {"before": before, "after": after, "degrees_moved": degrees_moved, "still": still, "moved": moved}


def _properties(graph: Graph) -> dict[str, float]:
    edges = graph.edges
    members = smallest_members(graph.num_nodes, edges[:, 0].copy(), edges[:, 1].copy())
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "mean degree": 2 * graph.num_edges / graph.num_nodes,
        "largest degree": int(graph.degree.max(initial=0)),
        "components": int((members == np.arange(graph.num_nodes)).sum()),
    }


def _distance(base: Graph, graph: Graph) -> float:
    longest = int(max(base.degree.max(initial=0), graph.degree.max(initial=0))) + 1
    before, after = (np.bincount(one.degree, minlength=longest) / one.num_nodes for one in (base, graph))
    return float(np.abs(before - after).sum() / 2)
