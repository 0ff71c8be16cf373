"""The devices that train a model: how many processes, and the GPU of each or the CPU. Imports no PyTorch by itself."""

import os
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.models.base import LinkModel
from edgeorbit.models.fitted import FittedModel

AUTO, CPU = "auto", "cpu"
LAUNCH_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # what torchrun tells each process


def check_devices(devices: int | str | None) -> int | Literal["auto"] | None:
    """Return a number of processes, which may be given as text.

    >>> check_devices("2"), check_devices("auto")
    (2, 'auto')
    """
    if devices is None or devices == AUTO:
        return devices  # type: ignore[return-value]
    try:
        number = int(devices)
    except ValueError:
        number = 0
    if number < 1 or number != float(devices):
        raise InvalidParameterError(f"devices must be an integer >= 1, or auto, got {devices}")
    return number


def launched_size(environment: Mapping[str, str] = os.environ) -> int:
    """Return how many processes a launcher such as torchrun started, 1 without a launcher.

    >>> launched_size({"RANK": "0", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"})
    4
    """
    if not all(name in environment for name in LAUNCH_VARIABLES):
        return 1
    rank, size = environment["RANK"], environment["WORLD_SIZE"]
    if not (rank.isdecimal() and size.isdecimal()):
        raise InvalidParameterError(
            f"the environment variables RANK and WORLD_SIZE must be integers, got {rank!r} and {size!r}; start with "
            "torchrun, or unset them"
        )
    return max(1, int(size))


def devices_to_start(devices: int | str | None, environment: Mapping[str, str] = os.environ) -> int | str | None:
    """Return the number of processes to start, None under a launcher, which has started them.

    >>> devices_to_start("2", {}), devices_to_start("auto", {})
    (2, 'auto')
    """
    wanted, launched = check_devices(devices), launched_size(environment)
    if launched == 1:
        return wanted
    if wanted not in (None, AUTO, launched):
        raise InvalidParameterError(
            f"{launched} processes were launched, but {wanted} devices requested; leave the number of devices out"
        )
    return None


class Processes(NamedTuple):
    """The processes that train one model.

    Attributes
    ----------
    size, rank : int
        The number of processes, and the index of this one.
    local_size, local_rank : int
        The same among those of this machine.
    launched : bool
        Whether a launcher such as torchrun started them.
    """

    size: int = 1
    rank: int = 0
    local_size: int = 1
    local_rank: int = 0
    launched: bool = False

    @classmethod
    def of(cls, devices: int | str | None, environment: Mapping[str, str] = os.environ) -> "Processes":
        """Return the processes for a number of devices.

        Parameters
        ----------
        devices
            A number; "auto": 1, because each process repeats the messages of the whole graph, so that a second one
            saves little of a step; None: those of a launcher, else 1.
        environment
            Where a launcher describes its processes.

        Examples
        --------
        >>> Processes.of("auto").size, Processes.of(2).size
        (1, 2)
        """
        wanted = check_devices(devices)
        if wanted is not None:
            size = 1 if wanted == AUTO else wanted
            return cls(size, local_size=size)  # type: ignore[arg-type]
        size = launched_size(environment)
        if size == 1:
            return cls()
        rank = int(environment["RANK"])
        local_size, local_rank = (environment.get(name) for name in ("LOCAL_WORLD_SIZE", "LOCAL_RANK"))
        return cls(size, rank, int(local_size or size), int(local_rank or rank), launched=True)

    def threads_each(self, threads: int) -> int:
        """Return the threads of each process, given those of the machine."""
        return max(1, threads // self.local_size)

    def check_model(self, model: LinkModel) -> None:
        """Refuse a model that several processes cannot train."""
        if self.size == 1:
            return
        if not model.trainable:
            raise InvalidParameterError(f"{model.name} has nothing to train; leave the number of devices out")
        if isinstance(model, FittedModel):
            raise InvalidParameterError(
                f"{model.name} is fitted by one process with threads; leave the number of devices out"
            )
        if not model.trains_in_parallel:
            raise InvalidParameterError(
                f"{model.name} normalizes over all pairs of a batch, which several processes cannot share; train it "
                "with one device"
            )

    def check_batch(self, batch_size: int) -> None:
        """Refuse more processes than a batch has target edges: some would never have work."""
        if self.size > batch_size:
            raise InvalidParameterError(
                f"a batch has {batch_size} target edges, too few for {self.size} processes; give at most {batch_size} "
                "devices, or a larger batch_size"
            )


class Placement(NamedTuple):
    """The device of the network in each process of a machine.

    Attributes
    ----------
    first : int
        The GPU of the first process; the others take the next ones in turn.
    num_gpus : int
        The number of GPUs of the machine, 0 to train on the CPU.
    remark : str
        What to tell the user about an automatic choice; may be empty.
    """

    first: int = 0
    num_gpus: int = 0
    remark: str = ""

    def of(self, process: int = 0) -> str:
        """Return the device of a process, by its rank on this machine.

        >>> Placement().of(1), [Placement(1, 2).of(process) for process in range(3)]
        ('cpu', ['cuda:1', 'cuda:0', 'cuda:1'])
        """
        return f"cuda:{(self.first + process) % self.num_gpus}" if self.num_gpus else CPU


def choose_placement(device: str, model: type[LinkModel]) -> Placement:
    """Return where a model is trained.

    Parameters
    ----------
    device
        `cpu`, `cuda`, `cuda:N`, or `auto` for a GPU if there is one that the model can use.
    model
        The class of the model.

    Raises
    ------
    InvalidParameterError
        If there is no such device, or the model cannot use it.

    Examples
    --------
    >>> from edgeorbit.models import resolve_model
    >>> choose_placement("auto", resolve_model("ra")).of()
    'cpu'
    """
    if device == CPU:
        return Placement()
    if device == AUTO:
        return _best_placement(model)
    match = re.fullmatch(r"cuda(?::(\d+))?", device, re.ASCII)
    if match is None:
        raise InvalidParameterError(f"device must be auto, cpu, cuda or cuda:N with the index of a GPU, got {device!r}")
    if not model.runs_on_gpu:
        raise InvalidParameterError(f"{model.name} runs on the CPU only, not on {device}; use --device cpu")
    count, first = _count_gpus(), int(match[1] or 0)
    if count == 0:
        raise EdgeorbitError(f"PyTorch finds no GPU for {device}; use --device cpu or auto")
    if first >= count:
        raise InvalidParameterError(f"there is no {device}: {count} GPUs are numbered from 0; use cuda:{count - 1}")
    return Placement(first, count)


def _best_placement(model: type[LinkModel]) -> Placement:
    if not model.trainable or issubclass(model, FittedModel) or (count := _count_gpus()) == 0:
        return Placement()
    if not model.runs_on_gpu:
        return Placement(remark=f"{model.name} runs on the CPU only; the GPU stays idle")
    import torch

    return Placement(0, count, f"training on cuda:0 ({torch.cuda.get_device_name(0)}); --device cpu for the CPU")


def _count_gpus() -> int:
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0
