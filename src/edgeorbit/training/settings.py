"""The settings of training, the same for all models."""

from dataclasses import dataclass

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import Settings
from edgeorbit.models.perturbations import check_perturbation

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
    evaluate_every: int = 5  # epochs
    patience: int = 20  # evaluations without a better one
    metric: str = "mrr"  # chosen beforehand; it picks the weights that are kept
    negatives: str = "random"  # what positives are trained against
    orbit_rounds: int = 2  # rounds of the colours of orbit negatives; stable ones leave most edges without any
    exclude_isolated: bool = True  # nodes without training edges make negatives that are too easy
    gradient_norm: float = 1.0  # larger gradients are scaled down to it
    perturbation: str = ""  # what drops edges or features in every step, by name (`PERTURBATIONS`); nothing if empty
    perturbation_rate: float = 0.1  # mean share of them that is dropped

    def __post_init__(self) -> None:
        """Refuse values that make no training."""
        for name, least in (
            ("epochs", 1),
            ("batch_size", 0),
            ("links_per_epoch", 0),
            ("evaluate_every", 1),
            ("patience", 1),
            ("orbit_rounds", 0),
        ):
            if getattr(self, name) < least:
                raise InvalidParameterError(f"{name} must be at least {least}, not {getattr(self, name)}")
        for name in ("learning_rate", "gradient_norm"):
            if not getattr(self, name) > 0:
                raise InvalidParameterError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.weight_decay < 0:
            raise InvalidParameterError(f"weight_decay must not be negative, not {self.weight_decay}")
        if self.metric not in METRICS:
            raise InvalidParameterError(f"there is no metric {self.metric!r}; choose from {', '.join(METRICS)}")
        check_perturbation(self.perturbation, self.perturbation_rate)
