"""The settings of `orbit-boost`."""

from dataclasses import dataclass

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import Settings
from edgeorbit.models.orbit_boost.examples import NEGATIVES
from edgeorbit.signals import GROUPS

OBJECTIVES = ("auto", "binary", "lambdarank")


@dataclass(frozen=True)
class BoostSettings(Settings):
    """The settings of boosted trees over pair signals."""

    trees: int = 500  # at most; validation stops earlier
    learning_rate: float = 0.05
    leaves: int = 7  # of a tree; better on validation than 15 (seeds 100 and 101)
    least_pairs: int = 20  # in a leaf; fewer where a tenth of the links is fewer
    signal_share: float = 0.5  # of the signals, drawn for each tree
    l2: float = 1.0
    folds: int = 12  # links are hidden one fold at a time while their signals are computed
    negatives: str = "mixed"  # random, shared-end or both in turn
    negatives_per_link: int = 8
    objective: str = "auto"  # lambdarank for MRR and Hits@K; binary for AUC and AP, whose scores are log-odds
    most_links: int = 50_000  # to learn from; of larger graphs a sample
    signal_seconds: float = 200.0  # of one core, by an estimate from counts (`budget`); 0: no bound
    evaluate_every: int = 5  # trees
    patience: int = 20  # evaluations without a better one; 0: all trees are kept
    without: str = ""  # groups of signals to leave out, separated by commas

    def __post_init__(self) -> None:
        """Refuse values that make no trees."""
        for name, low, high in (
            ("trees", 1, 10_000),
            ("leaves", 2, 1024),
            ("least_pairs", 1, 10**6),
            ("folds", 2, 1000),
            ("negatives_per_link", 1, 1000),
            ("most_links", 2, 10**9),
            ("evaluate_every", 1, 10_000),
            ("patience", 0, 10_000),
        ):
            if not low <= getattr(self, name) <= high:
                raise InvalidParameterError(f"{name} must be from {low} to {high:,}, not {getattr(self, name)}")
        for name in ("learning_rate", "signal_share"):
            if not 0 < getattr(self, name) <= 1:
                raise InvalidParameterError(f"{name} must be above 0 and at most 1, not {getattr(self, name)}")
        for name in ("l2", "signal_seconds"):
            if getattr(self, name) < 0:
                raise InvalidParameterError(f"{name} must be >= 0, not {getattr(self, name)}")
        for name, known in (("negatives", tuple(NEGATIVES)), ("objective", OBJECTIVES)):
            if getattr(self, name) not in known:
                raise InvalidParameterError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        unknown = sorted(self.left_out - set(GROUPS))
        if unknown:
            raise InvalidParameterError(f"there are no signals {unknown[0]!r}; choose from {', '.join(GROUPS)}")
        if self.left_out >= set(GROUPS) - {"features"}:
            raise InvalidParameterError("one group of signals beside features must stay; leave fewer out")

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the groups that are left out."""
        return frozenset(name.strip() for name in self.without.split(",") if name.strip())

    @property
    def rows_per_link(self) -> int:
        """A link and its negatives."""
        return 1 + self.negatives_per_link
