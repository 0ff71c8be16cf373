"""Which model is best, and which are not proved to be worse: paired tests over seeds, ranks over graphs.

All tests are exact and on plain arrays. `scipy.stats.wilcoxon` is not used: where differences are equal, its `exact`
is not exact, and by default it approximates by the normal distribution, in older versions for few pairs too. With n
pairs, the smallest two-sided p that Wilcoxon's test can give is 2^(1 - n): five seeds prove nothing at the level of
0.05, whatever they show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

LEVEL = 0.05
DIGITS = 9  # what differs only in later ones is equal: 0.3 - 0.2 and 0.2 - 0.1, or sums in another order
ROUNDING = 10.0**-DIGITS

Values = Mapping[Any, float]  # what a model reached, by the seed (and split) that it shares with other models


def deviation(values: npt.ArrayLike) -> float | None:
    """Return the standard deviation of a sample (ddof 1); None of fewer than two values.

    >>> deviation([1.0, 2.0, 3.0]), deviation([1.0])
    (1.0, None)
    """
    given = np.asarray(values, dtype=np.float64)
    return float(given.std(ddof=1)) if len(given) > 1 else None


def smallest_p(pairs: int, comparisons: int = 1) -> float:
    """Return the smallest p that so many pairs can give, after Holm's correction for so many comparisons.

    >>> smallest_p(5), smallest_p(6), smallest_p(10, comparisons=17)
    (0.0625, 0.03125, 0.033203125)
    """
    return float(min(1.0, comparisons * 2.0 ** (1 - pairs)))


def paired_p(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test, exact also where differences are equal.

    Pairs without a difference are left out; equal differences share their ranks; p is the share of all 2^n signs
    whose sum of ranks is at least as far from the middle. (Approximations by the normal distribution can give a p
    below the smallest possible one for as few pairs as there are seeds.)

    References
    ----------
    Wilcoxon: Individual comparisons by ranking methods, Biometrics Bulletin 1945.

    Examples
    --------
    >>> paired_p([0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.8, 0.6, 0.4, 0.5, 0.3, 0.0])
    0.03125
    >>> paired_p([0.5], [0.5])
    1.0
    """
    differences = np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), DIGITS)
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    # Shared ranks are multiples of one half, so twice the rank is a whole number to count sums by.
    doubled = np.rint(2 * _ranks(np.abs(differences))).astype(np.int64)
    share = np.zeros(int(doubled.sum()) + 1)
    share[0] = 1.0
    for rank in doubled:
        share *= 0.5
        share[rank:] += share[:-rank].copy()
    observed = int(doubled[differences > 0].sum())
    return float(min(1.0, 2 * min(share[: observed + 1].sum(), share[observed:].sum())))


def holm(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return p values corrected by Holm's method: the chance of any false alarm stays below the level.

    References
    ----------
    Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1)), 1.0)
    return corrected


@dataclass(frozen=True)
class Comparison:
    """The best model of a column, and each other one against it.

    Attributes
    ----------
    best : str
        The model with the highest mean, of those that have the most seeds; the first, if several have it.
    equal : frozenset of str
        The others of those with the same mean.
    p : dict
        Corrected p by model, of those that share enough seeds with the best for a test to be able to find anything.
    worse : frozenset of str
        Those that are significantly worse.
    pairs : dict
        By model, how many seeds it shares with the best.
    behind : dict
        By model, how far its mean is below that of the best on the seeds that both have, if there are any.
    """

    best: str
    equal: frozenset[str] = frozenset()
    p: Mapping[str, float] = field(default_factory=dict)
    worse: frozenset[str] = frozenset()
    pairs: Mapping[str, int] = field(default_factory=dict)
    behind: Mapping[str, float] = field(default_factory=dict)

    @property
    def ahead(self) -> frozenset[str]:
        """Those with a higher mean than the best on the seeds that both have, which only models with fewer can be."""
        return frozenset(model for model, distance in self.behind.items() if distance < -ROUNDING)

    @property
    def most_pairs(self) -> int:
        """The largest number of seeds that a model shares with the best."""
        return max(self.pairs.values(), default=0)

    @property
    def reachable(self) -> float:
        """The smallest p that could have come out, corrected for the comparisons that would have been made."""
        alike = sum(pairs == self.most_pairs for pairs in self.pairs.values())
        return smallest_p(self.most_pairs, len(self.p) or max(alike, 1))


def compare_with_best(found: Mapping[str, Values], level: float = LEVEL) -> Comparison:
    """Find the model with the highest mean, and test every other one against it on the seeds that both have.

    The best is one of those with the most seeds: the mean of a model with fewer is one of other splits, and cannot be
    held against theirs. Where such a model is ahead on the seeds that it shares with the best, `ahead` has it.

    A model is tested if 2^(1 - n) of the n seeds in common is at most the level. Others are left out of the
    correction: that depends on n alone and not on what was found, so it gives nothing away.

    Parameters
    ----------
    found
        By model, what it reached by seed; at least one model, and every model with at least one value.

    Examples
    --------
    >>> seeds = range(7)
    >>> found = {"gcn": {s: 0.7 + s / 100 for s in seeds}, "eo-gnn": {s: 0.9 for s in seeds}, "ncn": {0: 0.95}}
    >>> compared = compare_with_best(found)
    >>> compared.best, sorted(compared.worse), dict(compared.p), compared.pairs["ncn"], set(compared.ahead)
    ('eo-gnn', ['gcn'], {'gcn': 0.015625}, 1, {'ncn'})
    """
    most = max(map(len, found.values()))
    means = {model: float(np.mean(list(values.values()))) for model, values in found.items() if len(values) == most}
    best = max(means, key=means.__getitem__)
    equal = {model for model, mean in means.items() if model != best and means[best] - mean <= ROUNDING}
    both = {
        model: np.array([[found[best][key], value] for key, value in values.items() if key in found[best]])
        .reshape(-1, 2)
        .T
        for model, values in found.items()
        if model != best
    }
    pairs = {model: values.shape[1] for model, values in both.items()}
    behind = {model: float(both[model][0].mean() - both[model][1].mean()) for model in both if pairs[model]}
    tested = [model for model, number in pairs.items() if smallest_p(number) <= level]
    corrected = dict(zip(tested, holm([paired_p(*both[model]) for model in tested]).tolist(), strict=True))
    # On the seeds in common the order may be the other way round; that is no proof of being worse.
    worse = {model for model in tested if corrected[model] <= level and behind[model] > 0}
    return Comparison(best, frozenset(equal), corrected, frozenset(worse), pairs, behind)


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of models over graphs, 1 for the best, and Friedman's test that all models are alike.

    Attributes
    ----------
    ranks : dict
        Mean rank by model, of the models that have all of the graphs.
    seeds : dict
        By graph, over how many seeds the means were taken that were ranked: those that all of the models have.
    p : float or None
        Of Friedman's test, by its chi-square approximation; None for fewer than three models or graphs.
    """

    ranks: Mapping[str, float]
    seeds: Mapping[str, int]
    p: float | None


def rank_models(found: Mapping[str, Mapping[str, Values]]) -> Ranking | None:
    """Rank models by their means on graphs, on the largest part of the table without a gap; None if there is none.

    The means of a graph are over the seeds that all ranked models have, as others are of other splits.

    Parameters
    ----------
    found
        By model and graph, what was reached by seed.

    References
    ----------
    Demšar: Statistical comparisons of classifiers over multiple data sets, JMLR 2006.

    Examples
    --------
    >>> gcn = {"a": {0: 1.0, 1: 9.0}, "b": {0: 2.0}}
    >>> rank_models({"gcn": gcn, "ncn": {"a": {0: 1.0}, "b": {0: 3.0}}, "seal": {"a": {0: 9.0}}})
    Ranking(ranks={'gcn': 1.75, 'ncn': 1.25}, seeds={'a': 1, 'b': 1}, p=None)
    """
    columns = list(dict.fromkeys(column for values in found.values() for column in values))
    held = {column: sum(column in values for values in found.values()) for column in columns}
    by_number = sorted(columns, key=lambda column: -held[column])
    blocks = []
    for number in range(2, len(columns) + 1):
        complete = [model for model, values in found.items() if set(by_number[:number]) <= set(values)]
        if len(complete) > 1:
            blocks.append((complete, set(by_number[:number])))
    if not blocks:
        return None
    models, chosen = max(blocks, key=lambda block: len(block[0]) * len(block[1]))
    first = found[models[0]]
    shared = {
        column: [seed for seed in first[column] if all(seed in found[model][column] for model in models)]
        for column in columns
        if column in chosen
    }
    shared = {column: seeds for column, seeds in shared.items() if seeds}
    if len(shared) < 2:
        return None
    means = [[np.mean([found[model][name][key] for key in keys]) for name, keys in shared.items()] for model in models]
    table = np.round(np.array(means), DIGITS)
    ranks = np.stack([_ranks(-column) for column in table.T], axis=1).mean(axis=1)
    numbers = {column: len(seeds) for column, seeds in shared.items()}
    return Ranking(dict(zip(models, ranks.tolist(), strict=True)), numbers, _friedman(table))


def _friedman(table: npt.NDArray[np.float64]) -> float | None:
    """Return the p of Friedman's test on models by graphs, where it can be had."""
    models, graphs = table.shape
    if min(models, graphs) < 3:
        return None
    from scipy.special import chdtrc  # scipy.stats has the whole test, and takes a second to load

    ranks = np.stack([_ranks(-column) for column in table.T])
    spread = (ranks**2).sum() - graphs * models * (models + 1) ** 2 / 4  # less where models share ranks
    if spread == 0:
        return None
    between = ((ranks.sum(axis=0) - graphs * (models + 1) / 2) ** 2).sum()
    return float(chdtrc(models - 1, (models - 1) * between / spread))


def _ranks(values: npt.NDArray[np.float64] | Sequence[float]) -> npt.NDArray[np.float64]:
    """Return ranks from 1, the smallest value first; equal values share the mean of theirs."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(number) - (number - 1) / 2)[place], dtype=np.float64)
