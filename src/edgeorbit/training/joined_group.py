"""Processes that PyTorch has connected, and the gradients of a step that they share.

Every process has the same weights and makes the same steps; only the pairs of a step, and those that validation
scores, are divided among them. PyTorch's own DistributedDataParallel is not used: it gives the gradients of all
processes the same weight, which is wrong for shares of different sizes.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed
from torch import Tensor, nn

from edgeorbit.errors import EdgeorbitError
from edgeorbit.training.group import GO_ON, Group, LostProcessError

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SILENCE = timedelta(hours=2)  # a process that ends is noticed at once; this is for one that hangs


class JoinedGroup(Group):
    """One of several processes that PyTorch has connected.

    Parameters
    ----------
    rank, size
        The number of this process, from 0, and how many there are.
    gpus
        The same processes as connected through their GPUs, if each has one of its own.
    """

    def __init__(self, rank: int, size: int, gpus: Any = None) -> None:
        self.rank, self.size, self._gpus = rank, size, gpus

    def add_up(self, values: Tensor) -> Tensor:
        """Put the sum over all processes in the place of the values."""
        with _noticing_losses():
            if values.is_cpu:
                torch.distributed.all_reduce(values)
            elif self._gpus is None:
                sums = values.cpu()
                torch.distributed.all_reduce(sums)
                values.copy_(sums)
            else:
                # A process that has ended is noticed here; nccl would wait for it.
                torch.distributed.all_reduce(torch.zeros(1))
                torch.distributed.all_reduce(values, group=self._gpus)
        return values

    def tell(self, what: Any) -> Any:
        """Return what the first process says."""
        held = [what]
        with _noticing_losses():
            torch.distributed.broadcast_object_list(held, src=0)
        return held[0]


@contextmanager
def _noticing_losses() -> Iterator[None]:
    """Turn what PyTorch raises when the other end of a connection is gone into one sentence."""
    try:
        yield
    except RuntimeError as error:
        raise LostProcessError(f"a process that trains with this one has ended; {GO_ON}") from error


@contextmanager
def joined(rank: int, size: int, address: str, device: str = "cpu", **rendezvous: Any) -> Iterator[JoinedGroup]:
    """Connect this process with the others, which do the same.

    What is in the memory of the processor is carried by gloo, and what is on GPUs by nccl if each process has one of
    its own; otherwise by gloo too.

    Parameters
    ----------
    rank, size
        The number of this process, from 0, and how many there are.
    address
        Where the processes meet.
    device
        Where this process has its network.
    **rendezvous
        `store` or `init_method` of `torch.distributed.init_process_group`.
    """
    if torch.distributed.is_initialized():
        raise EdgeorbitError("torch.distributed is in use in this process already; train with one process here")
    with _noticing_losses(), _on_loopback(address):
        torch.distributed.init_process_group("gloo", rank=rank, world_size=size, timeout=SILENCE, **rendezvous)
    try:
        yield JoinedGroup(rank, size, _connect_gpus(size, device))
    finally:
        torch.distributed.destroy_process_group()


def _connect_gpus(size: int, device: str) -> Any:
    """Connect the GPUs of processes if every one has its own, which only all of them together know; else None."""
    able = device.startswith("cuda") and torch.distributed.is_nccl_available()
    places: list[Any] = [None] * size
    with _noticing_losses():
        torch.distributed.all_gather_object(places, (socket.gethostname(), device) if able else None)
        if None in places or len(set(places)) < size:
            return None
        return torch.distributed.new_group(backend="nccl", timeout=SILENCE)


@contextmanager
def _on_loopback(address: str) -> Iterator[None]:
    """Let gloo use the loopback interface where the processes meet there.

    Otherwise it looks for the address of the machine's name, which a machine without a network may not have.
    """
    variable = "GLOO_SOCKET_IFNAME"
    names = {name for _, name in socket.if_nameindex()} & {"lo", "lo0"} if hasattr(socket, "if_nameindex") else set()
    if address not in LOOPBACK or variable in os.environ or not names:
        yield
        return
    os.environ[variable] = names.pop()
    try:
        yield
    finally:
        del os.environ[variable]


def add_up_gradients(network: nn.Module, loss: Tensor, group: Group) -> float:
    """Put the gradients of the whole step in the place of this process's; return the loss of the whole step.

    The loss of each process, and so its gradients, must have the weight of its share already. A weight without a
    gradient in any process keeps none: an optimiser treats that and a gradient of zero differently.
    """
    if group.size == 1:
        return loss.item()
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    given = [weight.grad is not None for weight in weights]
    has = torch.tensor(given, dtype=torch.float32, device=loss.device)
    parts = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
    # One message: the time of many small ones is mostly waiting.
    sums = group.add_up(torch.cat([loss.detach().reshape(1), has, *(part.reshape(-1) for part in parts)]))
    (value, *some_have), rest = sums[: 1 + len(weights)].tolist(), sums[1 + len(weights) :]
    shares = rest.split([weight.numel() for weight in weights])
    for weight, part, some in zip(weights, shares, some_have, strict=True):
        if some:
            weight.grad = torch.empty_like(weight).copy_(part.view(weight.shape))  # laid out in memory as the weight is
    return float(value)
