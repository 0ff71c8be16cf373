"""A search at work: tickets are taken, models trained and judged, and what is hopeless is cut short."""

import math
import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from edgeorbit.errors import EdgeorbitError
from edgeorbit.experiments.tuning.result import values_of
from edgeorbit.experiments.tuning.space import Point, suggest
from edgeorbit.experiments.tuning.storage import is_address, open_storage
from edgeorbit.experiments.tuning.task import Task, judge, prepare, study_name
from edgeorbit.experiments.tuning.tickets import LostTicketError, Tickets

if TYPE_CHECKING:
    from optuna.trial import Trial

POLL_SECONDS = 0.2
STORAGE_MODULES = ("sqlalchemy", "optuna")  # whose errors are the storage's and not the model's

Report = Callable[[int, int, float], None]  # trials that are over, trials in all, and the best value so far


class Search:
    """A search: its data, its tickets, and how one of them is worked off."""

    def __init__(
        self, task: Task, storage: str | os.PathLike[str], trials: int, deadline: float | None, name: str = ""
    ) -> None:
        from optuna.pruners import MedianPruner

        self.task, self.storage, self.deadline = task, storage, deadline
        self.data = prepare(task)
        self.tickets = Tickets(
            open_storage(storage),
            name or study_name(task, self.data),
            trials,
            seed=task.seed,
            # A fifth of the epochs says too little, and so do fewer than five trials.
            pruner=MedianPruner(n_startup_trials=5, n_warmup_steps=task.epochs // 5),
            journal=None if is_address(storage) else Path(storage),
        )

    def time_is_over(self) -> bool:
        """Tell whether no trial should go on."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def work(self, report: Report | None = None) -> None:
        """Work off tickets until all are, ours or others'."""
        while True:
            self.tell(report)
            if self.time_is_over() or self.tickets.num_finished() >= self.tickets.total:
                return
            trial = self.tickets.take()
            if trial is None:
                time.sleep(POLL_SECONDS)  # others have the last ones, and may die
            else:
                self.run(trial)

    def tell(self, report: Report | None) -> None:
        """Report how far the search is, with the trials of others."""
        if report is not None:
            over = [trial for trial in self.tickets.all() if trial.state.is_finished()]
            report(len(over), self.tickets.total, max(values_of(over), default=math.nan))

    def run(self, trial: "Trial") -> None:
        """Make a trial, whatever comes of it."""
        from optuna.exceptions import TrialPruned
        from optuna.trial import TrialState

        number, finish = trial.number, self.tickets.finish
        try:
            with self.tickets.keep_alive(number) as lost:
                point = self.choose(trial)
                self.tickets.note(number, point=point._asdict())
                try:
                    value = self.known_value(point)
                    if value is None:
                        value = judge(self.task, self.data, point, Watch(self, trial, lost))
                    finish(number, value, TrialState.COMPLETE)
                except TrialPruned:
                    finish(number, None, TrialState.PRUNED)
                except (EdgeorbitError, MemoryError) as error:
                    finish(number, None, TrialState.FAIL, reason=" ".join(str(error).split()) or type(error).__name__)
                except (LostTicketError, TimeIsOverError):
                    raise
                except Exception as error:
                    if type(error).__module__.startswith(STORAGE_MODULES):
                        raise  # the storage, not the model
                    # A defect that some settings of a model show must not end the search; it is kept for all to see.
                    finish(number, None, TrialState.FAIL, reason=traceback.format_exc(limit=-3))
        except LostTicketError:
            return
        except TimeIsOverError:
            self.tickets.give_back(number)
        except BaseException:
            with suppress(Exception):  # a storage that is gone; the ticket then counts as that of a dead process
                self.tickets.give_back(number)
            raise

    def choose(self, trial: "Trial") -> Point:
        """Return the settings of a trial: the defaults, then the candidate, if there is one, or points of the space."""
        if trial.number == 0:
            return Point({}, {})
        if self.task.candidate is not None:
            return self.task.candidate
        return suggest(trial, self.task.model, self.data.searched.space)

    def known_value(self, point: Point) -> float | None:
        """Return what another trial with the same settings found: small spaces are soon exhausted."""
        if point == Point({}, {}):
            return None
        for trial in self.tickets.all():
            if values_of([trial]) and trial.user_attrs["point"] == point._asdict():
                return trial.value
        return None


class Watch:
    """Looks on while a model trains: tells optuna how it goes, and ends what has to end."""

    def __init__(self, search: Search, trial: "Trial", lost: threading.Event) -> None:
        self.search, self.trial, self.lost = search, trial, lost
        seen = search.tickets.all()[trial.number].intermediate_values
        self.known, self.looked = set(seen), 0  # a trial that was interrupted has told some of it before

    def __call__(self, history: list[dict[str, float]], epoch: int) -> None:
        """Be told of a step."""
        from optuna.exceptions import TrialPruned

        if self.lost.is_set():
            raise LostTicketError
        if self.search.time_is_over():
            raise TimeIsOverError
        for entry in history[self.looked :]:
            step = int(entry["epoch"])
            if step not in self.known:
                self.trial.report(entry[self.search.task.metric], step)
            # The defaults are what all others are compared with.
            if self.trial.number > 0 and self.trial.should_prune():
                raise TrialPruned
        self.looked = len(history)


class TimeIsOverError(Exception):
    """The time that was allowed is over."""
