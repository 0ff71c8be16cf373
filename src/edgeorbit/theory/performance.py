"""Performance against EAR: whether models do worse where links look more alike."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

FEWEST = 4  # points that an interval of a correlation can be had of


class CurvePoint(NamedTuple):
    """A run: its family of graphs, model, EAR of the training graph, seed, what it reached, and its graph."""

    family: str
    model: str
    ear: float
    seed: int
    value: float
    graph: str = ""


class Correlation(NamedTuple):
    """Spearman's rank correlation of EAR and performance, with its 95 % interval, where there is one.

    Attributes
    ----------
    family, model : str
        What it is about.
    number : int
        Number of runs.
    rho, low, high : float or None
        None if all values are the same, or there are too few.
    """

    family: str
    model: str
    number: int
    rho: float | None
    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return self._asdict()


def curve_points(
    rows: Iterable[Mapping[str, Any]], metric: str, negatives: str, series: Mapping[str, str] | None = None
) -> list[CurvePoint]:
    """Return the runs of an experiment as points.

    Parameters
    ----------
    rows
        Rows of `edgeorbit.experiments.store.Store`.
    metric, negatives
        What counts, such as `auc` against `random`. `original_auc` is that of the original test links alone, which are
        all of them in a graph without added ones.
    series
        By graph, its family, as the experiment file says (`series`); other graphs are left out. By default all graphs
        are of one family.

    Examples
    --------
    >>> row = {"data": "syn-cora, 0.7", "model": "gcn", "seed": 0, "negatives": "random", "colour_ear": 0.7}
    >>> curve_points([row | {"test_auc": 0.9}], "auc", "random", {"syn-cora, 0.7": "syn-cora"})
    [CurvePoint(family='syn-cora', model='gcn', ear=0.7, seed=0, value=0.9, graph='syn-cora, 0.7')]
    """
    points = []
    for row in rows:
        ear, value = row.get("colour_ear"), row.get(f"test_{metric}")
        if value is None:
            value = row.get(f"test_{metric.removeprefix('original_')}")
        family = "all graphs" if series is None else series.get(row["data"])
        if row["negatives"] == negatives and family is not None and ear is not None and value is not None:
            points.append(CurvePoint(family, row["model"], ear, row["seed"], value, row["data"]))
    return points


def correlate(points: Iterable[CurvePoint]) -> list[Correlation]:
    """Return the correlation of EAR and performance for every family and model.

    The interval is that of Fisher's z with the standard error `sqrt((1 + rho^2 / 2) / (n - 3))`.

    References
    ----------
    Bonett, Wright: Sample size requirements for estimating Pearson, Kendall and Spearman correlations,
    Psychometrika 2000.

    Examples
    --------
    >>> points = [CurvePoint("syn-cora", "gcn", x, 0, y) for x, y in ((0.1, 0.9), (0.4, 0.8), (0.7, 0.7), (1.0, 0.8))]
    >>> found = correlate(points)[0]
    >>> round(found.rho, 3), round(found.low, 3), round(found.high, 3)
    (-0.632, -0.994, 0.886)
    """
    groups: dict[tuple[str, str], list[CurvePoint]] = {}
    for point in points:
        groups.setdefault((point.family, point.model), []).append(point)
    return [Correlation(*name, len(group), *_spearman(group)) for name, group in groups.items()]


def _spearman(group: list[CurvePoint]) -> tuple[float | None, float | None, float | None]:
    from scipy.stats import rankdata

    ranks = np.stack([rankdata([point.ear for point in group]), rankdata([point.value for point in group])])
    if len(group) < 2 or (ranks.std(axis=1) == 0).any():
        return None, None, None
    rho = float(np.corrcoef(ranks)[0, 1])
    if len(group) < FEWEST:
        return rho, None, None
    bounded = min(max(rho, -1 + 1e-12), 1 - 1e-12)
    reach = 1.959963984540054 * math.sqrt((1 + rho**2 / 2) / (len(group) - 3))
    return rho, math.tanh(math.atanh(bounded) - reach), math.tanh(math.atanh(bounded) + reach)
