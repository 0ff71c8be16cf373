"""What can be judged: a model by name, a user's own encoder, or any function on node pairs; and the scores of one draw.

Scores are as they are or, if noise takes part in them, means of many.
"""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.scores import checked_scores
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model
from edgeorbit.models.base import LinkModel, Pairs, Scorer, Scores
from edgeorbit.models.fitted import FittedModel

if TYPE_CHECKING:
    import torch

Labels = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
# Differences up to so much, relative to the largest score of all draws, are rounding. Sums of a few hundred numbers are
# off by 1e-14 of their terms in double precision, and by 1e-6 in single precision. Where terms cancel, scores are
# smaller than their terms: that is why the largest score of all draws is the measure.
DOUBLE_TOLERANCE, SINGLE_TOLERANCE = 1e-9, 1e-5
# Means differ if they do so by more standard errors than all comparisons of a partition together reach by chance with
# this probability, and never by fewer than the least number.
CHANCE, LEAST_ERRORS = 1e-3, 5.0
FEWEST_NOISE_DRAWS, MOST_NOISE_DRAWS, SCORES_WITH_NOISE = 16, 128, 1 << 16


class WeightDraw(Protocol):
    """A scorer with its weights drawn, on one graph.

    Attributes
    ----------
    randomised : bool or None
        Whether noise changes its scores from one number of `noise` to the next; None if that has to be found out.
    """

    randomised: bool | None

    def score(self, pairs: Pairs, noise: int) -> Scores:
        """Return the scores of node pairs of shape (k, 2), with the noise of this number."""


@dataclass(frozen=True)
class DrawnScorer:
    """A scorer of which weights can be drawn.

    Attributes
    ----------
    name
        What it is called in tables.
    draw
        From a graph and a seed, which decides the weights, to a scorer on that graph.
    weighted
        Whether it has weights; if not, one draw is enough.
    relabels
        Whether it can be given another graph; only then can it be found out if it depends on the numbering of nodes.

    Examples
    --------
    A scorer with one random weight:

    >>> from edgeorbit.models import make_model
    >>> def draw(graph, seed):
    ...     common, weight = make_model("cn").on(graph), np.random.default_rng(seed).normal()
    ...     return lambda pairs: weight * common(pairs)
    >>> DrawnScorer.of(draw, name="weighted cn").name
    'weighted cn'
    """

    name: str
    draw: Callable[[Graph, int], WeightDraw]
    weighted: bool = True
    relabels: bool = True

    @classmethod
    def of(cls, draw: Callable[[Graph, int], Scorer], *, name: str) -> "DrawnScorer":
        """Make one of a function from a graph and a seed to a function that scores node pairs of that graph."""
        return cls(name, lambda graph, seed: PlainDraw(draw(graph, seed)))


@dataclass
class PlainDraw:
    """A function on node pairs; noise is what differs from call to call."""

    function: Callable[[Any], Any]
    randomised: bool | None = None

    def score(self, pairs: Pairs, noise: int) -> Scores:
        """Return the scores of node pairs."""
        found = self.function(pairs)
        return np.asarray(found.detach().cpu() if hasattr(found, "detach") else found)


AnyScorer = str | type | LinkModel | DrawnScorer | Callable[[Any], Any]


def resolve_scorer(scorer: AnyScorer, name: str | None = None) -> DrawnScorer:
    """Return a scorer of which weights can be drawn.

    Parameters
    ----------
    scorer
        A model, by whatever `edgeorbit.models.resolve_model` takes: a name, a class or an instance, also of
        `torch.nn.Module`, whose weights are drawn anew; a `DrawnScorer`; or a function from node pairs of shape (k, 2)
        to k scores, such as what `on` of a trained model returns.
    name
        What it is called; by default its own name.

    Raises
    ------
    InvalidParameterError
        If it is nothing of the kind, or there is no model of that name.
    """
    if isinstance(scorer, str | type) or _is_module(scorer):
        scorer = make_model(scorer)
    if isinstance(scorer, DrawnScorer):
        return DrawnScorer(name or scorer.name, scorer.draw, scorer.weighted, scorer.relabels)
    if isinstance(scorer, LinkModel):
        return _of_model(scorer, name or scorer.name)
    if callable(scorer):
        function = PlainDraw(scorer)
        known_as = name or str(getattr(scorer, "__name__", type(scorer).__name__))
        return DrawnScorer(known_as, lambda graph, seed: function, weighted=False, relabels=False)
    raise InvalidParameterError(
        f"a scorer must be the name of a model, a model, or a function of node pairs, got {type(scorer).__name__}"
    )


def _is_module(scorer: Any) -> bool:
    torch = sys.modules.get("torch")  # there is no module without it
    return torch is not None and isinstance(scorer, torch.nn.Module)


def _of_model(model: LinkModel, name: str) -> DrawnScorer:
    # A model of the same settings: drawing weights must not touch those that the user's model was trained to.
    settings = asdict(model.settings)
    if isinstance(model, FittedModel):
        raise InvalidParameterError(
            f"{name} has no random weights to draw; give the scorer of a fitted one, predictor.model.on(graph)"
        )
    if model.trainable:
        from edgeorbit.expressiveness.networks import NetworkDraws

        return DrawnScorer(name, NetworkDraws(type(model), settings))
    return DrawnScorer(
        name, lambda graph, seed: PlainDraw(type(model)(**settings).on(graph), randomised=False), weighted=False
    )


def encoder_scorer(
    make_encoder: "Callable[[], torch.nn.Module]",
    make_decoder: "Callable[[], Callable[..., torch.Tensor]] | None" = None,
    *,
    name: str = "encoder",
) -> DrawnScorer:
    """Make a scorer of a PyTorch Geometric encoder and a decoder.

    Parameters
    ----------
    make_encoder
        Makes the encoder, with new random weights; it is called with `(x, edge_index)`.
    make_decoder
        Makes what is called with the embeddings and `edge_label_index` of shape (2, k) and returns k scores; by default
        the inner product of the two embeddings.
    name
        What it is called in tables.

    Examples
    --------
    >>> from torch_geometric.nn import GCNConv
    >>> from edgeorbit.expressiveness import score_partition
    >>> from edgeorbit.graph.toys import prism
    >>> score_partition(prism(), encoder_scorer(lambda: GCNConv(1, 8), name="mine"), draws=2).num_classes
    1
    """
    from edgeorbit.expressiveness.networks import EncoderDraw

    return DrawnScorer(name, lambda graph, seed: EncoderDraw(make_encoder, make_decoder, graph, seed))


class ExpectedScores(NamedTuple):
    """Mean scores, their standard errors if there is noise, and whether they are in single precision."""

    scores: Values
    errors: Values | None
    single: bool


def expected_scores(
    drawn: WeightDraw,
    name: str,
    pairs: Pairs,
    orbits: Labels,
    noise_draws: int,
) -> ExpectedScores:
    """Score node pairs; if noise takes part, so many times, for the means.

    The variance of a pair is its own, or the mean of its orbit where that is larger: of a few scores that happen to lie
    close together the own one would be too small.

    Raises
    ------
    BadScoresError
        If the scorer returns something else than a finite number for every pair.
    """
    first = _floats(drawn.score(pairs, 0), name, len(pairs))
    single = first.dtype == np.float32
    values = first.astype(np.float64)
    if drawn.randomised is None:
        again = _floats(drawn.score(pairs, 1), name, len(pairs))
        drawn.randomised = bool(np.abs(again - values).max(initial=0) > default_tolerance(single) * scale_of(values))
    if not drawn.randomised:
        return ExpectedScores(values, None, single)
    mean, squares = values, np.zeros(len(values))
    for number in range(1, noise_draws):  # Welford's recurrence: no list of scores is kept
        found = _floats(drawn.score(pairs, number), name, len(pairs)).astype(np.float64)
        change = found - mean
        mean = mean + change / (number + 1)
        squares += change * (found - mean)
    variance = squares / (noise_draws - 1)
    pooled = np.bincount(orbits, variance) / np.maximum(np.bincount(orbits), 1)
    return ExpectedScores(mean, np.sqrt(np.maximum(variance, pooled[orbits]) / noise_draws), single)


def choose_noise_draws(num_edges: int) -> int:
    """Return how often the noise of a randomised scorer is drawn for so many edges.

    >>> choose_noise_draws(10), choose_noise_draws(1_000_000)
    (128, 16)
    """
    return max(FEWEST_NOISE_DRAWS, min(MOST_NOISE_DRAWS, SCORES_WITH_NOISE // max(num_edges, 1)))


def _floats(scores: Any, name: str, count: int) -> npt.NDArray[np.floating]:
    """Return the scores in floating point if they are a finite number for every pair."""
    found = checked_scores(scores, count, name)
    return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)


def default_tolerance(single: bool) -> float:
    """Return the difference, relative to the largest score, that is taken for rounding."""
    return SINGLE_TOLERANCE if single else DOUBLE_TOLERANCE


def scale_of(scores: Values) -> float:
    """Return the size of the largest score."""
    return float(np.abs(scores).max(initial=0))


def count_errors(comparisons: int, noise_draws: int) -> float:
    """Return by how many standard errors means must differ, if there are so many comparisons.

    >>> count_errors(1, 16), round(count_errors(100_000, 16), 1)
    (5.0, 7.8)
    """
    from scipy.special import stdtrit  # Student's t; scipy.stats takes a second to load

    return max(LEAST_ERRORS, -float(stdtrit(2 * (noise_draws - 1), CHANCE / (2 * max(comparisons, 1)))))
