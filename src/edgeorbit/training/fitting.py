"""How any model with weights is trained: networks by the one training loop, others by their own `fit`."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.evaluation.metrics import evaluate
from edgeorbit.models.base import LinkModel, Scores, Settings, Trained
from edgeorbit.models.fitted import FittedModel, Validation
from edgeorbit.training._checks import check_trainable
from edgeorbit.training.settings import FitSettings

if TYPE_CHECKING:
    from edgeorbit.training.loop import Report, Trainer
    from edgeorbit.training.world import World

MOST_LINKS = 20_000  # of validation that are measured, and rows of their own negatives
MOST_POOL = 500_000  # of their pool: MRR and Hits@K are decided by its few highest, which a small sample lacks
SmallReport = Callable[[int, int, str], None]


class Fitter:
    """Lets a model fit itself to the training links of a split; it has the face of `Trainer`.

    Parameters
    ----------
    model
        A model that fits itself.
    split
        The graph to learn from; its validation links choose what is kept, its test links are not touched.
    negatives
        The validation negatives.
    settings
        The metric that validation is measured by.
    seed
        Decides every random choice.
    progress
        Called with steps done, steps in all and what is being done.
    """

    batch_size = 1  # one process does all of it
    world: "World | None" = None

    def __init__(
        self,
        model: FittedModel,
        split: LinkSplit,
        negatives: Negatives,
        settings: FitSettings,
        *,
        seed: int = 0,
        progress: SmallReport | None = None,
    ) -> None:
        check_trainable(model, split, negatives)
        model.check(split.graph)
        self.model, self.split, self.negatives, self.settings = model, split, negatives, settings
        self.seed, self.progress = seed, progress

    def train(self) -> Trained:
        """Fit the model."""
        validation = validation_of(self.split, self.negatives, self.settings.metric)
        return self.model.fit(self.split.graph, validation, seed=self.seed, report=self.progress)


def validation_of(split: LinkSplit, negatives: Negatives, metric: str) -> Validation:
    """Return what a model may know of the validation links.

    Of more than 20,000 links a regular sample is measured, and of a pool of more than 500,000 negatives.
    """
    every = max(1, math.ceil(len(split.valid) / MOST_LINKS))
    links, against = split.valid[::every], negatives.valid
    against = against[:: every if against.ndim == 3 else max(1, math.ceil(len(against) / MOST_POOL))]
    flat = against.reshape(-1, 2)
    present = flat[:, 0] >= 0

    def measure(scores: Scores) -> float:
        rejected = np.full(len(flat), np.nan)
        rejected[present] = scores[len(links) :]
        return float(evaluate(scores[: len(links)], rejected.reshape(against.shape[:-1]))[metric])

    return Validation(metric, np.concatenate([links, flat[present]]), measure)


def make_trainer(
    model: LinkModel,
    split: LinkSplit,
    negatives: Negatives,
    settings: Settings,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: "Report | None" = None,
    progress: SmallReport | None = None,
    device: str = "cpu",
) -> "Trainer | Fitter":
    """Return what trains a model, after refusing what cannot be trained.

    Parameters
    ----------
    model
        A model with weights.
    split, negatives, settings, seed
        As for `edgeorbit.training.loop.Trainer`, or `Fitter`.
    checkpoint, report, device
        Of networks; a model that fits itself begins anew when it is interrupted.
    progress
        Of models that fit themselves.
    """
    if isinstance(model, FittedModel):
        assert isinstance(settings, FitSettings)
        return Fitter(model, split, negatives, settings, seed=seed, progress=progress)
    from edgeorbit.training.loop import Trainer

    network: Any = model
    chosen: Any = settings
    return Trainer(network, split, negatives, chosen, seed=seed, checkpoint=checkpoint, report=report, device=device)
