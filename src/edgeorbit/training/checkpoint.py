"""The state of training in one file, so that a run goes on after it was killed as if nothing had happened."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from edgeorbit.errors import GraphFormatError
from edgeorbit.files import atomic_path

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


class State(NamedTuple):
    """The state of training as named tensors and what JSON can hold."""

    tensors: dict[str, Tensor]
    meta: dict[str, Any]


def pack_state(
    network: nn.Module, best: dict[str, Tensor], optimizer: torch.optim.Optimizer, progress: Progress
) -> State:
    """Return the state of training, in the memory of the processor wherever the network is."""
    tensors = {f"network/{name}": value for name, value in network.state_dict().items()}
    tensors |= {f"best/{name}": value for name, value in best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer/{number}/{name}": value for name, value in state.items()}
    return State({name: value.detach().cpu() for name, value in tensors.items()}, asdict(progress))


def unpack_state(
    state: State, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[dict[str, Tensor], Progress]:
    """Put the state of training back; return the best weights and where training stands.

    Raises
    ------
    RuntimeError, ValueError, TypeError, KeyError
        If it is that of another network.
    """
    parts: dict[str, dict[str, Tensor]] = {"network": {}, "best": {}, "optimizer": {}}
    for name, value in state.tensors.items():
        part, _, rest = name.partition("/")
        parts.setdefault(part, {})[rest] = value
    network.load_state_dict(parts["network"])
    held = optimizer.state_dict()
    for name, value in parts["optimizer"].items():
        number, _, what = name.partition("/")
        held["state"].setdefault(int(number), {})[what] = value
    optimizer.load_state_dict(held)
    _lay_out(optimizer)
    return parts["best"], Progress(**state.meta)


def save_checkpoint(
    path: Path, network: nn.Module, best: dict[str, Tensor], optimizer: torch.optim.Optimizer, progress: Progress
) -> None:
    """Write the state of training, whole or not at all."""
    write_tensors(path, *pack_state(network, best, optimizer, progress))


def load_checkpoint(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[dict[str, Tensor], Progress]:
    """Put the state of training back; return the best weights and where training stands."""
    state = State(*read_tensors(path, WAY_OUT))
    try:
        return unpack_state(state, network, optimizer)
    except (RuntimeError, ValueError, TypeError, KeyError):
        raise GraphFormatError(f"{path}: is the checkpoint of another model; {WAY_OUT}") from None


def _lay_out(optimizer: torch.optim.Optimizer) -> None:
    """Lay the moments of weights out in memory as the weights are: the fused optimiser goes through both in step."""
    for group in optimizer.param_groups:
        for weights in group["params"]:
            for name, value in optimizer.state[weights].items():
                if value.shape == weights.shape and value.stride() != weights.stride():
                    optimizer.state[weights][name] = torch.empty_like(weights).copy_(value)


def write_tensors(path: Path, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
    """Write tensors and what belongs to them, as JSON, to one safetensors file, which is the same for every device."""
    held = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(held, {"edgeorbit": json.dumps(meta)}))


def read_tensors(path: Path, way_out: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote.

    Raises
    ------
    GraphFormatError
        If the file is missing, damaged or of another kind.
    """
    try:
        with safe_open(path, "pt") as file:
            meta = json.loads((file.metadata() or {})["edgeorbit"])
            return {name: file.get_tensor(name) for name in file.keys()}, meta  # noqa: SIM118
    except FileNotFoundError:
        raise GraphFormatError(f"{path}: is missing; {way_out}") from None
    except (SafetensorError, OSError, KeyError, ValueError):
        raise GraphFormatError(f"{path}: is damaged or no file of edgeorbit; {way_out}") from None
