"""Training on several processes of this machine, or on those that torchrun started.

torch.distributed connects them and DistributedDataParallel (`edgeorbit.training.world`) shares a step. Lightning Fabric
and `torch.multiprocessing.spawn` are not used to start them: both run the first process as a child or re-run the
command, and neither says in a sentence which process ended, and how.
This process is the first, so that the trained model, files and messages stay in it. The others are spawned, as a fork
of a process that has used threads of OpenMP or numba may hang.
"""

import multiprocessing
import os
import pickle
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed

from edgeorbit._parallel import deaf_to_interrupts, follow_parent
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.models.neural.model import NeuralLinkModel
from edgeorbit.training.devices import Placement
from edgeorbit.training.world import World

if TYPE_CHECKING:
    from edgeorbit.training.loop import Trainer

HOST = "127.0.0.1"
INTERFACE = "GLOO_SOCKET_IFNAME"
START_SECONDS = 300.0  # to import the code
SILENCE = timedelta(hours=2)  # a process that ends is noticed at once; this is for one that hangs
FAREWELL_SECONDS = 5.0  # for the system to report how a process ended
RESUME = "give the same command again to resume from the last checkpoint"


class LostProcessError(EdgeorbitError):
    """A process that trains with this one has ended, or cannot be reached."""


@contextmanager
def connected(rank: int, size: int, store: Any, address: str, device: str) -> Iterator[World]:
    """Connect this process with the others, which do the same.

    Parameters
    ----------
    rank, size
        The index of this process, and their number.
    store, address
        Where they meet.
    device
        The device of this process.

    Raises
    ------
    LostProcessError
        If another process ends before this one.
    """
    if distributed.is_initialized():
        raise EdgeorbitError("torch.distributed is already in use in this process; train with one device here")
    # By default gloo looks up the address of the machine's name, which a machine without a network may not have.
    names = {name for _, name in socket.if_nameindex()} & {"lo", "lo0"}
    on_loopback = bool(names) and address in {HOST, "localhost", "::1"} and INTERFACE not in os.environ
    try:
        if on_loopback:
            os.environ[INTERFACE] = names.pop()
        distributed.init_process_group("gloo", rank=rank, world_size=size, store=store, timeout=SILENCE)
        yield World(rank, size, _connect_gpus(size, device))
    except RuntimeError as error:
        # What gloo raises has no type of its own; its message names the file in gloo.
        if "gloo" not in str(error).lower() and not isinstance(error, distributed.DistError):
            raise
        raise LostProcessError(f"another process of this training has ended; {RESUME}") from error
    finally:
        if on_loopback:
            del os.environ[INTERFACE]
        if distributed.is_initialized():
            distributed.destroy_process_group()


def _connect_gpus(size: int, device: str) -> Any:
    """Return a process group of the GPUs if each process has its own, else None."""
    is_able = device.startswith("cuda") and distributed.is_nccl_available()
    places: list[Any] = [None] * size
    distributed.all_gather_object(places, (socket.gethostname(), device) if is_able else None)
    if None in places or len(set(places)) < size:
        return None
    return distributed.new_group(backend="nccl", timeout=SILENCE)


@contextmanager
def launched_processes(rank: int, size: int, device: str) -> Iterator[World]:
    """Connect the processes that torchrun started, as the environment describes them."""
    _require_distributed()
    address, port = os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]
    try:
        timeout = timedelta(seconds=START_SECONDS)
        store, _, _ = next(iter(distributed.rendezvous("env://", rank, size, timeout=timeout)))  # type: ignore[attr-defined]
    except (RuntimeError, ValueError) as error:
        raise EdgeorbitError(
            f"the other processes of this run were not found at {address}:{port} within {START_SECONDS:.0f} s; start "
            "all of them with torchrun"
        ) from error
    with connected(rank, size, store, address, device) as world:
        yield world


@contextmanager
def started_processes(trainer: "Trainer", size: int, threads: int, placement: Placement) -> Iterator[World]:
    """Start the other processes, which train with this one and end with the block.

    Parameters
    ----------
    trainer
        The trainer of this process.
    size
        The number of processes, with this one.
    threads
        The threads of each.
    placement
        The device of each.

    Raises
    ------
    LostProcessError
        If one of them ends before this one.
    """
    _require_distributed()
    _require_sendable(trainer.model)
    # Port 0 is any free port.
    store = distributed.TCPStore(HOST, 0, is_master=True, wait_for_workers=False)  # type: ignore[attr-defined]
    workers: list[SpawnProcess] = []
    try:
        _start(workers, size, (store.port, threads, placement))
        _await(workers, store)
        with connected(0, size, store, HOST, placement.of(0)) as world:
            world.broadcast((trainer.model, trainer.split, trainer.negatives, trainer.settings, trainer.seed))
            yield world
    except LostProcessError as error:
        raise LostProcessError(f"{_describe_loss(workers, store)}; {RESUME}") from error
    finally:
        for worker in workers:
            worker.kill()  # at the end of training they have nothing left to do
            worker.join()


def _start(workers: list[SpawnProcess], size: int, arguments: tuple[Any, ...]) -> None:
    """Start processes that ignore Control-C: it is for this process, which ends them."""
    context = multiprocessing.get_context("spawn")
    with deaf_to_interrupts():
        for rank in range(1, size):
            worker = context.Process(target=_work, args=(rank, size, *arguments), daemon=True)
            worker.start()
            workers.append(worker)


def _work(rank: int, size: int, port: int, threads: int, placement: Placement) -> None:
    """Train as one of the other processes."""
    follow_parent()
    torch.set_num_threads(threads)
    store = distributed.TCPStore(HOST, port, is_master=False)  # type: ignore[attr-defined]
    try:
        from edgeorbit.training.loop import Trainer

        store.add("ready", 1)
        with connected(rank, size, store, HOST, placement.of(rank)) as world:
            *given, seed = world.broadcast(None)
            trainer = Trainer(*given, seed=seed, device=placement.of(rank))
            trainer.world = world
            trainer.train()
    except LostProcessError:
        return  # the first process names the one that was lost
    except Exception as error:
        store.set(f"failure of {rank}", f"{type(error).__name__}: {error}".splitlines()[0])
        os._exit(1)


def _await(workers: list[SpawnProcess], store: Any) -> None:
    """Wait until all processes are ready to connect."""
    deadline = time.monotonic() + START_SECONDS
    while store.add("ready", 0) < len(workers):
        if any(worker.exitcode is not None for worker in workers):
            raise LostProcessError("a process ended while it started")
        if time.monotonic() > deadline:
            raise EdgeorbitError(
                f"{len(workers)} more processes did not start within {START_SECONDS:.0f} s; the machine may be busy or "
                "short of memory: use fewer devices"
            )
        time.sleep(0.05)


def _describe_loss(workers: list[SpawnProcess], store: Any) -> str:
    """Return which process ended, and how; those that noticed it end with 0."""
    deadline = time.monotonic() + FAREWELL_SECONDS
    while time.monotonic() < deadline:
        for rank, worker in enumerate(workers, start=1):
            if worker.exitcode:
                return f"process {rank + 1} of {len(workers) + 1} {_describe_end(worker.exitcode, rank, store)}"
        time.sleep(0.05)
    return "another process does not answer"


def _describe_end(code: int, rank: int, store: Any) -> str:
    if code < 0:
        memory = " (the machine may be out of memory)" if code == -signal.SIGKILL else ""
        return f"was ended by {signal.Signals(-code).name}{memory}"
    failure = f"failure of {rank}"
    return f"failed with {store.get(failure).decode()}" if store.check([failure]) else f"ended with exit code {code}"


def _require_sendable(model: NeuralLinkModel) -> None:
    """Refuse a model that other processes cannot be given."""
    try:
        pickle.dumps(model)
    except Exception as error:  # whatever the user's code raises
        raise InvalidParameterError(
            f"{model.name} cannot be sent to other processes ({error}); define its class in a file that can be "
            "imported, or train with one device"
        ) from error


def _require_distributed() -> None:
    if not (distributed.is_available() and distributed.is_gloo_available() and hasattr(signal, "pthread_sigmask")):
        raise EdgeorbitError(
            "several devices need Linux or macOS, and a PyTorch with torch.distributed and gloo; train with one device"
        )
