"""From scores to probabilities: isotonic regression and Platt scaling over ranks, and how good probabilities are.

Everything here works on groups of equal scores, best first: how much weight a group has, and how much of it are links.
So nothing depends on the scale of the scores, and pairs of equal score get equal probabilities.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError

FOLDS = 5
BINS = 10
DOUBT = (
    4  # items without a link that are added to every step; chosen on 40 runs (8 graphs, ra and ppr, seeds 100 and up)
)
STEPS = 100  # of Newton's method, which needs about ten
Floats = npt.NDArray[np.float64]
Method = Literal["isotonic", "platt"]


class Fitted(NamedTuple):
    """Probabilities of groups of equal score.

    Attributes
    ----------
    probability : float array of length k
        Of each group, best first; never rising.
    method : str
        `isotonic` or `platt`, whichever has the lower log-loss.
    log_loss : dict
        By method, the mean cross-fitted log-loss of an item, in nats, over as many ranks as there are links.
    """

    probability: Floats
    method: Method
    log_loss: dict[str, float]


def isotonic(links: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return the never rising probabilities that fit best, by weighted least squares.

    Parameters
    ----------
    links, weights : arrays of length k
        Of each group, best first, the weight of its links and that of all its items, above 0.

    Examples
    --------
    >>> isotonic([1, 0, 1, 0], [1, 1, 1, 1]).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    from scipy.optimize import isotonic_regression

    weight = np.asarray(weights, np.float64)
    if not len(weight):
        return np.empty(0)
    found = isotonic_regression(np.asarray(links) / weight, weights=weight, increasing=False)
    return np.asarray(found.x)


def platt(x: npt.ArrayLike, links: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[float, float]:
    """Return slope and intercept of the logistic regression of links on x, by Newton's method.

    The slope is at least 0: where links have lower values than others, all get the same probability. Half a link more
    and half an item more that is none, at the mean of x, keep the numbers finite.

    Examples
    --------
    >>> slope, intercept = platt([2.0, 1.0, 0.0], [9, 5, 1], [10, 10, 10])
    >>> bool(slope > 2), round(intercept + slope, 6)
    (True, 0.0)
    """
    values, weight = np.asarray(x, np.float64), np.asarray(weights, np.float64)
    target = np.asarray(links, np.float64)
    middle = float(values @ weight / weight.sum())
    values, weight, target = np.append(values - middle, 0.0), np.append(weight, 1.0), np.append(target, 0.5)
    share = target.sum() / weight.sum()
    beta = np.array([0.0, np.log(share / (1 - share))])
    design = np.stack([values, np.ones_like(values)], axis=1)
    loss = _logistic_loss(design @ beta, target, weight)
    for _ in range(STEPS):
        p = sigmoid(design @ beta)
        gradient = design.T @ (target - weight * p)
        curvature = (design * (weight * p * (1 - p))[:, None]).T @ design
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while (after := _logistic_loss(design @ (beta + step), target, weight)) > loss and np.abs(step).max() > 1e-14:
            step = step / 2
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            break
        loss = after
    slope, intercept = beta.tolist()
    if slope <= 0:
        return 0.0, float(np.log(share / (1 - share)))
    return slope, intercept - slope * middle


def sigmoid(x: npt.ArrayLike) -> Floats:
    """Return the logistic function, without overflow.

    >>> sigmoid([-1000.0, 0.0, 1000.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    values = np.asarray(x, np.float64)
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values < 0, small, 1.0) / (1 + small))


def _logistic_loss(logits: Floats, links: Floats, weights: Floats) -> float:
    return float((weights * np.logaddexp(0, logits) - links * logits).sum())


def log_rank(weights: npt.ArrayLike) -> Floats:
    """Return minus the logarithm of the share of items that are at least as good, of the middle of each group.

    It is what Platt scaling is done on: where the share of links found among the first is a power of the share of
    others among them, as precision usually falls, the logarithm of the odds is linear in it.

    >>> log_rank([1, 1, 2]).round(3).tolist()
    [2.079, 0.981, 0.288]
    """
    weight = np.asarray(weights, np.float64)
    whole = weight.cumsum()
    return np.asarray(-np.log((whole - weight / 2) / whole[-1]))


class Bin(NamedTuple):
    """Pairs whose probabilities lie between two bounds, and what became of them."""

    low: float
    high: float
    number: int
    mean_probability: float
    share_true: float


def reliability_curve(probability: npt.ArrayLike, is_link: npt.ArrayLike, bins: int = BINS) -> list[Bin]:
    """Return, for bins of equal width that hold any pairs, the mean probability and the share that came true.

    Examples
    --------
    >>> [tuple(each) for each in reliability_curve([0.1, 0.2, 1.0], [0, 1, 1], bins=2)]
    [(0.0, 0.5, 2, 0.15000000000000002, 0.5), (0.5, 1.0, 1, 1.0, 1.0)]
    """
    p, y = _checked(probability, is_link)
    if not isinstance(bins, int | np.integer) or bins < 1:
        raise InvalidParameterError(f"bins must be a whole number from 1, not {bins}")
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    return [
        Bin(each / bins, (each + 1) / bins, int(inside.sum()), float(p[inside].mean()), float(y[inside].mean()))
        for each in range(bins)
        if (inside := place == each).any()
    ]


def expected_calibration_error(probability: npt.ArrayLike, is_link: npt.ArrayLike, bins: int = BINS) -> float:
    """Return the mean distance of probability and truth over bins of equal width, each weighted by its pairs.

    Guo et al.: On calibration of modern neural networks, ICML 2017.

    Examples
    --------
    >>> expected_calibration_error([0.75, 0.75, 0.75, 0.75], [1, 1, 1, 0])
    0.0
    """
    curve = reliability_curve(probability, is_link, bins)
    total = sum(each.number for each in curve)
    return sum(each.number * abs(each.mean_probability - each.share_true) for each in curve) / total


def brier_score(probability: npt.ArrayLike, is_link: npt.ArrayLike) -> float:
    """Return the mean squared distance of probability and truth.

    Examples
    --------
    >>> brier_score([1.0, 0.5], [1, 0])
    0.125
    """
    p, y = _checked(probability, is_link)
    return float(((p - y) ** 2).mean())


def _checked(probability: npt.ArrayLike, is_link: npt.ArrayLike) -> tuple[Floats, Floats]:
    p, y = np.asarray(probability, np.float64), np.asarray(is_link, np.float64)
    if p.ndim != 1 or p.shape != y.shape or not len(p):
        raise InvalidParameterError(
            f"got {p.shape} probabilities and {y.shape} labels; give one label for each, and at least one"
        )
    if not ((p >= 0) & (p <= 1)).all() or not ((y == 0) | (y == 1)).all():
        raise InvalidParameterError("probabilities must be from 0 to 1, and labels 0 or 1")
    return p, y


def fit_probabilities(
    scores: npt.ArrayLike, is_link: npt.ArrayLike, weights: npt.ArrayLike, *, seed: int = 0
) -> tuple[Floats, Floats, Fitted]:
    """Fit probabilities that fall with the rank, by the method with the lower cross-fitted log-loss at the top.

    Parameters
    ----------
    scores, is_link, weights : arrays of length k
        Of items, in any order.
    seed
        Decides the folds.

    Returns
    -------
    scores : array of length m
        The different scores, descending.
    ranks : array of length m
        The weight of all items that score at least as high.
    fitted : Fitted
        Their probabilities.

    Raises
    ------
    InvalidParameterError
        If there is no link, or nothing else.

    Examples
    --------
    >>> scores, ranks, fitted = fit_probabilities([3, 3, 2, 2, 1, 1], [1, 1, 0, 1, 0, 0], np.ones(6))
    >>> scores.tolist(), ranks.tolist(), bool((np.diff(fitted.probability) <= 0).all())
    ([3.0, 2.0, 1.0], [2.0, 4.0, 6.0], True)
    """
    value, link, weight = (np.asarray(each, np.float64) for each in (scores, is_link, weights))
    if not 0 < (link * weight).sum() < weight.sum():
        raise InvalidParameterError("probabilities need links and pairs that are none; give both")
    # The order among equals must not depend on how nodes are numbered: it decides the folds.
    order = np.lexsort((weight, -link, -value))
    value, link, weight = value[order], link[order], weight[order]
    first = np.append(True, value[1:] != value[:-1])
    group = np.cumsum(first) - 1
    fold = Random(seed, "folds of calibration").permutation(len(value)) % FOLDS

    weights, _ = whole = _sums(group, weight, link, group[-1] + 1)
    # Lists are short. Beyond as many ranks as there are links, what is near 0 would decide, in millions of pairs.
    listed = (weights.cumsum() - weights)[group] < whole[1].sum()
    loss = dict.fromkeys(_METHODS, 0.0)
    for each in range(FOLDS):
        seen, left = fold != each, (fold == each) & listed
        sums = _sums(group[seen], weight[seen], link[seen], group[-1] + 1)
        if not 0 < sums[1].sum() < sums[0].sum():
            continue
        for name, method in _METHODS.items():
            p = np.clip(_at_all(method, *sums)[group[left]], least := 0.5 / weight.sum(), 1 - least)
            loss[name] -= float((weight[left] * np.where(link[left] > 0, np.log(p), np.log1p(-p))).sum())
    best: Any = min(loss, key=loss.__getitem__)
    mean = {name: total / weight[listed].sum() for name, total in loss.items()}
    return value[first], weights.cumsum(), Fitted(_METHODS[best](*whole), best, mean)


def _sums(group: npt.NDArray[np.int64], weight: Floats, link: Floats, count: int) -> tuple[Floats, Floats]:
    return (
        np.asarray(np.bincount(group, weight, count), np.float64),
        np.asarray(np.bincount(group, weight * link, count), np.float64),
    )


def _at_all(method: Any, weights: Floats, links: Floats) -> Floats:
    """Return the probabilities of all groups, also of those without items: those of the group before them."""
    there = np.flatnonzero(weights > 0)
    found = method(weights[there], links[there])
    return np.asarray(found[np.maximum(np.searchsorted(there, np.arange(len(weights)), "right") - 1, 0)])


def _by_platt(weights: Floats, links: Floats) -> Floats:
    x = log_rank(weights)
    slope, intercept = platt(x, links, weights)
    return sigmoid(slope * x + intercept)


def _by_isotonic(weights: Floats, links: Floats) -> Floats:
    """Return isotonic probabilities whose steps are drawn down a little, the short ones most.

    Steps end where links happen to end, so that those of few items promise too much.
    """
    p = isotonic(links, weights)
    step = np.cumsum(np.append(True, p[1:] != p[:-1])) - 1
    whole, found = _sums(step, weights, links / weights, int(step[-1]) + 1)
    return isotonic((found / (whole + DOUBT))[step] * weights, weights)


_METHODS = {"isotonic": _by_isotonic, "platt": _by_platt}
