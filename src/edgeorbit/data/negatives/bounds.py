"""What an oracle would reach that knows little about every pair: common neighbours, walks, components, or the last two;
and what no score at all can exceed that is computed from the graph alone.

The oracle is told the value of a statistic for a pair and nothing else, and learns which values speak for edges from
positives and their negatives. `oracle_bounds` says how three numbers come out of that, and which one bounds what.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

LENGTH = 4
EXACT_SECONDS = 600.0  # Cora's two copies take four
FOLDS = 10
PRIOR = 1.0  # pairs' worth of belief in the next coarser value

Codes = npt.NDArray[np.int64]


def oracle_bounds(
    graph: Graph,
    positives: npt.NDArray[np.int64],
    negatives: npt.NDArray[np.int64],
    length: int = LENGTH,
    groups: npt.NDArray[np.int64] | None = None,
    *,
    exact: bool = False,
) -> dict[str, Any] | None:
    """Return the AUC that oracles reach on positives and negatives of their own.

    An oracle scores a pair by the share of positives among the pairs of the same value, where the negatives of a
    positive weigh as much together as the positive does. That is the likelihood ratio, the best order that a score of
    the value alone can have if values of a positive and of its negatives are independent. The AUC is that of
    `edgeorbit.evaluation.evaluate` for own negatives. Three numbers are given for each oracle:

    `ceiling`
        One minus half the share of comparisons in which both values are equal. No score that is a function of the
        value can be higher, even if it may depend on the orbit too, because it ties there; whether any score reaches
        it is left open. It is the only one of the three that is proved, and near 1 where almost every pair has a value
        of its own.
    `in_sample`
        The likelihood ratio is taken from the very pairs that are scored: what the oracle reaches that knows these
        answers, as far as they depend on the value. It flatters statistics of many values.
    `cross_fitted`
        The likelihood ratio is taken from other pairs: the positives are dealt into ten folds, and a fold is scored by
        what the nine others show. It estimates what can be learnt from the statistic, and is the number to compare a
        model with. All positives of a group share a fold, because twins have the same values and the same negatives,
        and would tell on each other. For a value that is rare in the other folds, the oracle leans on coarser ones:
        magnitudes (binary digits) in place of the counts of longer walks, then of all, then which counts are zero,
        each with the weight of one pair.

    A model may know more than a count, for instance the features or colours of common neighbours, and so be better
    than the oracle that counts them.

    Parameters
    ----------
    graph
        The training graph, in which neighbours, walks and components are seen.
    positives : array of shape (p, 2)
        Held-out edges.
    negatives : array of shape (p, k, 2)
        Their own negatives, filled up with -1; positives without any are left out.
    length
        Oracles of walks know the number of walks of each length from 1 to this one.
    groups : array of shape (p,), optional
        Positives of equal group share a fold, if there are at least ten groups. By default each is its own.
    exact
        Whether the ceiling of all scores is found, too: pairs that an automorphism of the graph takes to each other
        tie for whatever is computed from the graph without looking at the numbers of its nodes (a score with noise of
        its own passes the ceiling by luck alone). It takes seconds on a graph of some thousand nodes, and igraph.

    Returns
    -------
    dict or None
        `common_neighbours`, `walks`, `components`, `walks_and_components`: the three numbers for each of these oracles.
        With `exact`, `any_model`, which has a `ceiling` alone: what it knows of a pair cannot be learnt from others.
        `walk_length`, and `num_positives` that have negatives. None if no positive has any.

    Examples
    --------
    A triangle is closed by a held-out edge, and a path is not closed to a longer cycle; common neighbours tell:

    >>> graph = Graph.from_edges([[0, 1], [1, 2], [3, 4], [4, 5], [5, 6]])
    >>> found = oracle_bounds(graph, np.array([[0, 2]]), np.array([[[3, 6], [0, 6]]]))
    >>> found["common_neighbours"]["ceiling"], found["components"]["ceiling"]
    (1.0, 0.75)

    In two paths of equal length nothing tells a pair of ends of one from that of the other:

    >>> paths = Graph.from_edges([[0, 1], [1, 2], [3, 4], [4, 5]])
    >>> oracle_bounds(paths, np.array([[0, 2]]), np.array([[[3, 5], [0, 5]]]), exact=True)["any_model"]
    {'ceiling': 0.75}
    """
    if length < 2:
        raise InvalidParameterError(f"walks of length {length} show no common neighbours; count at least up to 2")
    if negatives.ndim != 3 or negatives.shape[0] != len(positives) or negatives.shape[2] != 2:
        raise InvalidParameterError(
            f"{len(positives)} positives and negatives of shape {negatives.shape} do not fit together; bounds are for "
            "own negatives of shape (p, k, 2)"
        )
    present = negatives[:, :, 0] >= 0
    covered = present.any(axis=1)
    if not covered.any():
        return None
    row = np.nonzero(present[covered])[0]
    pairs = np.concatenate([positives[covered], negatives[present]])
    fold = _folds(np.arange(len(positives)) if groups is None else groups)[covered]
    comparison = _Comparison(row, fold)
    # An orbit's few pairs are the negatives of many positives, and their walks are counted once.
    keys, place = np.unique(pairs @ np.array([graph.num_nodes, 1]), return_inverse=True)
    different = np.stack(np.divmod(keys, graph.num_nodes), axis=1)

    from edgeorbit.graph.components import smallest_members
    from edgeorbit.pairwise.walks import walk_counts

    walks = walk_counts(graph, different, length)
    component = smallest_members(graph.num_nodes, *np.ascontiguousarray(graph.edges.T))
    together = component[different[:, 0]] == component[different[:, 1]]
    values = {
        "common_neighbours": _levels(walks[:, 1:2]),
        "walks": _levels(walks),
        "components": [together.astype(np.int64)],
        "walks_and_components": _levels(np.column_stack([together, walks])),
    }
    bounds: dict[str, Any] = {name: comparison.bounds([level[place] for level in of]) for name, of in values.items()}
    if exact:
        from edgeorbit.orbits.exact.pairs import pair_orbits

        orbit = pair_orbits(graph, different, time_limit=EXACT_SECONDS)
        bounds["any_model"] = {"ceiling": comparison.ceiling(orbit[place])}
    return {**bounds, "walk_length": length, "num_positives": int(covered.sum())}


class _Comparison:
    """Positives, each compared with negatives of its own; a pair is one of the positives, or a negative behind them.

    Parameters
    ----------
    row
        The positive that each negative belongs to.
    fold
        The fold of each positive.
    """

    def __init__(self, row: Codes, fold: Codes) -> None:
        count = np.bincount(row, minlength=len(fold))
        self._row, self._share = row, 1 / count[row]
        self._fold = np.concatenate([fold, fold[row]])
        self._weight = np.concatenate([np.ones(len(fold)), self._share])
        self._positive = np.arange(len(self._weight)) < len(fold)

    def bounds(self, levels: Sequence[Codes]) -> dict[str, float]:
        """Return the three numbers of a statistic, whose value is given at levels from coarse to fine."""
        value = levels[-1]
        everything = np.ones(len(value), bool)
        crossed = np.empty(len(value))
        for fold in range(FOLDS):
            here = self._fold == fold
            crossed[here] = self._scores(levels, ~here, PRIOR)[here]
        return {
            "ceiling": self.ceiling(value),
            "in_sample": self._auc(self._scores([value], everything, 0.0)),
            "cross_fitted": self._auc(crossed),
        }

    def ceiling(self, value: Codes) -> float:
        """Return one minus half the share of comparisons in which both values are equal."""
        equal = value[self._positive][self._row] == value[~self._positive]
        return float(1 - self._mean(equal) / 2)

    def _scores(self, levels: Sequence[Codes], shown: npt.NDArray[np.bool_], prior: float) -> npt.NDArray[np.float64]:
        """Return for every pair the share of positives that its value has among the pairs that are shown."""
        score = np.full(len(shown), 0.5)
        for value in levels:
            size = int(value.max()) + 1
            positive, negative = (
                np.bincount(value[which], self._weight[which], minlength=size)
                for which in (shown & self._positive, shown & ~self._positive)
            )
            score = (positive[value] + prior * score) / (positive + negative + prior)[value]
        return np.round(score, 9)  # equal shares are sums of the same weights in another order

    def _auc(self, score: npt.NDArray[np.float64]) -> float:
        ahead = np.sign(score[self._positive][self._row] - score[~self._positive])
        return float(0.5 + self._mean(ahead) / 2)

    def _mean(self, values: npt.NDArray[Any]) -> float:
        """Return the mean over positives of the mean over their negatives, without the errors of adding up shares."""
        return round(float(values @ self._share / self._positive.sum()), 9)


def _folds(groups: npt.NDArray[np.int64]) -> Codes:
    """Deal groups into folds in turn; where there are fewer groups than folds, their members."""
    different, number = np.unique(groups, return_inverse=True)
    folds: Codes = (number if len(different) >= FOLDS else np.arange(len(groups))) % FOLDS
    return folds


def _levels(counts: npt.NDArray[np.int64]) -> list[Codes]:
    """Number the different rows of counts by ever more: which are zero, their binary digits, the counts themselves."""
    digits = np.frexp(counts.astype(np.float64))[1].astype(np.int64)
    levels = [counts > 0, digits, *(np.hstack([counts[:, :known], digits[:, known:]]) for known in _lengths(counts))]
    return [_number_rows(level) for level in levels]


def _lengths(counts: npt.NDArray[np.int64]) -> range:
    """Return how many of the first columns are exact at each of the finer levels; edges in the first need no own."""
    return range(min(2, counts.shape[1]), counts.shape[1] + 1)


def _number_rows(matrix: npt.NDArray[Any]) -> Codes:
    numbers = np.zeros(len(matrix), np.int64)
    for column in matrix.T:
        different, value = np.unique(column, return_inverse=True)
        numbers = np.unique(numbers * len(different) + value, return_inverse=True)[1]
    return numbers
