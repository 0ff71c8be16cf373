"""Trees of LightGBM: grown until validation is no longer better, and read back from text that is checked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError, MissingExtraError, naming_extras
from edgeorbit.models.base import Scores, Trained
from edgeorbit.models.fitted import Validation
from edgeorbit.models.orbit_boost.examples import Examples, Signals
from edgeorbit.models.orbit_boost.settings import BoostSettings
from edgeorbit.models.orbit_boost.text import checked, sealed

QUIET = {"verbosity": -1, "deterministic": True, "force_row_wise": True}  # the same trees for any number of threads
SMALLEST_SHARE = 10  # of the links of a small graph, one in so many may be a leaf


class Trees:
    """Trees over named signals.

    Parameters
    ----------
    text
        As `text` returns it.

    Raises
    ------
    ValueError
        If it is damaged, or does not describe trees over signals.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        with loading_lightgbm():
            import lightgbm
        self._booster: Any = lightgbm.Booster(model_str=checked(text))
        self.names = tuple(self._booster.feature_name())

    def score(self, values: Signals, threads: int) -> Scores:
        """Return the sums of leaves, for every row of signals."""
        if not len(values):
            return np.empty(0)
        found: Scores = self._booster.predict(values, raw_score=True, num_threads=threads)
        return found

    def text(self) -> str:
        """Return the trees in LightGBM's format, which `lightgbm.Booster` reads too."""
        return self._text


@dataclass
class Growth:
    """Trees that grow.

    Attributes
    ----------
    booster : lightgbm.Booster
        The trees so far.
    measured : float32 array
        The signals of the validation pairs.
    scores : float64 array
        Their scores by the trees so far.
    threads : int
        Number of threads.
    """

    booster: Any
    measured: Signals
    scores: npt.NDArray[np.float64]
    threads: int

    @property
    def number(self) -> int:
        """How many trees there are."""
        return int(self.booster.current_iteration())

    def until(self, number: int) -> bool:
        """Grow until there are so many trees; return whether there are more than before."""
        before = self.number
        while self.number < number and not self.booster.update():
            pass
        if self.number > before:
            self.scores += self.booster.predict(
                self.measured,
                start_iteration=before,
                num_iteration=self.number - before,
                raw_score=True,
                num_threads=self.threads,
            )
        return self.number > before


def grow(
    examples: Examples,
    names: tuple[str, ...],
    settings: BoostSettings,
    objective: str,
    validation: Validation,
    measured: Signals,
    *,
    seed: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[Trees, Trained]:
    """Grow trees, and keep those up to the best validation.

    Parameters
    ----------
    examples, names
        What is learned from, and the names of its columns.
    settings, objective
        How; the objective is `binary` or `lambdarank`.
    validation, measured
        What measures, and the signals of its pairs.
    seed
        Decides which signals a tree may use.
    threads
        Number of threads.
    report
        Called with the number of trees so far.
    """
    growth = Growth(_planted(examples, names, settings, objective, seed, threads), measured, 0, threads)  # type: ignore[arg-type]
    growth.scores = np.zeros(len(measured))
    history: list[dict[str, float]] = []
    best, best_number = -1.0, 0
    while growth.number < settings.trees and growth.until(min(growth.number + settings.evaluate_every, settings.trees)):
        value = validation.measure(growth.scores)
        history.append({"epoch": growth.number, validation.metric: value})
        report(growth.number)
        if value > best or not settings.patience:
            best, best_number = value, growth.number
        elif growth.number - best_number >= settings.patience * settings.evaluate_every:
            break
    text = growth.booster.model_to_string(num_iteration=best_number)
    return Trees(sealed(text)), Trained(best, best_number, history)


def _planted(
    examples: Examples, names: tuple[str, ...], settings: BoostSettings, objective: str, seed: int, threads: int
) -> Any:
    """Return a booster without trees."""
    with loading_lightgbm():
        import lightgbm
    num_links = len(examples.values) // examples.group
    params = QUIET | {
        "objective": objective,
        "learning_rate": settings.learning_rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": min(settings.least_pairs, max(1, num_links // SMALLEST_SHARE)),
        "feature_fraction": settings.signal_share,
        "lambda_l2": settings.l2,
        "lambdarank_truncation_level": examples.group,
        "seed": seed % 2**31,
        "num_threads": threads,
    }
    group = np.full(num_links, examples.group) if objective == "lambdarank" else None
    data = lightgbm.Dataset(examples.values, examples.labels, group=group, feature_name=list(names), params=params)
    return lightgbm.Booster(params, data)


@contextmanager
def loading_lightgbm() -> Iterator[None]:
    """Say what is missing if LightGBM cannot be imported in the block."""
    try:
        with naming_extras("orbit-boost"):
            yield
    except OSError as error:  # it is installed, and a library of the system that it needs is not
        raise MissingExtraError(
            f"lightgbm cannot be loaded ({error}); install the library of OpenMP, libgomp"
        ) from None


def require_difference(values: Signals, name: str) -> None:
    """Refuse signals that are the same for all pairs."""
    if (values == values[:1]).all():
        raise InvalidParameterError(
            f"{name}: all {values.shape[1]} signals are the same for every link and every other pair, so there is "
            "nothing to learn; add node features, or leave fewer signals out"
        )
