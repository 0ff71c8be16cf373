"""Negatives to train with: drawn anew in every epoch, from the training graph alone."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.non_edges import NonEdges
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

TrainingKind = Literal["random", "orbit", "heart", "shared-end"]
TRIES = 32  # draws for a node before it gets a random negative


class NegativeSampler:
    """Draws non-edges of a training graph.

    A held-out edge is a non-edge of the training graph, and may be drawn by chance: the sampler knows nothing of
    held-out edges, so its negatives say nothing about them.

    Parameters
    ----------
    graph
        The training graph.
    kind
        `"random"`: all non-edges are equally likely. `"orbit"`: for each training edge, the non-edges of its WL edge
        orbit are. `"heart"`: one end of each training edge, either with equal chance, is kept and the other replaced
        by the end of a walk of two steps; so a non-neighbour is drawn in proportion to its resource allocation with
        the end that is kept, without any list of candidates. `"shared-end"`: one end of each training edge, either with
        equal chance, is kept, and the other replaced by any of its non-neighbours, all equally likely. Where an edge
        has no such negative (for the last two: where 32 draws found none), a random non-edge is drawn.
    seed
        The same seed gives the same negatives, on every machine.
    exclude_isolated
        Whether nodes without a training edge are left out; positives never have them, so a model that sees them in
        negatives alone learns that they have no edges.
    rounds
        For `"orbit"`: rounds of colour refinement, None for stable colours.

    Attributes
    ----------
    covered : float
        For `"orbit"`, the share of training edges that have a negative of their orbit; 1 for the others.

    Examples
    --------
    >>> cycle = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], num_nodes=6)
    >>> sampler = NegativeSampler(cycle, exclude_isolated=True)
    >>> sorted(set(map(tuple, sampler.sample(20, epoch=0).tolist())))
    [(0, 2), (1, 3)]
    """

    def __init__(
        self,
        graph: Graph,
        kind: TrainingKind = "random",
        seed: int = 0,
        *,
        exclude_isolated: bool = False,
        rounds: int | None = None,
    ) -> None:
        if kind not in get_args(TrainingKind):
            raise InvalidParameterError(
                f"training negatives {kind!r} are unknown; choose from {', '.join(get_args(TrainingKind))}"
            )
        if rounds is not None and kind != "orbit":
            raise InvalidParameterError(f"rounds are for orbit negatives, not for {kind}; leave them out")
        self.kind, self.seed, self.covered = kind, seed, 1.0
        self._graph, self._edges, self._degree = graph, graph.edges.astype(np.int64), graph.degree
        self._keys = self._edges @ np.array([graph.num_nodes, 1])  # ascending, as edges are
        seen = self._degree > 0 if exclude_isolated else np.ones(graph.num_nodes, bool)
        self._seen = np.flatnonzero(seen)
        self._all = NonEdges(graph, np.where(seen, 0, -1), np.repeat(np.flatnonzero(seen)[:1, None], 2, axis=1))
        if int(self._all.counts.sum()) == 0:
            raise InvalidParameterError(
                f"{graph.name} has no non-edges among its {int(seen.sum())} nodes to train with; take a graph with some"
            )
        if kind == "orbit":
            from edgeorbit.orbits.refine import refine

            colours = np.where(seen, refine(graph, rounds).labels, -1)
            self._orbits = NonEdges(graph, colours, self._edges)
            available = self._orbits.counts[self._orbits.orbit_of(self._edges)]
            self.covered = float(np.mean(available > 0)) if len(available) else 0.0

    def sample(
        self, count: int, epoch: int, *, batch: int = 0, positives: npt.NDArray[np.integer] | None = None
    ) -> npt.NDArray[np.int64]:
        """Draw negatives, with replacement: shape (count, 2).

        The same seed, epoch and batch give the same negatives.

        Parameters
        ----------
        count
            How many.
        epoch, batch
            When they are for.
        positives : array of shape (count, 2), optional
            For all kinds but `"random"`: the training edge that each negative belongs to. By default they are drawn.
        """
        if count < 0:
            raise InvalidParameterError(f"count is a number of negatives from 0, not {count}")
        random = Random(self.seed, f"training negatives, epoch {epoch}, batch {batch}")
        number = random.below(np.full(count, self._all.counts.sum()))
        negatives = np.sort(self._all.at(np.zeros(count, np.int64), number), axis=1)
        if self.kind == "random" or len(self._edges) == 0:
            return negatives
        if positives is None:
            positives = self._edges[random.below(np.full(count, len(self._edges)))]
        elif positives.shape != (count, 2):
            raise InvalidParameterError(f"positives have shape {positives.shape}; give one edge for each of {count}")
        if self.kind == "orbit":
            self._replace_by_orbit(negatives, positives, random)
        else:
            self._replace_one_end(negatives, positives, random)
        return negatives

    def _replace_by_orbit(
        self, negatives: npt.NDArray[np.int64], positives: npt.NDArray[np.integer], random: Random
    ) -> None:
        orbit = self._orbits.orbit_of(positives)
        available = np.where(orbit >= 0, self._orbits.counts[orbit], 0)
        number = random.below(available)
        row = np.flatnonzero(available > 0)
        negatives[row] = np.sort(self._orbits.at(orbit[row], number[row]), axis=1)

    def _replace_one_end(
        self, negatives: npt.NDArray[np.int64], positives: npt.NDArray[np.integer], random: Random
    ) -> None:
        side = random.below(np.full(len(positives), 2))
        kept = positives[np.arange(len(positives)), side].astype(np.int64)
        row = np.flatnonzero(self._degree[kept] > 0)
        for _ in range(TRIES):
            end = self._draw_ends(kept[row], random)
            right = (end != kept[row]) & ~self._joined(kept[row], end)
            negatives[row[right]] = np.sort(np.stack([kept[row[right]], end[right]], axis=1), axis=1)
            row = row[~right]

    def _draw_ends(self, kept: npt.NDArray[np.int64], random: Random) -> npt.NDArray[np.int64]:
        """Draw another end for every node that is kept, which may be one of its neighbours."""
        if self.kind == "heart":
            return self._step(self._step(kept, random), random)
        ends: npt.NDArray[np.int64] = self._seen[random.below(np.full(len(kept), len(self._seen)))]
        return ends

    def _step(self, nodes: npt.NDArray[np.int64], random: Random) -> npt.NDArray[np.int64]:
        """Go from every node to a random neighbour."""
        start = self._graph.indptr[nodes]
        neighbours: npt.NDArray[np.int64] = self._graph.indices[start + random.below(self._degree[nodes])].astype(
            np.int64
        )
        return neighbours

    def _joined(self, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Tell which pairs are edges."""
        wanted = np.minimum(first, second) * self._graph.num_nodes + np.maximum(first, second)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        joined: npt.NDArray[np.bool_] = self._keys[place] == wanted
        return joined
