"""All candidate pairs of a graph, scored once: the best of them, held-out links among them, and a sample of the rest.

Calibration and backtest look at the same candidates as `top_links`, and read them here. Pairs are few enough to keep
however large the graph is.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_among, pair_keys
from edgeorbit.models.base import Scorer
from edgeorbit.prediction.top_links import BestPairs, candidate_batches, checked_scores

BEST = 1 << 18  # candidates that are kept as they are, each with weight 1
SAMPLE = 1 << 18  # candidates that are drawn from those below
FEWEST = 500  # candidates, below which all pairs are taken, if they are not too many
Floats = npt.NDArray[np.float64]


class Scanned(NamedTuple):
    """Scored candidates.

    Attributes
    ----------
    num_scored : int
        How many candidates there are.
    links : float array
        Scores of the links that were named and are candidates.
    pairs, scores : arrays of shape (k, 2) and (k,)
        The best of the other candidates, best first.
    rest : float array
        Scores of a sample of those below.
    weight : float
        How many candidates each of the sample stands for.
    """

    num_scored: int
    links: Floats
    pairs: npt.NDArray[np.int64]
    scores: Floats
    rest: Floats
    weight: float

    def items(self) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
        """Return scores of all that is kept, which of it are the named links, and weights."""
        scores = np.concatenate([self.links, self.scores, self.rest])
        weights = np.ones(len(scores))
        weights[len(scores) - len(self.rest) :] = self.weight
        return scores, np.arange(len(scores)) < len(self.links), weights


def scan(
    score: Scorer,
    graph: Graph,
    links: npt.NDArray[np.int64],
    *,
    embedding: npt.NDArray[np.floating[Any]] | None = None,
    seed: int = 0,
    best: int = BEST,
    sample: int = SAMPLE,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
) -> Scanned:
    """Score all candidate pairs of a graph, and keep apart those that are held-out links.

    Parameters
    ----------
    score, graph, embedding, threads, progress
        As for `edgeorbit.prediction.top_links.top_links`; the edges of the graph are no candidates.
    links : int64 array of shape (k, 2)
        Links that are not in the graph and are known all the same; in either direction.
    seed
        Decides the sample.
    best, sample
        How many of the other candidates to keep, and how many of those below them to draw.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> found = scan(lambda pairs: pairs.sum(axis=1), path, np.array([[2, 0]]))
    >>> found.num_scored, found.links.tolist(), found.pairs.tolist()
    (6, [2.0], [[2, 4], [1, 4], [0, 4], [1, 3], [0, 3]])
    """
    keys = np.sort(pair_keys(links[:, 0], links[:, 1], graph.num_nodes))
    total, batches = candidate_batches(graph, FEWEST, embedding=embedding, threads=threads)
    kept, draws, share = BestPairs(best), Random(seed, "candidates"), min(1.0, 1.05 * sample / max(total, 1))
    found, drawn, done = [np.empty(0)], [(np.empty(0, np.int64), np.empty(0))], 0
    for pairs, origins in batches:
        if not len(pairs):
            continue
        scores = checked_scores(score(pairs), pairs)
        key = pair_keys(pairs[:, 0], pairs[:, 1], graph.num_nodes)
        other = ~are_among(key, keys)
        found.append(scores[~other])
        kept.offer(pairs[other], scores[other], origins[other])
        if total > best:
            chosen = other & (draws.uniform(len(pairs)) < share)
            drawn.append((key[chosen], scores[chosen]))
        done += len(pairs)
        if progress is not None:
            progress(done, total)
    among, (pairs, scores, _) = np.concatenate(found), kept.ranked()
    below, rest = (np.concatenate(each) for each in zip(*drawn, strict=True))
    rest = rest[~are_among(below, np.sort(pair_keys(pairs[:, 0], pairs[:, 1], graph.num_nodes)))]
    left = done - len(among) - len(pairs)
    return Scanned(done, among, pairs, scores, rest, left / max(len(rest), 1))
