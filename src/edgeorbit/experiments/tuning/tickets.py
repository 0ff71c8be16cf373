"""The trials of a study as tickets: as many as were asked for, each taken by one process, given back if it dies.

A study has its trials from the beginning, waiting. Whoever tunes takes one, and when none is left there are none to
add, so that any number of processes and machines share one budget exactly. A ticket whose process was killed waits
again, with the settings that were chosen for it; since the number of a ticket decides all that is random about it, a
search that was interrupted finds what one finds that was not, as long as one process at a time works on it.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeorbit.experiments.tuning.storage import load_optuna
from edgeorbit.experiments.tuning.turns import one_at_a_time
from edgeorbit.randomness import Random

if TYPE_CHECKING:
    from optuna.pruners import BasePruner
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial, Trial

BEAT_SECONDS = 10.0
STALE_SECONDS = 90.0  # of a process on another machine; their clocks have to agree to within a minute
_UINT32 = np.array([2**32])
MOST_DEATHS = 3  # of processes with one ticket: it takes too much memory, as a rule


class LostTicketError(Exception):
    """Another process has the ticket: this one was taken for dead."""


class Tickets:
    """The trials of one study.

    Parameters
    ----------
    storage
        What `open_storage` gave.
    name
        The study's name.
    total
        How many trials there are to be in all. More can be asked for later; only the first `total` count.
    seed
        Decides, with the number of a ticket, what the sampler draws for it.
    pruner
        Of optuna.
    journal
        The journal file, if the storage is one.
    """

    def __init__(
        self,
        storage: "BaseStorage",
        name: str,
        total: int,
        *,
        seed: int = 0,
        pruner: "BasePruner | None" = None,
        journal: Path | None = None,
    ) -> None:
        self.storage, self.name, self.total, self.seed, self._journal = storage, name, total, seed, journal
        self.me = {"host": socket.gethostname(), "pid": os.getpid(), "token": secrets.token_hex(8)}
        with self._alone():
            self.study = load_optuna().create_study(
                storage=storage, study_name=name, direction="maximize", load_if_exists=True, pruner=pruner
            )
            self._study_id = storage.get_study_id_from_name(name)
            for _ in range(total - len(self.study.get_trials(deepcopy=False))):
                self.study.enqueue_trial({})

    def _alone(self) -> AbstractContextManager[None]:
        return one_at_a_time(self.storage, self._journal, self.name)

    def all(self) -> "list[FrozenTrial]":
        """Return the trials, in order."""
        found: list[FrozenTrial] = self.study.get_trials(deepcopy=False)
        return found[: self.total]

    def num_finished(self) -> int:
        """Return how many trials are over."""
        return sum(trial.state.is_finished() for trial in self.all())

    def take(self) -> "Trial | None":
        """Return a trial that waits, which nobody else gets; None if there is none (now)."""
        from optuna.samplers import TPESampler
        from optuna.trial import Trial, TrialState

        with self._alone():
            for found in self.all():
                if found.state == TrialState.RUNNING and self._is_dead(found):
                    self._give_up_for(found)
            for found in self.all():
                if found.state != TrialState.WAITING:
                    continue
                number = self._id(found.number)
                self._sign(number)  # first, so that a running trial has an owner whenever we are killed
                if self.storage.set_trial_state_values(number, TrialState.RUNNING):
                    draw = int(Random(self.seed, f"trial {found.number}").below(_UINT32)[0])
                    self.study.sampler = TPESampler(seed=draw)
                    return Trial(self.study, number)
        return None

    @contextmanager
    def keep_alive(self, number: int) -> Iterator[threading.Event]:
        """Tell others in the block that we are at work; gives an event that is set if the ticket was lost."""
        over, lost = threading.Event(), threading.Event()

        def beat() -> None:
            while not over.wait(BEAT_SECONDS):
                with suppress(Exception):  # a data base may be away for a while
                    if self.is_mine(number):
                        self._sign(self._id(number))
                    else:
                        lost.set()

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield lost
        finally:
            over.set()
            thread.join()

    def is_mine(self, number: int) -> bool:
        """Tell whether we still have the ticket; one that waits again has our signature and is nobody's."""
        from optuna.trial import TrialState

        found = self.storage.get_trial(self._id(number))
        owner = found.user_attrs.get("owner", {})
        return found.state == TrialState.RUNNING and bool(owner.get("token") == self.me["token"])

    def finish(self, number: int, value: float | None, state: Any, **told: Any) -> None:
        """Keep what a trial found.

        Raises
        ------
        LostTicketError
            If another process has the ticket.
        """
        with self._alone():
            if not self.is_mine(number):
                raise LostTicketError
            self.note(number, **told)
            self.study.tell(number, value, state=state)

    def note(self, number: int, **told: Any) -> None:
        """Keep something about a trial that runs."""
        for key, one in told.items():
            self.storage.set_trial_user_attr(self._id(number), key, one)

    def give_back(self, number: int) -> None:
        """Let a trial wait again, for us at another time or for another process."""
        from optuna.trial import TrialState

        with self._alone():
            if self.is_mine(number):
                self.storage.set_trial_state_values(self._id(number), TrialState.WAITING)

    def _give_up_for(self, found: "FrozenTrial") -> None:
        """Let the ticket of a dead process wait again, unless it has killed too many."""
        from optuna.trial import TrialState

        deaths = found.user_attrs.get("deaths", 0) + 1
        number = self._id(found.number)
        with suppress(Exception):  # it may be over since, or taken over by another process
            self.storage.set_trial_user_attr(number, "deaths", deaths)
            if deaths < MOST_DEATHS:
                self.storage.set_trial_state_values(number, TrialState.WAITING)
            else:
                reason = f"its process was killed {deaths} times"
                self.storage.set_trial_user_attr(number, "reason", reason)
                self.storage.set_trial_state_values(number, TrialState.FAIL)

    def _is_dead(self, found: "FrozenTrial") -> bool:
        owner = found.user_attrs.get("owner", {})
        if time.time() - owner.get("beat", 0) > STALE_SECONDS:
            return True
        here = owner["host"] == self.me["host"] and os.name == "posix"
        return here and not _is_running(owner["pid"])

    def _id(self, number: int) -> int:
        return self.storage.get_trial_id_from_study_id_trial_number(self._study_id, number)

    def _sign(self, trial_id: int) -> None:
        self.storage.set_trial_user_attr(trial_id, "owner", self.me | {"beat": time.time()})


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:  # a killed process whose parent did not ask for it yet
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
