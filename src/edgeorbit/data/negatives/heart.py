"""Hard negatives as in HeaRT: one end of a positive is kept, the other replaced by a likely neighbour of the first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.splits.split import LinkSplit, Negatives, Part
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    from edgeorbit.data.negatives.heuristics import Scored

Combination = Literal["min", "mean"]
MAX_NODES_WITH_FEATURES = 50_000  # comparing the features of all nodes takes a minute at this size


def heart_negatives(
    split: LinkSplit,
    seed: int,
    per_positive: int = 500,
    *,
    combine: Combination = "min",
    features: bool | None = None,
) -> Negatives:
    """Choose for each held-out edge `(u, v)` hard negatives `(u, w)` and `(w, v)`, half of each.

    The nodes `w` are ranked by resource allocation, by personalised PageRank (alpha 0.15, tolerance 5e-5) and, if the
    data set brings features, by their cosine similarity, all with the node that is kept and in the training graph
    alone. Features that a model is given instead are never compared: constant ones would make all nodes equally hard.
    Those that are best by the combination of these ranks are taken, the best first, and ties are drawn at random.
    The rank of a node is `1 + n`, where `n` nodes score as much or more and yet less than the best; nodes of score 0
    share the rank behind the last one of a positive score.

    Parameters
    ----------
    split
        The split.
    seed
        For ties and for nodes without points; the same seed gives the same negatives.
    per_positive
        Number of negatives of a positive; if it is odd, the first end is kept once more.
    combine
        `"min"`: the best of a node's ranks counts, as in the published data of Li et al. 2023. It mixes hard negatives
        with random ones, because all nodes share the rank behind the last one of the heuristic that knows fewest nodes
        (often resource allocation). `"mean"`: the mean of a node's ranks counts, a Borda count. All of these are hard.
    features
        Whether the data set's own features are compared. By default they are if it brings some and has at most 50,000
        nodes; the original does so for Cora, Citeseer and Pubmed, and not for OGB's graphs.

    Returns
    -------
    Negatives
        Of shape (p, per_positive, 2), those that keep the first end first. If the graph has too few non-edges, a half
        is filled up with pairs (-1, -1). Its `info` has `seed`, `per_positive`, `combine`, `features` and, for each
        part, `held_out_later`: the share of negatives that are edges of a part that comes later.

    Notes
    -----
    Edges of the training graph, of earlier parts and of the same part are never taken, edges of later parts may be:
    validation must not know what is tested. The original differs in these points:

    - It leaves out training edges, for tests also validation edges, and the positive itself, but no other edges of the
      same part, so that a test edge can be a negative of another.
    - Nodes that score 0 throughout are drawn with replacement there, so that a negative can occur twice.
    - It writes the ranks of feature similarity over the similarities, so that they are reversed when a node comes up
      for the second time, and again for the third.
    - It takes ties in the order of a sort, which are runs of node numbers. Scores are rounded to multiples of 2^-32
      here, so that equal sums tie.
    - It can add validation edges to the graph for tests; here the training graph is all that is seen.

    References
    ----------
    J. Li, H. Shomer, H. Mao, S. Zeng, Y. Ma, N. Shah, J. Tang and D. Yin, Evaluating graph neural networks for link
    prediction: current pitfalls and new benchmarking, NeurIPS 2023.

    Examples
    --------
    >>> star = Graph.from_edges([[0, 1], [0, 2], [0, 3], [4, 5]])
    >>> split = LinkSplit(star, np.array([[1, 4]]), np.array([[1, 2]]))
    >>> heart_negatives(split, seed=0, per_positive=2).test.tolist()
    [[[1, 3], [3, 2]]]
    """
    graph = split.data
    if per_positive < 2:
        raise InvalidParameterError(f"per_positive is a number of negatives from 2, not {per_positive}")
    if combine not in get_args(Combination):
        raise InvalidParameterError(f"combine {combine!r} is unknown; choose from {', '.join(get_args(Combination))}")
    if features and graph.x is None:
        raise InvalidParameterError(f"{graph.name} brings no features to compare; leave out features")
    if features is None:
        features = graph.x is not None and graph.num_nodes <= MAX_NODES_WITH_FEATURES

    from edgeorbit.data.negatives.heuristics import Heuristics

    heuristics = Heuristics(graph, features)
    taken, later = graph.edges.astype(np.int64), {"valid": split.test, "test": split.test[:0]}
    info: dict[str, Any] = {"seed": seed, "per_positive": per_positive, "combine": combine, "features": features}
    found: dict[Part, npt.NDArray[np.int64]] = {}
    parts: tuple[Part, ...] = ("valid", "test")
    for part in parts:
        positives = split.positives(part)
        taken = np.concatenate([taken, positives])
        nodes, place = np.unique(positives, return_inverse=True)
        barred, random = Graph.from_edges(taken, graph.num_nodes), Random(seed, f"heart negatives, {part}")
        choice = _Choice(barred, combine, random)
        most = per_positive - per_positive // 2
        best = np.full((len(nodes), most), -1)
        for i, scores in enumerate(heuristics.of(nodes)):
            chosen = choice.best(int(nodes[i]), scores, most)
            best[i, : len(chosen)] = chosen
        first, second = place.reshape(-1, 2).T
        found[part] = _pairs(positives, best[first], best[second, : per_positive // 2])
        info[part] = {"held_out_later": _share_of(found[part], later[part], graph.num_nodes)}
    return Negatives("heart", found["valid"], found["test"], info)


class _Choice:
    """Chooses the best nodes that a node is not joined to.

    Parameters
    ----------
    barred
        The graph whose edges are never chosen.
    combine
        How the ranks by several heuristics are made one.
    random
        For ties. The nodes stand in a shuffled circle, and each node looks around from a place of its own.
    """

    def __init__(self, barred: Graph, combine: Combination, random: Random) -> None:
        self._barred, self._combine, n = barred, combine, barred.num_nodes
        self._circle = random.permutation(n)
        self._place = np.empty(n, np.int64)
        self._place[self._circle] = np.arange(n)
        self._start = random.below(np.full(n, n))
        # How much better than the worst a node is, as a negative number.
        self._value, self._allowed = np.zeros(n, np.int64), np.ones(n, bool)

    def best(self, node: int, scores: "Sequence[Scored]", count: int) -> npt.NDArray[np.int64]:
        """Return up to `count` nodes, the best first."""
        barred = np.append(self._barred.neighbours(node), node)
        self._allowed[barred] = False
        self._give_values(scores)
        good = np.flatnonzero(self._value)
        num_nodes = self._barred.num_nodes
        # The lowest value first, and then who comes first around the circle: no two keys are equal.
        key = self._value[good] * num_nodes + (self._place[good] - self._start[node]) % num_nodes
        if len(key) > count:
            nearest = np.argpartition(key, count - 1)[:count]
            key, chosen = key[nearest], good[nearest]
        else:
            chosen = good
        chosen = chosen[np.argsort(key)]
        if len(chosen) < count:
            around = np.roll(self._circle, -self._start[node])
            others = around[self._allowed[around] & (self._value[around] == 0)]
            chosen = np.concatenate([chosen, others[: count - len(chosen)]])
        self._value[good] = 0
        self._allowed[barred] = True
        return chosen

    def _give_values(self, scores: "Sequence[Scored]") -> None:
        """Give every allowed node a value below 0, if it is better than a node that scores 0 throughout."""
        kept = [(nodes[self._allowed[nodes]], score[self._allowed[nodes]]) for nodes, score in scores]
        if self._combine == "mean":
            # The rank of a node that scores 0, minus its own, is one more than the number of nodes that score less.
            for nodes, score in kept:
                self._value[nodes] -= 1 + _number_below(score)
            return
        best = [int(np.count_nonzero(score == score.max(initial=0))) for _, score in kept]
        last = min(len(score) - count + (2 if count else 1) for (_, score), count in zip(kept, best, strict=True))
        for (nodes, score), count in zip(kept, best, strict=True):
            # Only so many can have a rank before the last one; the others need not be sorted.
            far = len(score) - count - last
            front = score >= np.partition(score, far)[far] if far > 0 else np.ones(len(score), bool)
            below = _number_below(score[front])
            rank = 1 + below.max(initial=0) - below
            self._value[nodes[front]] = np.minimum(self._value[nodes[front]], rank - last)


def _number_below(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for every value how many are less.

    >>> _number_below(np.array([7, 3, 7, 5])).tolist()
    [2, 0, 2, 1]
    """
    order = np.argsort(values)
    ascending = values[order]
    first = np.arange(len(values))
    first[1:][ascending[1:] == ascending[:-1]] = 0  # the place of an earlier one is taken over
    below = np.empty_like(first)
    below[order] = np.maximum.accumulate(first)
    return below


def _pairs(
    positives: npt.NDArray[np.int64], others_first: npt.NDArray[np.int64], others_second: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Join the first ends with the first array of nodes and the second ends with the second; -1 stays -1."""
    kept_first = np.where(others_first >= 0, positives[:, :1], -1)
    kept_second = np.where(others_second >= 0, positives[:, 1:], -1)
    return np.concatenate(
        [np.stack([kept_first, others_first], axis=2), np.stack([others_second, kept_second], axis=2)], axis=1
    )


def _share_of(negatives: npt.NDArray[np.int64], edges: npt.NDArray[np.int64], num_nodes: int) -> float:
    """Return the share of negatives that are among some edges."""
    pairs = negatives[negatives[:, :, 0] >= 0]
    weights = np.array([num_nodes, 1])
    found = np.isin(np.sort(pairs, axis=1) @ weights, np.sort(edges, axis=1) @ weights)
    return float(found.mean()) if len(pairs) else 0.0
