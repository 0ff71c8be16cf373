"""The state of training in one file, so that a run resumes after it was killed as if nothing had happened."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from edgeorbit._files import atomic_path
from edgeorbit._memory import require_memory
from edgeorbit._text import is_kind, parse_json
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.reading.source import Source
from edgeorbit.training.adam import Adam
from edgeorbit.training.averaging import Averager

WAY_OUT = "delete it to begin anew"


@dataclass
class Progress:
    """Where training stands.

    Attributes
    ----------
    epoch, step
        The next step to make.
    best, best_epoch
        The best value of the validation metric so far, and the epoch after which it was seen.
    waited
        Evaluations since then.
    losses
        The losses of the epoch that is under way.
    history
        For every evaluation: epoch, mean loss since the one before, and the value of the metric.
    """

    epoch: int = 0
    step: int = 0
    best: float = -1.0
    best_epoch: int = 0
    waited: int = 0
    losses: list[float] = field(default_factory=list)
    history: list[dict[str, float]] = field(default_factory=list)

    def check(self) -> None:
        """Raise `ValueError` for values of another kind, which a damaged file may hold."""
        if not all(isinstance(value, list) for value in (self.losses, self.history)):
            raise ValueError("losses or history is no list")
        if not all(isinstance(entry, dict) for entry in self.history):
            raise ValueError("an entry of the history is no table")
        counts = self.epoch, self.step, self.best_epoch, self.waited
        figures = [self.best, *self.losses, *(value for entry in self.history for value in entry.values())]
        if not all(is_kind(count, int) and count >= 0 for count in counts) or not all(
            is_kind(figure, float) for figure in figures
        ):
            raise ValueError("a number is of another kind")


class State(NamedTuple):
    """The state of training as named tensors and what JSON can hold."""

    tensors: dict[str, Tensor]
    meta: dict[str, Any]


def pack_state(
    network: nn.Module, best: dict[str, Tensor], optimizer: Adam, averager: Averager, progress: Progress
) -> State:
    """Return the state of training, in main memory wherever the network is."""
    parts = {
        "network": network.state_dict(),
        "best": best,
        "optimizer": optimizer.state(),
        "average": averager.state(),
    }
    tensors = {
        f"{part}/{name}": value.detach().cpu() for part, values in parts.items() for name, value in values.items()
    }
    return State(tensors, asdict(progress))


def unpack_state(
    state: State, network: nn.Module, optimizer: Adam, averager: Averager
) -> tuple[dict[str, Tensor], Progress]:
    """Put the state of training back; return the best weights and where training stands.

    Raises
    ------
    RuntimeError, ValueError, TypeError, LookupError
        If it is that of another network, or damaged.
    """
    parts: dict[str, dict[str, Tensor]] = {"network": {}, "best": {}, "optimizer": {}, "average": {}}
    for name, value in state.tensors.items():
        part, _, rest = name.partition("/")
        parts.setdefault(part, {})[rest] = value
    progress = Progress(**state.meta)
    progress.check()
    put_weights(network, parts["network"])
    if not _are_alike(parts["best"], parts["network"]):
        raise ValueError("the best weights are not those of the network")
    optimizer.restore(parts["optimizer"])
    averager.restore(parts["average"], network)
    return parts["best"], progress


def put_weights(network: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Give a network its weights.

    Raises
    ------
    RuntimeError, ValueError
        If they are those of another network, or no finite numbers.
    """
    own = {**dict(network.named_parameters()), **dict(network.named_buffers())}
    for name, value in tensors.items():
        if name in own and value.dtype != own[name].dtype:
            raise ValueError(f"{name} is of another type")
        if value.is_floating_point() and not value.isfinite().all():
            raise ValueError(f"{name} is NaN or infinite")
    network.load_state_dict(tensors)


def _are_alike(tensors: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> bool:
    """Tell whether tensors have the names, shapes and types that are expected."""
    return tensors.keys() == expected.keys() and all(
        (value.shape, value.dtype) == (expected[name].shape, expected[name].dtype) for name, value in tensors.items()
    )


def save_checkpoint(
    path: Path, network: nn.Module, best: dict[str, Tensor], optimizer: Adam, averager: Averager, progress: Progress
) -> None:
    """Write the state of training, whole or not at all."""
    write_tensors(path, *pack_state(network, best, optimizer, averager, progress))


def load_checkpoint(
    path: Path, network: nn.Module, optimizer: Adam, averager: Averager
) -> tuple[dict[str, Tensor], Progress]:
    """Put the state of training back; return the best weights and where training stands."""
    state = State(*read_tensors(path, WAY_OUT))
    try:
        return unpack_state(state, network, optimizer, averager)
    except (RuntimeError, ValueError, TypeError, LookupError):
        raise GraphFormatError(f"{path}: is damaged, or the checkpoint of another model; {WAY_OUT}") from None


def write_tensors(path: Path, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
    """Write tensors and what belongs to them, as JSON, to one safetensors file, which is the same for every device.

    They are written from where they are in main memory; those that share it are copied, as the format has it.
    """
    held: dict[str, Tensor] = {}
    storages: set[int] = set()
    for name, value in tensors.items():
        placed = value.detach().cpu().contiguous()
        storage = placed.untyped_storage().data_ptr()
        held[name] = placed.clone() if storage in storages else placed
        storages.add(storage)
    with atomic_path(path) as temporary, _errors_of_the_system():
        save_file(held, temporary, {"edgeorbit": json.dumps(meta)})


@contextmanager
def _errors_of_the_system() -> Iterator[None]:
    """Raise what safetensors says of a full disk as the `OSError` that it was."""
    try:
        yield
    except SafetensorError as error:
        code = re.search(r"\(os error (\d+)\)", str(error))
        if code is None:
            raise
        raise OSError(int(code[1]), os.strerror(int(code[1]))) from None


def read_tensors(path: Path, way_out: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote.

    Raises
    ------
    GraphFormatError
        If the file is missing, damaged or of another kind.
    """
    try:
        require_memory(str(path), 2 * Source(path).size)
        with safe_open(path, "pt") as file:
            meta = parse_json((file.metadata() or {})["edgeorbit"])
            if not isinstance(meta, dict):
                raise ValueError("no table")
            return {name: file.get_tensor(name) for name in file.keys()}, meta  # noqa: SIM118
    except FileNotFoundError:
        raise GraphFormatError(f"{path}: is missing; {way_out}") from None
    except EdgeorbitError:
        raise
    except (SafetensorError, OSError, KeyError, ValueError, RecursionError):
        raise GraphFormatError(f"{path}: is damaged or no file of edgeorbit; {way_out}") from None
