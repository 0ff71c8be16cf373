"""How many processes train together; where each has its network is in `placement`."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.training.group import Group
from edgeorbit.training.placement import Placement

if TYPE_CHECKING:
    from edgeorbit.training.loop import Trainer

LAUNCHED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # what a launcher says of a process


def check_devices(devices: int | str | None) -> int | Literal["auto"] | None:
    """Return a number of processes, which may be text, if it is one.

    >>> check_devices("2"), check_devices("auto")
    (2, 'auto')
    """
    if devices is None or devices == "auto":
        return devices  # type: ignore[return-value]
    try:
        number = int(devices)
    except ValueError:
        number = 0
    if number < 1 or number != float(devices):
        raise InvalidParameterError(f"devices is a whole number from 1, or auto, not {devices}")
    return number


def launched_size(environment: Mapping[str, str] = os.environ) -> int:
    """Return how many processes a launcher such as torchrun started; 1 if this one was not started by any.

    >>> launched_size({"RANK": "0", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"})
    4
    >>> launched_size({"RANK": "0"})
    1
    """
    if not all(name in environment for name in LAUNCHED):
        return 1
    if not all(environment[name].isdigit() for name in ("RANK", "WORLD_SIZE")):
        raise InvalidParameterError(
            f"RANK and WORLD_SIZE in the environment are numbers, not {environment['RANK']!r} and "
            f"{environment['WORLD_SIZE']!r}; start with torchrun, or unset them"
        )
    return max(1, int(environment["WORLD_SIZE"]))


def heed_launcher(devices: int | str | None, environment: Mapping[str, str] = os.environ) -> int | str | None:
    """Return the number of processes to start; None where a launcher has started them.

    Raises
    ------
    InvalidParameterError
        If it started another number of them than is asked for.

    Examples
    --------
    >>> heed_launcher("2", {}), heed_launcher("auto", {})
    (2, 'auto')
    """
    wanted, launched = check_devices(devices), launched_size(environment)
    if launched == 1:
        return wanted
    if wanted not in (None, "auto", launched):
        raise InvalidParameterError(
            f"{launched} processes were started and {wanted} are asked for; leave the number of devices out"
        )
    return None


class Processes:
    """The processes that one model is trained by.

    Parameters
    ----------
    devices
        How many to start, with this one; "auto": one, because every process repeats the messages of the graph, so that
        a second one saves little of a step; None: those that a launcher such as torchrun started, else one.
    environment
        Where a launcher says what it started.

    Attributes
    ----------
    size : int
        How many there are.
    number : int
        That of this process among those of its machine, from 0.
    is_first : bool
        Whether this process is the first of all.

    Examples
    --------
    >>> Processes("auto").size, Processes(2).size
    (1, 2)
    """

    def __init__(self, devices: int | str | None, environment: Mapping[str, str] = os.environ) -> None:
        wanted = check_devices(devices)
        self.size = launched_size(environment) if wanted is None else 1 if wanted == "auto" else wanted
        self._launched = wanted is None and self.size > 1
        self.number = int(environment.get("LOCAL_RANK", environment["RANK"])) if self._launched else 0
        self.is_first = not self._launched or int(environment["RANK"]) == 0
        # Those of a launcher may be on several machines.
        self._here = int(environment.get("LOCAL_WORLD_SIZE", self.size)) if self._launched else self.size

    def threads_each(self, threads: int) -> int:
        """Return the threads of each process, if all of a machine have so many."""
        return max(1, threads // self._here)

    @contextmanager
    def joined(self, placement: Placement) -> Iterator[Group]:
        """Join the processes that a launcher started; alone otherwise."""
        if not self._launched:
            yield Group()
            return
        _require_distributed()
        from edgeorbit.training.processes import launched_group

        with launched_group(placement.of(self.number)) as group:
            yield group

    @contextmanager
    def training(self, trainer: "Trainer", group: Group, threads: int, placement: Placement) -> Iterator[None]:
        """Let a trainer train with the processes of a group or, if it is alone, with as many as are wanted."""
        if self._launched or self.size == 1:
            trainer.group = group
            yield
            return
        _require_distributed()
        from edgeorbit.training.processes import started_processes

        with started_processes(trainer, self.size, self.threads_each(threads), placement):
            yield

    def check(self, trainer: "Trainer") -> None:
        """Refuse more processes than a step has target edges: some would never have anything to do."""
        if self.size > trainer.batch_size:
            raise InvalidParameterError(
                f"a step has {trainer.batch_size} target edges, too few for {self.size} processes; give "
                f"{trainer.batch_size} devices or fewer, or a larger batch_size"
            )


def _require_distributed() -> None:
    from torch import distributed

    if not (distributed.is_available() and distributed.is_gloo_available() and hasattr(signal, "pthread_sigmask")):
        raise EdgeorbitError(
            "several processes need Linux or macOS, and a PyTorch with torch.distributed and gloo; train with one"
        )
