"""One search: the trials of a model on a graph, in this process or in several, and what they found."""

import os
import time

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.experiments.tuning.processes import one_torch_thread, work_in_processes
from edgeorbit.experiments.tuning.result import TuningResult, summarise
from edgeorbit.experiments.tuning.search import STORAGE_MODULES, Report, Search
from edgeorbit.experiments.tuning.storage import explain, is_address, load_optuna, without_password
from edgeorbit.experiments.tuning.task import Task
from edgeorbit.models import resolve_model

TRIALS = 30


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
    jobs: int = 1,
    report: Report | None = None,
) -> TuningResult:
    """Search the settings of a model that validate best.

    Parameters
    ----------
    task
        What to tune.
    storage
        A journal file, or the address of a data base. Trials that it has of this very search are not made again.
    trials
        How many, in all: of all processes that share the storage, and of earlier calls. A task with a candidate has
        two, whatever is said here.
    timeout
        Seconds after which this call ends with what there is; what it was at waits for the next call.
    jobs
        Trials side by side, each in a process with one thread.
    report
        Called whenever a trial is over.

    Raises
    ------
    InvalidParameterError
        If there is nothing to search, or a bound is none.
    LimitExceededError
        If no trial was over in time.
    """
    for name, value in (("trials", trials), ("jobs", jobs)):
        if value < 1:
            raise InvalidParameterError(f"{name} must be at least 1, not {value}")
    if timeout is not None and not timeout > 0:
        raise InvalidParameterError(f"timeout must be above 0 seconds, not {timeout:g}")
    if not is_tunable(task):
        raise InvalidParameterError(f"{task.model} has no settings to tune; leave it out")
    load_optuna()
    deadline = None if timeout is None else time.monotonic() + timeout
    try:
        search = Search(task, storage, trials if task.candidate is None else 2, deadline)
        if jobs == 1:
            with one_torch_thread(task.model):
                search.work(report)
        else:
            work_in_processes(search, jobs, report)
        return summarise(task, search.tickets, search.data.searched)
    except EdgeorbitError:
        raise
    except Exception as error:
        if not is_address(storage) or not type(error).__module__.startswith(STORAGE_MODULES):
            raise
        reason = explain(error, str(storage))  # such as a connection that was lost
        shown = without_password(storage)
        raise EdgeorbitError(f"{shown}: no longer answers ({reason}); give the same command again later") from None
