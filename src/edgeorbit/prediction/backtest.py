"""What a list of predicted links is worth: its precision against hidden test links, and how true its probabilities are.

The list is the one that `predict` would print if the test links were not known yet: the best of all candidate pairs of
the training graph, without validation links, which are known.
"""

from collections.abc import Callable, Mapping
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from edgeorbit._randomness import Random
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.evaluation.calibration import (
    brier_score,
    expected_calibration_error,
    reliability_curve,
)
from edgeorbit.graph.node_pairs import are_among, pair_keys
from edgeorbit.models import make_model
from edgeorbit.prediction.calibration import Calibration
from edgeorbit.prediction.scanning import Scanned, scan

KS = (10, 50, 100, 500)
CHOSEN_AT = 100  # links of the list by whose precision a heuristic is chosen
HEURISTICS = ("cn", "aa", "ra", "jaccard", "katz", "ppr")
MOST_PAGERANK = 5 * 10**8  # nodes times edges, up to which the PageRank of all nodes takes less than a minute
DRAWS = 2000  # of the bootstrap
CONFIDENCE = 0.95
SMALL_SAMPLE = 30  # links; a metric from fewer is marked
Share = Annotated[float, Field(ge=0, le=1)]


class Precision(BaseModel):
    """How many of the first k links of a list are test links.

    Attributes
    ----------
    k : int
        Length of the list that was asked for.
    listed, found : int
        How many links it has, and how many of them are test links.
    precision, recall : float
        `found / listed`, and the share of all test links that were found.
    low, high : float
        95 % bootstrap interval of the precision, over the links of the list.
    """

    model_config = ConfigDict(extra="forbid")

    k: int
    listed: int
    found: int
    precision: Share
    low: Share
    high: Share
    recall: Share


class ListQuality(BaseModel):
    """The precision of one model's list, for every k."""

    model_config = ConfigDict(extra="forbid")

    model: str
    at: list[Precision]


class ReliabilityBin(BaseModel):
    """Links of the list whose probability lies between two bounds, and the share of them that are test links."""

    model_config = ConfigDict(extra="forbid")

    low: Share
    high: Share
    number: int
    mean_probability: Share
    share_true: Share


class Reliability(BaseModel):
    """How true the probabilities of a list are; `prior` is the expected share of test links among the candidates."""

    model_config = ConfigDict(extra="forbid")

    method: str
    listed: int
    prior: Share
    mean_probability: Share
    share_true: Share
    ece: Share
    brier: Share
    curve: list[ReliabilityBin]


class Backtest(BaseModel):
    """A list of predicted links against hidden test links.

    Attributes
    ----------
    test_links : int
        How many links were hidden.
    small_sample : bool
        Whether they are fewer than 30.
    candidates, non_edges : int
        Pairs that the model scored, and pairs that are neither training nor validation links.
    chance : float
        The precision of a random list: the share of test links among these pairs.
    model, heuristic : ListQuality
        The model's list, and that of the heuristic that has the best precision at 100 on validation links.
    heuristics : dict
        That precision, by heuristic.
    reliability : Reliability or None
        How true the probabilities of the model's list are; None if there are too few links to calibrate.
    uncalibrated : str
        Why there are none.
    """

    model_config = ConfigDict(extra="forbid")

    test_links: int
    small_sample: bool
    candidates: int
    non_edges: int
    chance: Share
    model: ListQuality
    heuristic: ListQuality
    heuristics: dict[str, float]
    reliability: Reliability | None = None
    uncalibrated: str = ""


def backtest(
    name: str,
    scanned: Scanned,
    split: LinkSplit,
    *,
    calibration: Calibration | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Backtest:
    """Compare the list of a model, and that of the best heuristic, with the test links of a split.

    Parameters
    ----------
    name
        What the model is called.
    scanned
        What `edgeorbit.prediction.scanning.scan` returns for the model, `split.graph` and `split.valid`.
    split
        The split.
    calibration
        The calibration of the model, whose probabilities are judged too.
    seed
        Decides the bootstrap.
    threads, progress
        As for `scan`, which is done with every heuristic.
    """
    n = split.graph.num_nodes
    test = np.sort(pair_keys(split.test[:, 0], split.test[:, 1], n))
    chosen, scans = _best_heuristic(split, threads, progress)
    non_edges = n * (n - 1) // 2 - split.graph.num_edges - len(split.valid)
    hits = _hits(scanned, test, n)
    reliability = None
    if calibration is not None and not calibration.too_few and len(hits):
        reliability = _reliability(calibration, scanned.scores[: KS[-1]], hits)
    return Backtest(
        test_links=len(test),
        small_sample=len(test) < SMALL_SAMPLE,
        candidates=scanned.num_scored,
        non_edges=non_edges,
        chance=len(test) / max(non_edges, 1),
        model=_quality(name, hits, len(test), seed),
        heuristic=_quality(chosen, _hits(scans[chosen], test, n), len(test), seed),
        heuristics={each: precision_on_valid(found) for each, found in scans.items()},
        reliability=reliability,
        uncalibrated="" if calibration is None else calibration.too_few,
    )


def precision_on_valid(scanned: Scanned, k: int = CHOSEN_AT) -> float:
    """Return the share of validation links among the best k candidates; among equal scores, the expected one.

    Examples
    --------
    >>> none, others = np.empty(0), np.array([[0, 1], [0, 2]])
    >>> precision_on_valid(Scanned(3, np.array([1.0]), others, np.array([2.0, 1.0]), none, 0.0), k=2)
    0.25
    """
    scores = np.concatenate([scanned.links, scanned.scores])
    if not len(scores):
        return 0.0
    least = np.sort(scores)[::-1][min(k, len(scores)) - 1]
    above, equal = int((scores > least).sum()), int((scores == least).sum())
    size = min(k, len(scores))
    tied = (scanned.links == least).sum() * (size - above) / equal
    return float(((scanned.links > least).sum() + tied) / size)


def _best_heuristic(
    split: LinkSplit, threads: int | None, progress: Callable[[int, int], None] | None
) -> tuple[str, Mapping[str, Scanned]]:
    """Return the heuristic with the best list on validation links, and the lists of all."""
    large = split.graph.num_nodes * split.graph.num_edges > MOST_PAGERANK
    scans = {
        name: scan(
            make_model(name).on(split.graph),
            split.graph,
            split.valid,
            best=4 * KS[-1],
            sample=1,
            threads=threads,
            progress=progress,
        )
        for name in HEURISTICS
        if name != "ppr" or not large
    }
    return max(scans, key=lambda name: precision_on_valid(scans[name])), scans


def _hits(scanned: Scanned, test: npt.NDArray[np.int64], num_nodes: int) -> npt.NDArray[np.bool_]:
    """Tell for every link of a list whether it is a test link."""
    pairs = scanned.pairs[: KS[-1]]
    return are_among(pair_keys(pairs[:, 0], pairs[:, 1], num_nodes), test)


def _quality(name: str, hits: npt.NDArray[np.bool_], num_test: int, seed: int) -> ListQuality:
    return ListQuality(model=name, at=[_precision(hits[:k], k, num_test, seed) for k in KS])


def _precision(hits: npt.NDArray[np.bool_], k: int, num_test: int, seed: int) -> Precision:
    low, high = bootstrap_interval(hits, seed=seed)
    found = int(hits.sum())
    return Precision(
        k=k,
        listed=len(hits),
        found=found,
        precision=found / max(len(hits), 1),
        low=low,
        high=high,
        recall=found / max(num_test, 1),
    )


def bootstrap_interval(hits: npt.NDArray[np.bool_], *, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % percentile interval of the share of hits, over lists drawn from this one.

    Examples
    --------
    >>> low, high = bootstrap_interval(np.arange(100) < 50)
    >>> 0.38 < low < 0.42 < 0.58 < high < 0.62
    True
    """
    if not len(hits):
        return 0.0, 0.0
    drawn = (Random(seed, "bootstrap").uniform(DRAWS * len(hits)) * len(hits)).astype(np.int64)
    shares = hits[drawn].reshape(DRAWS, -1).mean(axis=1)
    low, high = np.quantile(shares, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return low, high


def _reliability(calibration: Calibration, scores: npt.NDArray[np.float64], hits: npt.NDArray[np.bool_]) -> Reliability:
    probability = calibration.probability_of_test(scores)
    return Reliability(
        method=str(calibration.method),
        listed=len(hits),
        prior=calibration.prior_of_test,
        mean_probability=float(probability.mean()),
        share_true=float(hits.mean()),
        ece=expected_calibration_error(probability, hits),
        brier=brier_score(probability, hits),
        curve=[ReliabilityBin(**each._asdict()) for each in reliability_curve(probability, hits)],
    )
