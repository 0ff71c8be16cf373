"""What can be judged: a model by name, a user's own encoder, or any function on node pairs."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model
from edgeorbit.models.base import LinkModel, Scorer, Scores

if TYPE_CHECKING:
    import torch

Pairs = npt.NDArray[np.int64]


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


AnyScorer = str | LinkModel | DrawnScorer | Callable[[Any], Any]


def resolve_scorer(scorer: AnyScorer, name: str | None = None) -> DrawnScorer:
    """Return a scorer of which weights can be drawn.

    Parameters
    ----------
    scorer
        The name of a model; a model, of which the settings count and weights that it may have do not; a `DrawnScorer`;
        or a function from node pairs of shape (k, 2) to k scores, such as what `on` of a trained model returns.
    name
        What it is called; by default its own name.

    Raises
    ------
    InvalidParameterError
        If it is nothing of the kind, or there is no model of that name.
    """
    if isinstance(scorer, str):
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
        f"a scorer is the name of a model, a model, or a function on node pairs, not {type(scorer).__name__}"
    )


def _of_model(model: LinkModel, name: str) -> DrawnScorer:
    # A model of the same settings: drawing weights must not touch those that the user's model was trained to.
    settings = asdict(model.settings)
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
    from edgeorbit.expressiveness.encoders import EncoderDraw

    return DrawnScorer(name, lambda graph, seed: EncoderDraw(make_encoder, make_decoder, graph, seed))
