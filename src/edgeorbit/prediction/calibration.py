"""Probabilities of predicted links, from the ranks of held-out validation links among all candidates.

The model scores all candidate pairs of the training graph. Some of them are validation links, and how many of those
there are around each rank says how likely a link is there. Test links stay among the others, unnamed: calibration knows
how many there are, and corrects for as many links in disguise as the validation links let expect.

A model that sees more edges gives higher scores, so probabilities follow ranks: a score's rank among the candidates of
the graph that the model sees stands for the rank with the same share of the candidates that are no links.
"""

from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.calibration import fit_probabilities
from edgeorbit.prediction.scanning import Scanned

HIGHEST = 0.99  # probability: held-out links are too few to promise more
FEWEST_LINKS = 30  # validation links among the candidates, from which a curve says something
EACH = 1000  # ranks that all get a probability of their own, if their scores differ
STEP = 1.01  # from one rank to the next below those
MOST_STEPS = 8192  # that a file may have

Floats = npt.NDArray[np.float64]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Steps = Annotated[list[Finite], Field(min_length=1, max_length=MOST_STEPS)]


class Scale(BaseModel):
    """How scores are distributed over the candidates of a graph.

    Attributes
    ----------
    scores : list of float
        Some of the scores, descending.
    ranks : list of float
        How many candidates score at least as high.
    edges : int
        Edges of the graph.
    """

    model_config = ConfigDict(extra="forbid")

    scores: Steps
    ranks: Steps
    edges: int = Field(ge=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        scores, ranks = np.array(self.scores), np.array(self.ranks)
        if len(scores) != len(ranks) or (np.diff(scores) >= 0).any() or (np.diff(ranks, prepend=0) <= 0).any():
            raise ValueError("scores must fall and ranks must rise")
        return self

    @classmethod
    def of(cls, scores: Floats, ranks: Floats, edges: int) -> "Scale":
        """Thin out all different scores and their ranks: every one of the first, and fewer and fewer below."""
        kept = thinned(ranks)
        return cls(scores=_finite(scores[kept]), ranks=ranks[kept].tolist(), edges=max(edges, 1))

    @classmethod
    def of_scanned(cls, scanned: Scanned, edges: int) -> "Scale":
        """Return the scale of all candidates of a graph."""
        scores, _, weights = scanned.items()
        order = np.argsort(-scores, kind="stable")
        scores, ranks = scores[order], weights[order].cumsum()
        last = np.append(scores[1:] != scores[:-1], True)
        return cls.of(scores[last], ranks[last], edges)


class Calibration(BaseModel):
    """How likely a link is at every rank; see `edgeorbit.prediction.calibration`.

    Attributes
    ----------
    run : str
        Digest of the run that it belongs to.
    method : str or None
        `isotonic` or `platt`, whichever has the lower log-loss; None if there are too few links to calibrate.
    log_loss : dict
        By method, the cross-fitted log-loss.
    candidates, links : int
        Candidates of the training graph, and how many of them are validation links.
    valid, test : int
        Validation and test links, candidates or not.
    train : Scale
        Scores on the training graph.
    likely : list of float
        By step of `train`, the probability that such a candidate is a validation link.
    whole : Scale, optional
        Scores on the graph of all known edges.
    """

    model_config = ConfigDict(extra="forbid")

    form: Literal[1] = 1
    run: str
    method: Literal["isotonic", "platt"] | None
    log_loss: dict[str, Finite] = {}
    candidates: int = Field(ge=0)
    links: int = Field(ge=0)
    valid: int = Field(ge=0)
    test: int = Field(ge=0)
    train: Scale | None = None
    likely: Annotated[list[Share], Field(max_length=MOST_STEPS)] = []
    whole: Scale | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.method is None) != (self.train is None):
            raise ValueError("a method must have a scale")
        if self.train is not None and (len(self.likely) != len(self.train.ranks) or not 0 < self.links <= self.valid):
            raise ValueError("every step must have a probability, and links are validation links")
        if (np.diff(self.likely) > 0).any():
            raise ValueError("probabilities must fall")
        return self

    @property
    def too_few(self) -> str:
        """Why there are no probabilities, as a sentence; empty if there are."""
        if self.method is not None:
            return ""
        return (
            f"No probabilities: only {self.links} of {self.valid} validation links are among the {self.candidates:,} "
            f"candidates, and calibration needs {FEWEST_LINKS}."
        )

    def expected(self, seen: Scale | None = None) -> float:
        """Return how many links are missing if they are as frequent as validation links were: per known edge."""
        scale = self._scale(seen)
        return self.valid * scale.edges / self._train.edges

    def prior(self, missing: float | None = None, seen: Scale | None = None) -> float:
        """Return the expected share of true links among the candidates of a graph."""
        curve = self._curve(missing, self._scale(seen))
        return float(curve.links[-1] / curve.ranks[-1])

    def probability(self, scores: npt.ArrayLike, *, missing: float | None = None, seen: Scale | None = None) -> Floats:
        """Return the probability that pairs with these scores, which are no known links, are links.

        Parameters
        ----------
        scores : array of length k
            What the model gave them on the graph of `seen`.
        missing
            How many links are missing in that graph, candidates or not; by default `expected`.
        seen
            The scale of that graph; by default that of all known edges.

        Returns
        -------
        float array of length k
            Never higher for a lower score.
        """
        scale = self._scale(seen)
        curve = self._curve(missing, scale)
        if scale is self.train:
            return _look_up(curve.likely, scale, scores)
        ranks = np.append(0.0, scale.ranks)
        links = np.interp(ranks, np.append(0.0, curve.ranks), np.append(0.0, curve.links))
        return _look_up(np.diff(links) / np.diff(ranks), scale, scores)

    def probability_of_test(self, scores: npt.ArrayLike) -> Floats:
        """Return the probability that candidates of the training graph that are no validation links are test links."""
        valid = np.array(self.likely)
        return _look_up(valid * (self.test / self.valid) / np.maximum(1 - valid, 1e-300), self._train, scores)

    def meaning(self, missing: float | None = None, seen: Scale | None = None) -> str:
        """Return in two sentences what probabilities mean, and what they assume."""
        scale = self._scale(seen)
        expected = self.expected(scale) if missing is None else missing
        assumed = "as many for every known link as validation links for every training link"
        return (
            f"Of links with a probability of 0.6, about 60 % would be expected to be true if missing links resemble "
            f"the held-out ones. This assumes {expected:,.0f} missing links"
            f"{f', {assumed}' if missing is None else ''}: {self.prior(missing, scale):.2g} of the "
            f"{scale.ranks[-1]:,.0f} candidates."
        )

    @property
    def prior_of_test(self) -> float:
        """The expected share of test links among the candidates that are no validation links."""
        return min(1.0, self.links * self.test / self.valid / max(self.candidates - self.links, 1))

    @property
    def _train(self) -> Scale:
        if self.train is None:
            raise InvalidParameterError(f"{self.too_few[:-1]}; hold out more links, or do without probabilities")
        return self.train

    def _scale(self, seen: Scale | None) -> Scale:
        return seen or self.whole or self._train

    def _curve(self, missing: float | None, scale: Scale) -> "Curve":
        """Return how many of the first candidates of a graph are links in which so many are missing.

        What is missing was missing when validation links were hidden, too. So the candidates that are now to be judged
        are those of then without validation links and, as many as these let expect, test links; and links among them
        are as frequent, by rank, as validation links were, `missing / valid` times as many.
        """
        train = self._train
        missing = self.expected(scale) if missing is None else missing
        if not 0 < missing < np.inf:
            raise InvalidParameterError(f"missing must be a number above 0, not {missing}")
        width = np.diff(train.ranks, prepend=0)
        valid = width * np.array(self.likely)
        others = np.maximum(width - valid * (1 + self.test / self.valid), 0.0)
        likely = np.minimum(1.0, valid * (missing / self.valid) / np.maximum(others, 1e-300))
        size = scale.ranks[-1] / others.sum()  # a graph of more edges has more candidates
        return Curve(likely, (size * others).cumsum(), (size * others * likely).cumsum())


class Curve(NamedTuple):
    """How likely the candidates of each step are; of the first `ranks`, so many `links` are expected."""

    likely: Floats
    ranks: Floats
    links: Floats


def fit_calibration(scanned: Scanned, split: LinkSplit, *, run: str = "", seed: int = 0) -> Calibration:
    """Fit probabilities to the scored candidates of the training graph of a split.

    Parameters
    ----------
    scanned
        What `edgeorbit.prediction.scanning.scan` returns for `split.graph` and `split.valid`.
    split
        The split. Of its test links the number counts alone.
    run
        Digest of the run.
    seed
        Decides the folds of cross-fitting.
    """
    counts = {"candidates": scanned.num_scored, "links": len(scanned.links)}
    about: dict[str, Any] = {"run": run, **counts, "valid": len(split.valid), "test": len(split.test)}
    if len(scanned.links) < FEWEST_LINKS or scanned.num_scored == len(scanned.links):
        return Calibration(method=None, **about)
    scores, ranks, fitted = fit_probabilities(*scanned.items(), seed=seed)
    width = np.diff(ranks, prepend=0)
    kept = thinned(ranks)
    likely = np.diff((fitted.probability * width).cumsum()[kept], prepend=0) / np.diff(ranks[kept], prepend=0)
    return Calibration(
        method=fitted.method,
        log_loss=fitted.log_loss,
        train=Scale.of(scores, ranks, split.graph.num_edges),
        likely=np.minimum.accumulate(np.clip(likely, 0.0, 1.0)).tolist(),
        **about,
    )


def thinned(ranks: Floats) -> npt.NDArray[np.int64]:
    """Return the places of the ranks to keep: those up to `EACH`, then one for every hundredth more, and the last.

    >>> thinned(np.arange(1.0, 2001.0))[[0, 999, 1000, -1]].tolist()
    [0, 999, 1008, 1999]
    """
    hundredths = 1 + np.floor(np.log(np.maximum(ranks, EACH) / EACH) / np.log(STEP))
    step = np.where(ranks <= EACH, ranks, EACH + hundredths)
    return np.flatnonzero(np.append(step[1:] != step[:-1], True))


def _look_up(each: Floats, scale: Scale, scores: npt.ArrayLike) -> Floats:
    """Return the probabilities of scores from those of the steps of a scale."""
    falling = np.minimum.accumulate(np.clip(each, 0.0, HIGHEST))  # also after rounding
    steps = np.searchsorted(-np.array(scale.scores), -np.asarray(scores, np.float64), "left")
    return np.asarray(falling[np.minimum(steps, len(falling) - 1)])


def _finite(scores: Floats) -> list[float]:
    most = np.finfo(np.float64).max
    found: list[float] = np.clip(scores, -most, most).tolist()
    return found
