"""Where networks are trained: on the processor, or on GPUs, one for each process as far as there are any."""

import re
from typing import NamedTuple

from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.models.base import LinkModel

AUTO, CPU = "auto", "cpu"


class Placement(NamedTuple):
    """Where each of the processes of a machine has its network.

    Attributes
    ----------
    first : int
        The GPU of the first process; the others take those that follow it, and begin again after the last.
    num_gpus : int
        How many GPUs the machine has for this; 0: all networks are on the processor.
    remark : str
        What the user should know of a choice that was left to us; empty if there is nothing to say.
    """

    first: int = 0
    num_gpus: int = 0
    remark: str = ""

    def of(self, process: int = 0) -> str:
        """Return the device of a process of this machine, by its number from 0.

        >>> Placement().of(1), [Placement(1, 2).of(process) for process in range(3)]
        ('cpu', ['cuda:1', 'cuda:0', 'cuda:1'])
        """
        return f"cuda:{(self.first + process) % self.num_gpus}" if self.num_gpus else CPU


def choose_placement(device: str, model: type[LinkModel]) -> Placement:
    """Return where a model is trained.

    Parameters
    ----------
    device
        `cpu`, `cuda`, `cuda:N` for the N-th GPU from 0, or `auto`: a GPU if there is one that the model can use.
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
    named = re.fullmatch(r"cuda(?::(\d+))?", device, re.ASCII)
    if named is None:
        raise InvalidParameterError(f"device is auto, cpu, cuda or cuda:N with the number of a GPU, not {device!r}")
    if not model.runs_on_gpu:
        raise InvalidParameterError(f"{model.name} runs on the processor only, not on {device}; take the device cpu")
    count, first = _count_gpus(), int(named[1] or 0)
    if count == 0:
        raise EdgeorbitError(f"there is no GPU here that PyTorch can use as {device}; take the device cpu, or auto")
    if first >= count:
        raise InvalidParameterError(f"there is no {device}: {count} GPUs are numbered from 0; take cuda:{count - 1}")
    return Placement(first, count)


def _best_placement(model: type[LinkModel]) -> Placement:
    if not model.trainable or (count := _count_gpus()) == 0:
        return Placement()
    if not model.runs_on_gpu:
        return Placement(remark=f"{model.name} runs on the processor only; the GPU has nothing to do")
    import torch

    return Placement(0, count, f"training on cuda:0 ({torch.cuda.get_device_name(0)}); --device cpu for the processor")


def _count_gpus() -> int:
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0
