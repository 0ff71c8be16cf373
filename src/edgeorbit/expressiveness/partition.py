"""The partition of every WL edge orbit into the classes of edges that a scorer cannot tell apart."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.expressiveness.judging import (
    EdgePair,
    Judge,
    OrbitedEdges,
    Relabelling,
    count_pairs,
    edges_by_orbit,
    names_of,
)
from edgeorbit.expressiveness.scorers import AnyScorer, Labels, Values, resolve_scorer
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import check_gamma


@dataclass(frozen=True, eq=False)
class ScorePartition:
    """What a scorer tells apart inside the edge orbits of a graph.

    Attributes
    ----------
    scorer : str
        Its name.
    graph : Graph
        The graph.
    edges : int64 array of shape (k, 2)
        The edges that are judged.
    orbits, classes : int64 arrays of length k
        The orbit and the score class of every edge; classes are parts of orbits.
    scores : float64 array of shape (draws, k)
        Scores in every draw of weights, means if there is noise; NaN for an edge that is alone in its orbit.
    margins : float64 array of shape (draws, k), or None
        With noise, the errors that differences of means must exceed, as roots of summed squares.
    noise_draws : int
        Draws of noise for every draw of weights; 1 without noise.
    tolerance : float
        Differences of scores up to this are rounding.
    single_precision : bool
        Whether the scorer returns single precision; the package's networks do not.
    randomised : bool
        Whether scores depend on noise; then they are judged in expectation.
    relabelling : Relabelling or None
        What another numbering of the nodes does to the scores; None if it was not tried.
    """

    scorer: str
    graph: Graph
    edges: npt.NDArray[np.int64]
    orbits: Labels
    classes: Labels
    scores: Values
    margins: Values | None
    noise_draws: int
    tolerance: float
    single_precision: bool
    randomised: bool
    relabelling: Relabelling | None

    @property
    def num_orbits(self) -> int:
        """Number of edge orbits."""
        return int(self.orbits.max(initial=-1)) + 1

    @property
    def num_classes(self) -> int:
        """Number of score classes."""
        return int(self.classes.max(initial=-1)) + 1

    @cached_property
    def num_pairs(self) -> int:
        """Number of pairs of edges of one orbit: those that colours cannot tell apart."""
        return count_pairs(self.orbits)

    @cached_property
    def num_together(self) -> int:
        """Number of pairs of edges of one class: those that the scorer does not tell apart either."""
        return count_pairs(self.classes)

    @property
    def num_discriminated(self) -> int:
        """Number of pairs that the scorer tells apart."""
        return self.num_pairs - self.num_together

    @property
    def share_discriminated(self) -> float:
        """Share of the pairs that the scorer tells apart; 0 if there are none."""
        return self.num_discriminated / self.num_pairs if self.num_pairs else 0.0

    @property
    def num_indistinguishable(self) -> int:
        """Number of edges whose score class holds another one."""
        sizes = np.bincount(self.classes)
        return int(sizes[sizes > 1].sum())

    def ear(self, gamma: float = 1.0) -> float:
        """Return the scorer's own EAR: the share of edges whose score class holds another, to the power gamma."""
        check_gamma(gamma)
        return float((self.num_indistinguishable / len(self.edges)) ** gamma) if len(self.edges) else 0.0

    @property
    def depends_on_numbering(self) -> bool | None:
        """Whether another numbering of the nodes gives other scores; None if that was not tried."""
        return None if self.relabelling is None else not self.relabelling.agrees

    @cached_property
    def discriminated_pair(self) -> EdgePair | None:
        """Two edges of one orbit that the scorer tells apart, or None."""
        return self.example_between(self.orbits, self.classes)

    @cached_property
    def indistinguishable_pair(self) -> EdgePair | None:
        """Two edges of the largest class, or None if every edge is alone in its own."""
        if len(self.edges) == 0 or np.bincount(self.classes).max() < 2:
            return None
        first, second = np.flatnonzero(self.classes == np.bincount(self.classes).argmax())[:2]
        return self._example(int(first), int(second))

    def example_between(self, together: Labels, apart: Labels) -> EdgePair | None:
        """Return the clearest of some pairs of edges that are together in one partition and apart in another."""
        order = np.lexsort((apart, together))
        at = np.flatnonzero((np.diff(together[order]) == 0) & (np.diff(apart[order]) != 0))
        if len(at) == 0:
            return None
        best = int(at[self._clearness(order[at], order[at + 1]).max(axis=0).argmax()])
        return self._example(int(order[best]), int(order[best + 1]))

    def _clearness(self, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Values:
        """Return for each draw how far scores differ, in units of what they must at least."""
        gaps = np.abs(self.scores[:, first] - self.scores[:, second])
        if self.margins is None:
            return gaps / max(self.tolerance, np.finfo(float).tiny)
        least = np.hypot(self.margins[:, first], self.margins[:, second])
        return np.asarray(gaps / np.maximum(np.maximum(least, self.tolerance), np.finfo(float).tiny))

    def _example(self, first: int, second: int) -> EdgePair:
        one, two = np.array([first]), np.array([second])
        draw = int(self._clearness(one, two)[:, 0].argmax())
        scores = float(self.scores[draw, first]), float(self.scores[draw, second])
        return EdgePair(names_of(self.graph, self.edges[first]), names_of(self.graph, self.edges[second]), scores)

    @property
    def remarks(self) -> list[str]:
        """What to know of the result, a sentence each."""
        found = []
        if self.num_pairs == 0:
            found.append(
                f"{self.graph.name}: every edge is alone in its orbit, so there is nothing to discriminate; "
                "fewer rounds make larger orbits"
            )
        if self.randomised:
            found.append(
                f"{self.scorer} is randomised: a pair counts only if mean scores over {self.noise_draws} draws of "
                "noise differ beyond their errors; more draws find smaller differences"
            )
        if self.relabelling is not None and not self.relabelling.agrees:
            (u, v), (before, after) = self.relabelling.edge, self.relabelling.scores
            found.append(
                f"{self.scorer} depends on the numbering of the nodes, so its classes are no property of the graph: "
                f"edge {u}-{v} scores {before:.6g}, and {after:.6g} when nodes are numbered in another order"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and examples, as JSON can hold them."""
        apart, alike = self.discriminated_pair, self.indistinguishable_pair
        return {
            "model": self.scorer,
            "num_edges": len(self.edges),
            "num_orbits": self.num_orbits,
            "num_classes": self.num_classes,
            "num_pairs": self.num_pairs,
            "num_discriminated": self.num_discriminated,
            "share_discriminated": self.share_discriminated,
            "ear": self.ear(),
            "draws": len(self.scores),
            "noise_draws": self.noise_draws,
            "tolerance": self.tolerance,
            "single_precision": self.single_precision,
            "randomised": self.randomised,
            "depends_on_numbering": self.depends_on_numbering,
            "relabelling": None if self.relabelling is None else self.relabelling.as_dict(),
            "discriminated": None if apart is None else apart.as_dict(),
            "indistinguishable": None if alike is None else alike.as_dict(),
            "remarks": self.remarks,
        }

    def __repr__(self) -> str:
        """Give the counts, not the arrays."""
        return (
            f"ScorePartition(scorer={self.scorer!r}, num_orbits={self.num_orbits}, num_classes={self.num_classes}, "
            f"num_discriminated={self.num_discriminated}, num_pairs={self.num_pairs})"
        )


def score_partition(
    graph: Graph,
    scorer: AnyScorer,
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    edges: npt.ArrayLike | None = None,
    features: str = "constant",
    draws: int = 8,
    noise_draws: int | None = None,
    seed: int = 0,
    tolerance: float | None = None,
    relabelling: bool = True,
    name: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScorePartition:
    """Part every edge orbit into the classes of edges that a scorer gives equal scores.

    Two edges of an orbit are in different classes if some draw of random weights gives them different scores. Only
    edges that share their orbit are scored, and pairs are counted from the sizes of classes.

    Parameters
    ----------
    graph
        The graph; all its edges are there when edges are scored.
    scorer
        The name of a model; a model, for other settings than the defaults; a class or instance of `torch.nn.Module` in
        one of PyG's shapes; a `DrawnScorer`, such as `encoder_scorer` makes of an encoder and a decoder; or a function
        from node pairs of shape (k, 2) to k scores.
    rounds, initial, threads
        How orbits are found, as for `edgeorbit.refine`: by default by stable colours of nodes that are all alike.
    edges : array of shape (k, 2), optional
        The node pairs to judge, edges or not; by default all edges.
    features
        What models are given: `"constant"`, so that only structure tells nodes apart, or another mode of
        `edgeorbit.data.features.node_features`; `"original"` for those of the graph.
    draws
        Draws of random weights; a scorer without weights has one, and a randomised one half as many.
    noise_draws
        If the scorer is randomised, draws of its noise for every draw of weights; more find smaller differences. Mean
        scores differ if they do so by at least 5 standard errors, and by more where so many edges are compared that
        chance would reach 5. By default 16 for large graphs, and up to 128 for small ones.
    seed
        Of all draws.
    tolerance
        Differences up to this, relative to the largest score of all draws, are rounding; by default 1e-9 for scores in
        double precision and 1e-5 in single precision.
    relabelling
        Whether to find out if the scores depend on the numbering of the nodes; not possible for a function on pairs.
    name
        What the scorer is called; by default its own name.
    progress
        Called with the number of scorings done and in all.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its range, or the scorer returns something else than finite scores.

    Examples
    --------
    A GCN cannot tell the edges of a triangular prism apart; common neighbours can:

    >>> from edgeorbit.graph.toys import prism
    >>> score_partition(prism(), "cn")
    ScorePartition(scorer='cn', num_orbits=1, num_classes=2, num_discriminated=18, num_pairs=36)
    >>> score_partition(prism(), "gcn", draws=2).num_discriminated
    0
    """
    judge = Judge(draws, noise_draws, seed, tolerance, relabelling, features, progress)
    found = edges_by_orbit(graph, rounds, initial, edges, threads)
    return judge_scorer(judge, graph, found, scorer, name)


def judge_scorer(
    judge: Judge, graph: Graph, edges: OrbitedEdges, scorer: AnyScorer, name: str | None = None
) -> ScorePartition:
    """Part edges whose orbits are known."""
    resolved = resolve_scorer(scorer, name)
    found = judge.judge(resolved, graph, edges)
    return ScorePartition(scorer=resolved.name, graph=graph, edges=edges.edges, orbits=edges.orbits, **found._asdict())
