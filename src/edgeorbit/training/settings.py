"""The settings of training: the same for all networks, and of models that fit themselves the metric alone."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from edgeorbit._text import shown
from edgeorbit.data.negatives.training import TrainingKind
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import LinkModel, Settings
from edgeorbit.models.fitted import FittedModel
from edgeorbit.models.perturbations import check_perturbation

OBJECTIVES = ("bce", "auc", "softmax")  # `edgeorbit.training.losses` has them, which imports PyTorch
SCHEDULES = ("constant", "cosine")
AVERAGES = ("", "ema", "last")
PRECISIONS = ("float32", "bf16")

METRICS = ("mrr", "auc", "ap", "hits@1", "hits@3", "hits@10", "hits@20", "hits@50", "hits@100")


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How a model is trained.

    The defaults follow Li et al. 2023, who tuned them for the classical encoders on the Planetoid graphs.
    """

    epochs: int = 1000  # a bound; patience ends a run long before
    batch_size: int = 0  # target edges of a step, hidden from its graph; 0: by their number (`usual_batch_size`)
    links_per_epoch: int = 0  # target edges of an epoch, others in each; 0: all, at most 4 million (`MOST_LINKS`)
    learning_rate: float = 0.005  # better on validation than 0.001 (GCN, CiteSeer)
    weight_decay: float = 0.0
    schedule: str = "constant"  # of the learning rate; cosine: down to 0 at the end of all epochs, so fix their number
    warmup_steps: int = 0  # in which the learning rate rises linearly from 0
    evaluate_every: int = 5  # epochs
    evaluate_every_steps: int = 0  # steps, instead of epochs; 0: by epochs
    patience: int = 20  # evaluations without a better one
    metric: str = "mrr"  # chosen beforehand; it picks the weights that are kept
    select_on: str = ""  # negatives of validation that pick the weights; empty: those of the data set, else random
    negatives: str = "random"  # what positives are trained against
    negatives_per_link: int = 1
    objective: str = "bce"  # what is made smaller: binary cross-entropy, squared AUC loss, or softmax of each link
    orbit_rounds: int = 2  # rounds of the colours of orbit negatives; stable ones leave most edges without any
    exclude_isolated: bool = True  # nodes without training edges make negatives that are too easy
    gradient_norm: float = 1.0  # larger gradients are scaled down to it
    averaging: str = ""  # ema or last: averaged weights are evaluated and kept instead of the raw ones
    averaging_decay: float = 0.999  # of ema, per step: a memory of some 1000 steps
    averaged_evaluations: int = 5  # of last: the mean over so many
    precision: str = "float32"  # bf16: dense products of encoder and decoder in 16 bits, in training only
    perturbation: str = ""  # what drops edges or features in every step, by name (`PERTURBATIONS`); nothing if empty
    perturbation_rate: float = 0.1  # mean share of them that is dropped

    def __post_init__(self) -> None:
        """Refuse values that make no training."""
        for name, least in (
            ("epochs", 1),
            ("batch_size", 0),
            ("links_per_epoch", 0),
            ("warmup_steps", 0),
            ("evaluate_every", 1),
            ("evaluate_every_steps", 0),
            ("patience", 1),
            ("negatives_per_link", 1),
            ("orbit_rounds", 0),
            ("averaged_evaluations", 1),
        ):
            if getattr(self, name) < least:
                raise InvalidParameterError(f"{name} must be at least {least}, not {getattr(self, name)}")
        for name in ("learning_rate", "gradient_norm"):
            if not getattr(self, name) > 0:
                raise InvalidParameterError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.weight_decay < 0:
            raise InvalidParameterError(f"weight_decay must not be negative, not {self.weight_decay}")
        if not 0 < self.averaging_decay < 1:
            raise InvalidParameterError(f"averaging_decay must lie between 0 and 1, got {self.averaging_decay}")
        _check_metric(self.metric)
        for name, choices in (
            ("negatives", get_args(TrainingKind)),
            ("objective", OBJECTIVES),
            ("schedule", SCHEDULES),
            ("averaging", AVERAGES),
            ("precision", PRECISIONS),
        ):
            value = getattr(self, name)
            if value not in choices:
                verb = "are" if name == "negatives" else "is"
                known = ", ".join(choice or "''" for choice in choices)
                raise InvalidParameterError(f"there {verb} no {name} {shown(repr(value))}; choose from {known}")
        check_perturbation(self.perturbation, self.perturbation_rate)


@dataclass(frozen=True)
class FitSettings(Settings):
    """How a model that fits itself is trained; the rest is among its own settings."""

    metric: str = "mrr"  # of the validation links, as for networks
    select_on: str = ""  # negatives of validation, as for networks
    orbit_rounds: int = 2  # rounds of the colours of orbit negatives

    def __post_init__(self) -> None:
        """Refuse an unknown metric, or less than no rounds."""
        _check_metric(self.metric)
        if self.orbit_rounds < 0:
            raise InvalidParameterError(f"orbit_rounds must be >= 0, got {self.orbit_rounds}")


def training_class(model: type[LinkModel]) -> type[Settings] | None:
    """Return the class of the settings that a model is trained with, None if it has no weights.

    >>> from edgeorbit.models import resolve_model
    >>> training_class(resolve_model("cn")) is None
    True
    """
    if not model.trainable:
        return None
    return FitSettings if issubclass(model, FittedModel) else TrainingSettings


def setting_names(model: type[LinkModel]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the settings of a model, and of those of its training."""
    own, kind = _names(model.Settings), training_class(model)
    return own, frozenset() if kind is None else _names(kind) - own


def shared_training(model: type[LinkModel], given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return of settings that are given to many models those that one has in its training; None without weights.

    Of a network all are kept, so that a name that does not exist is refused where the settings are made.
    """
    chosen = training_class(model)
    if chosen is not FitSettings:
        return None if chosen is None else dict(given)
    return {name: given[name] for name in given if name in _names(FitSettings)}


def _names(settings: type[Settings]) -> frozenset[str]:
    return frozenset(field.name for field in fields(settings))


def _check_metric(metric: str) -> None:
    if metric not in METRICS:
        raise InvalidParameterError(f"there is no metric {metric!r}; choose from {', '.join(METRICS)}")
