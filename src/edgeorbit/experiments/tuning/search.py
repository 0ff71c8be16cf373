"""One search: Optuna chooses the settings of trials and keeps what they found, an executor trains and judges them."""

import math
import os
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from edgeorbit._randomness import Random
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.experiments.executors import Cluster, LocalPool, ThisProcess
from edgeorbit.experiments.running import Runner
from edgeorbit.experiments.tuning.result import TuningResult, summarise, values_of
from edgeorbit.experiments.tuning.space import Point, suggest
from edgeorbit.experiments.tuning.storage import (
    STORAGE_MODULES,
    exclusive,
    explain,
    is_address,
    load_optuna,
    open_storage,
    without_password,
)
from edgeorbit.experiments.tuning.task import Task, TuningData, judge, prepare, study_name
from edgeorbit.models import resolve_model
from edgeorbit.models.fitted import FittedModel

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

TRIALS = 30
STARTUP_TRIALS = 5  # finished trials before any trial is pruned; fewer say too little
WARMUP = 5  # a trial is pruned after a fifth of its epochs at the earliest
_UINT32 = np.array([2**32])

Report = Callable[[int, int, float], None]  # trials that are over, trials in all, and the best value so far


def is_tunable(task: Task) -> bool:
    """Tell whether there is anything to search: heuristics without settings have nothing."""
    model = resolve_model(task.model)
    return model.trainable or bool(model.search_space) or bool(task.space)


def tune(
    task: Task,
    storage: str | os.PathLike[str],
    *,
    trials: int = TRIALS,
    timeout: float | None = None,
    executor: LocalPool | Cluster | ThisProcess | None = None,
    report: Report | None = None,
) -> TuningResult:
    """Search the settings of a model that validate best.

    A search that was interrupted resumes: with one trial at a time it ends with the same trials.

    Parameters
    ----------
    task
        What to tune.
    storage
        A journal file, or the address of a database. Trials that it has of this very search are not made again.
    trials
        How many, in all, those of earlier calls included. A task with a candidate has two, whatever is given here.
    timeout
        Seconds after which this call ends with what there is; unfinished trials are made by the next call.
    executor
        Where trials run, as many at a time as it has room for; by default in this process.
    report
        Called whenever a trial is over.

    Raises
    ------
    InvalidParameterError
        If there is nothing to search, or a bound is out of range.
    LimitExceededError
        If no trial was over in time.
    """
    if trials < 1:
        raise InvalidParameterError(f"trials must be >= 1, got {trials}")
    if timeout is not None and not timeout > 0:
        raise InvalidParameterError(f"timeout must be > 0 seconds, got {timeout:g}")
    if not is_tunable(task):
        raise InvalidParameterError(f"{task.model} has no settings to tune; leave it out")
    load_optuna()
    deadline = None if timeout is None else time.monotonic() + timeout
    data = prepare(task)
    name = study_name(task, data)
    try:
        opened = open_storage(storage)
        with exclusive(opened, storage, name):
            study = load_optuna().create_study(
                storage=opened, study_name=name, direction="maximize", load_if_exists=True
            )
            total = trials if task.candidate is None else 2
            search = _Search(task, data, study, total, deadline, executor or ThisProcess(), report)
            search.run()
            return summarise(task, study, total, data.searched)
    except EdgeorbitError:
        raise
    except Exception as error:
        if not is_address(storage) or not type(error).__module__.startswith(STORAGE_MODULES):
            raise
        reason = explain(error, str(storage))  # such as a connection that was lost
        shown = without_password(storage)
        raise EdgeorbitError(f"{shown}: no longer answers ({reason}); give the same command again later") from None


class Outcome(NamedTuple):
    """What came of a trial: a value, or why there is none.

    Attributes
    ----------
    state : str
        `complete`, `pruned`, `failed`, or `late` if the time was over.
    value : float or None
        The best validation metric.
    history : dict
        The validation metric by epoch.
    reason : str
        Why it failed.
    """

    state: str
    value: float | None = None
    history: Mapping[int, float] = {}
    reason: str = ""


class _Search:
    """The trials that are left, and what becomes of a trial that is over."""

    def __init__(
        self,
        task: Task,
        data: TuningData,
        study: "Study",
        total: int,
        deadline: float | None,
        executor: LocalPool | Cluster | ThisProcess,
        report: Report | None,
    ) -> None:
        from optuna.trial import Trial, TrialState

        self.task, self.data, self.study, self.total = task, data, study, total
        self.deadline, self.executor, self.report = deadline, executor, report
        # This process alone works on the study, so that trials which are running were left by one that is gone.
        self.left = [Trial(study, trial._trial_id) for trial in self._trials() if trial.state == TrialState.RUNNING]

    def run(self) -> None:
        self._tell()
        Runner(self.executor, self.take, self.submit, self.keep, lambda running, retry: None).run()

    def take(self) -> "tuple[Trial, Point] | None":
        """Return the next trial that has to be run; one with the settings of an earlier trial has its value."""
        while not self._is_late() and (trial := self._next()) is not None:
            point = self._choose(trial)
            trial.set_user_attr("point", point._asdict())
            known = self._known_value(point)
            if known is None:
                return trial, point
            self.study.tell(trial, known)
            self._tell()
        return None

    def submit(self, job: "tuple[Trial, Point]") -> Future[Outcome]:
        seconds = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        bounds = {} if job[0].number == 0 else self._bounds()
        return self.executor.submit(run_trial, self.task, job[1], bounds, seconds)

    def keep(self, job: "tuple[Trial, Point]", outcome: Outcome | None, reason: str) -> None:
        from optuna.trial import TrialState

        trial = job[0]
        outcome = outcome or Outcome("failed", reason=reason)
        if outcome.state == "late":
            return  # it stays a running trial, which the next call resumes
        for epoch, value in outcome.history.items():
            if epoch not in self.study.get_trials(deepcopy=False)[trial.number].intermediate_values:
                trial.report(value, epoch)
        if outcome.state == "failed":
            trial.set_user_attr("reason", outcome.reason)
        state = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED, "failed": TrialState.FAIL}
        self.study.tell(trial, outcome.value, state=state[outcome.state])
        self._tell()

    def _next(self) -> "Trial | None":
        from optuna.samplers import TPESampler

        if not self.left and len(self._trials()) >= self.total:
            return None
        number = self.left[0].number if self.left else len(self._trials())
        # Every trial has a sampler of its own, so that a search that was interrupted draws what it would have drawn.
        self.study.sampler = TPESampler(seed=int(Random(self.task.seed, f"trial {number}").below(_UINT32)[0]))
        return self.left.pop(0) if self.left else self.study.ask()

    def _choose(self, trial: "Trial") -> Point:
        """Return the settings of a trial: the defaults, then the candidate, if there is one, or points of the space."""
        if trial.number == 0:
            return Point({}, {})
        return self.task.candidate or suggest(trial, self.task.model, self.data.searched.space)

    def _known_value(self, point: Point) -> float | None:
        """Return what another trial with the same settings found: small spaces are soon exhausted."""
        if point == Point({}, {}):
            return None
        same = (trial for trial in self._trials() if trial.user_attrs.get("point") == point._asdict())
        return next((trial.value for trial in same if values_of([trial])), None)

    def _bounds(self) -> dict[int, float]:
        """Return by epoch the median of the trials that were completed: below it a trial is pruned.

        It is the rule of `optuna.pruners.MedianPruner`. A trial takes the medians along, so that it needs no database.
        """
        complete = [trial for trial in self._trials() if values_of([trial])]
        if len(complete) < STARTUP_TRIALS:
            return {}
        epochs = sorted({epoch for trial in complete for epoch in trial.intermediate_values})
        return {
            epoch: float(np.median([t.intermediate_values[epoch] for t in complete if epoch in t.intermediate_values]))
            for epoch in epochs
            if epoch >= self.task.epochs // WARMUP
        }

    def _trials(self) -> "list[FrozenTrial]":
        trials: list[FrozenTrial] = self.study.get_trials(deepcopy=False)[: self.total]
        return trials

    def _is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def _tell(self) -> None:
        if self.report is not None:
            over = [trial for trial in self._trials() if trial.state.is_finished()]
            self.report(len(over), self.total, max(values_of(over), default=math.nan))


class _PrunedError(Exception):
    pass


class _LateError(Exception):
    pass


def run_trial(task: Task, point: Point, bounds: Mapping[int, float], seconds: float | None) -> Outcome:
    """Train a model with the settings of a point, on one thread, and judge it.

    Parameters
    ----------
    task, point
        What to train.
    bounds
        By epoch, the validation metric that the best one so far must reach.
    seconds
        How long it may take.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    history: dict[int, float] = {}  # the best of each epoch, in which several evaluations may be
    seen = 0

    def watch(entries: list[dict[str, float]], epoch: int) -> None:
        nonlocal seen
        if deadline is not None and time.monotonic() > deadline:
            raise _LateError
        for entry in entries[seen:]:
            seen, number = seen + 1, int(entry["epoch"])
            history[number] = max(entry[task.metric], history.get(number, -math.inf))
            if max(history.values()) < bounds.get(number, -math.inf):
                raise _PrunedError

    try:
        with _one_torch_thread(task.model):
            return Outcome("complete", judge(task, _prepared(task), point, watch), history)
    except _PrunedError:
        return Outcome("pruned", None, history)
    except _LateError:
        return Outcome("late")
    except (EdgeorbitError, MemoryError) as error:
        return Outcome("failed", None, history, " ".join(str(error).split()) or type(error).__name__)
    except Exception:  # a defect that some settings show must not end the search; it is kept for all to see
        return Outcome("failed", None, history, traceback.format_exc(limit=-3))


_last: tuple[str, TuningData] | None = None


def _prepared(task: Task) -> TuningData:
    """Return the data of a task; those of the last one are kept, as a process runs many trials of it."""
    global _last  # noqa: PLW0603
    if _last is None or _last[0] != repr(task):
        _last = repr(task), prepare(task)
    return _last[1]


@contextmanager
def _one_torch_thread(model: str) -> Iterator[None]:
    """Train on one thread in the block: results are the same for the same number of threads."""
    kind = resolve_model(model)
    if not kind.trainable or issubclass(kind, FittedModel):
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
