"""What a search found: the best of its trials beside the defaults."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgeorbit import __version__
from edgeorbit.errors import EdgeorbitError, LimitExceededError
from edgeorbit.experiments.tuning.space import Searched
from edgeorbit.experiments.tuning.task import TUNING_SEED, Task

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial

FEWEST = 10  # trials that say anything about the importance of settings


@dataclass(frozen=True)
class TuningResult:
    """What a search found.

    Attributes
    ----------
    task : Task
        What was tuned.
    settings, training : mapping
        The best settings of the model and of training; empty where the defaults are best.
    trials : int
        Trials that are over, those that were cut short or failed among them.
    value, default_value, candidate_value : float
        The validation metric of these settings, of the defaults (NaN if they cannot be trained) and of the candidate of
        the task (NaN if there is none, or if it cannot).
    seconds : float
        What the trials took, all together.
    pruned, failed : int
        Trials that were cut short, and that failed.
    importance : mapping
        The share of each setting in how values vary; empty if there are too few trials to say.
    remarks : tuple of str
        What the owner of the graph should know, a sentence each.
    """

    task: Task
    settings: Mapping[str, Any]
    training: Mapping[str, Any]
    trials: int
    value: float
    default_value: float
    seconds: float
    pruned: int
    failed: int
    importance: Mapping[str, float]
    remarks: tuple[str, ...] = ()
    candidate_value: float = math.nan

    def entry(self) -> dict[str, Any]:
        """Return what a settings file holds of it (`edgeorbit.experiments.tuning.settings_file`).

        Of a task with a candidate, only what is to be changed of the entry that the candidate is from.
        """
        identity = {"data": self.task.data, "features": self.task.features, "model": self.task.model}
        kept = {"settings": dict(self.settings), "training": dict(self.training)}
        if self.task.candidate is not None:
            confirmed = {
                "epochs": self.task.epochs,
                "metric": self.task.metric,
                "found_value": self.candidate_value,
                "default_value": self.default_value,
                "seconds": round(self.seconds, 1),
                "version": __version__,
                "found_settings": self.task.candidate.settings,
                "found_training": self.task.candidate.training,
            }
            return identity | kept | {"confirmed": confirmed}
        told = {
            "trials": self.trials,
            "epochs": self.task.epochs,
            "metric": self.task.metric,
            "value": self.value,
            "default_value": self.default_value,
            "seed": TUNING_SEED + self.task.seed,
            "seconds": round(self.seconds, 1),
            "version": __version__,
        }
        return identity | told | kept


def summarise(task: Task, study: "Study", total: int, searched: Searched) -> TuningResult:
    """Return the best settings of all trials that are over."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False)[:total]
    over = [trial for trial in trials if trial.state.is_finished()]
    judged = [trial for trial in over if values_of([trial])]
    failed = [trial for trial in over if trial.state == TrialState.FAIL]
    if not judged:
        if not failed:
            raise LimitExceededError(f"{task}: no trial was over in time; allow more, or fewer epochs")
        raise EdgeorbitError(f"{task}: all {len(failed)} trials failed, the first one so: {_reason(failed[0])}")
    best = max(judged, key=lambda trial: (trial.value, -trial.number))  # of equals the first: the defaults
    values = {trial.number: float(trial.value or 0.0) for trial in judged}
    remarks = list(searched.remarks)
    if len(over) < total:
        remarks.append(f"{len(over)} of {total} trials were over in time; give the same command again to resume")
    if failed:
        remarks.append(f"{len(failed)} of {len(over)} trials failed, the first one so: {_reason(failed[0])}")
    return TuningResult(
        task=task,
        settings=best.user_attrs["point"]["settings"],
        training=best.user_attrs["point"]["training"],
        trials=len(over),
        value=values[best.number],
        default_value=values.get(0, math.nan),
        seconds=sum(trial.duration.total_seconds() for trial in over if trial.duration is not None),
        pruned=sum(trial.state == TrialState.PRUNED for trial in over),
        failed=len(failed),
        importance=find_importance(study, trials, searched),
        remarks=tuple(remarks),
        candidate_value=math.nan if task.candidate is None else values.get(1, math.nan),
    )


def find_importance(study: "Study", trials: "list[FrozenTrial]", searched: Searched) -> dict[str, float]:
    """Return the share of each setting in how values vary, largest first."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    complete = [trial for trial in trials if values_of([trial]) and trial.params]
    varied = [name for name in searched.space if len({trial.params[name] for trial in complete}) > 1]
    if len(complete) < FEWEST or len({trial.value for trial in complete}) < 2 or not varied:
        return {}
    try:
        with warnings.catch_warnings(action="ignore"):  # that some values were tried once: it is a rough guide
            found = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator(), params=varied)
    except (ValueError, RuntimeError):  # too few different values
        return {}
    return {name: round(float(share), 4) for name, share in found.items() if math.isfinite(share)}


def values_of(trials: "list[FrozenTrial]") -> list[float]:
    """Return the values of trials that went to their end."""
    from optuna.trial import TrialState

    return [float(trial.value) for trial in trials if trial.state == TrialState.COMPLETE and trial.value is not None]


def _reason(trial: "FrozenTrial") -> str:
    """Return the last line of why a trial failed."""
    return (str(trial.user_attrs.get("reason", "")).strip().splitlines() or ["unknown"])[-1]
