"""Hard negatives as in HeaRT: one end of a positive is kept, the other replaced by a likely neighbour of the first."""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._randomness import Random
from edgeorbit.data.splits.split import LinkSplit, Negatives, Part
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import distinct

Combination = Literal["min", "mean"]
ROWS = 1 << 14  # positives whose negatives are looked up at a time
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
    _require_memory(split, per_positive)

    from edgeorbit.data.negatives.hard import Choice
    from edgeorbit.data.negatives.heuristics import Heuristics

    heuristics = Heuristics(graph, features)
    taken, later = graph.edges.astype(np.int64), {"valid": split.test, "test": split.test[:0]}
    info: dict[str, Any] = {"seed": seed, "per_positive": per_positive, "combine": combine, "features": features}
    found: dict[Part, npt.NDArray[np.int64]] = {}
    parts: tuple[Part, ...] = ("valid", "test")
    for part in parts:
        positives = split.positives(part)
        taken = np.concatenate([taken, positives])
        nodes = distinct(positives)
        barred, random = Graph.from_edges(taken, graph.num_nodes), Random(seed, f"heart negatives, {part}")
        choice = Choice(barred, combine == "mean", random)
        most = per_positive - per_positive // 2
        best = np.empty((len(nodes), most), np.int32)
        for rows, scored in heuristics.batches(nodes):
            best[rows] = choice.best(nodes[rows], scored, most)
        found[part] = _pairs(positives, best, np.searchsorted(nodes, positives), per_positive)
        info[part] = {"held_out_later": _share_of(found[part], later[part], graph.num_nodes)}
    return Negatives("heart", found["valid"], found["test"], info)


def _require_memory(split: LinkSplit, per_positive: int) -> None:
    """Refuse more negatives than fit into memory, with how many do."""
    sizes = [len(split.valid), len(split.test)]
    # Two numbers of 8 bytes for each, and while they are chosen those of both ends in 4 bytes.
    each = 16 * sum(sizes) + 4 * max(sizes)
    available = available_memory()
    if available is not None and each * per_positive > available:
        fitting = available // (2 * each) // 2 * 2
        way_out = f"at most {fitting} negatives of each fit" if fitting >= 2 else "take random negatives"
        raise LimitExceededError(
            f"{split.graph.name}: heart negatives of {sum(sizes):,} held-out edges, {per_positive} of each, take "
            f"{size_in_words(each * per_positive)} and {size_in_words(available)} are available; {way_out} "
            "(per_positive)"
        )


def _pairs(
    positives: npt.NDArray[np.int64], best: npt.NDArray[np.int32], place: npt.NDArray[np.int64], per_positive: int
) -> npt.NDArray[np.int64]:
    """Join the first ends with their best nodes and the second ends with theirs; -1 stays -1."""
    half = per_positive - per_positive // 2
    found = np.empty((len(positives), per_positive, 2), np.int64)
    for side, columns in ((0, slice(0, half)), (1, slice(half, per_positive))):
        width = columns.stop - columns.start
        found[:, columns, side] = positives[:, side, None]
        for low in range(0, len(positives), ROWS):
            found[low : low + ROWS, columns, 1 - side] = best[place[low : low + ROWS, side], :width]
    found[(found < 0).any(axis=2)] = -1
    return found


def _share_of(negatives: npt.NDArray[np.int64], edges: npt.NDArray[np.int64], num_nodes: int) -> float:
    """Return the share of negatives that are among some edges."""
    weights = np.array([num_nodes, 1])
    known = np.sort(np.sort(edges, axis=1) @ weights)
    total, among = 0, 0
    for low in range(0, len(negatives), ROWS):
        pairs = negatives[low : low + ROWS].reshape(-1, 2)
        pairs = pairs[pairs[:, 0] >= 0]
        keys = np.sort(pairs, axis=1) @ weights
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        total += len(pairs)
        among += int((known[place] == keys).sum()) if len(known) else 0
    return among / total if total else 0.0
