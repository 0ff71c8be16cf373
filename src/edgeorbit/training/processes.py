"""Training in several processes of this machine, or in those that torchrun started.

Processes are started by `torch.multiprocessing`, which needs no agent beside them: this process is the first of them,
so that it has the trained model at the end, and all that is written and shown stays in it. With `torchrun`'s elastic
agent it would wait for others, and get weights, progress and errors back through files. They are spawned and not
forked: a fork of a process that has used threads of OpenMP or of numba may hang.
"""

import multiprocessing.resource_tracker
import os
import pickle
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous
from torch.multiprocessing.spawn import ProcessContext, start_processes

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import EdgeorbitError
from edgeorbit.training.group import GO_ON, LostProcessError
from edgeorbit.training.joined_group import JoinedGroup, joined
from edgeorbit.training.placement import Placement
from edgeorbit.training.settings import TrainingSettings

if TYPE_CHECKING:
    from edgeorbit.training.loop import Trainer

HOST = "127.0.0.1"
START_SECONDS = 300.0  # to load the code and to unpack the graph
POLL_SECONDS = 0.05
FAREWELL_SECONDS = 5.0  # for the system to say how a lost process ended
LOST = 75  # exit code of a process that has lost another


@dataclass(frozen=True)
class _Task:
    """What another process needs to make the same trainer."""

    model: type
    options: dict[str, Any]
    split: LinkSplit
    negatives: Negatives
    settings: TrainingSettings
    seed: int
    placement: Placement


@contextmanager
def started_processes(trainer: "Trainer", devices: int, threads: int, placement: Placement) -> Iterator[None]:
    """Let a trainer share its steps with processes that are started here, and that end with the block.

    Parameters
    ----------
    trainer
        The trainer of this process, which is the first; only it writes and reports.
    devices
        How many processes there are, with this one.
    threads
        The threads of each.
    placement
        Where the network of each is.

    Raises
    ------
    LostProcessError
        If one of them ends before the others.
    """
    store = TCPStore(HOST, 0, is_master=True, wait_for_workers=False)  # any free port
    with ExitStack() as endings:
        with _task_file(trainer, placement) as path:
            workers = endings.enter_context(_workers(path, devices, threads, store.port))
            _await(workers, store)
        trainer.group = endings.enter_context(joined(0, devices, HOST, placement.of(0), store=store))
        yield


@contextmanager
def launched_group(device: str) -> Iterator[JoinedGroup]:
    """Join the processes that a launcher such as torchrun started, as the environment names them."""
    environment = os.environ
    try:
        timeout = timedelta(seconds=START_SECONDS)
        store, rank, size = next(iter(rendezvous("env://", timeout=timeout)))
    except (RuntimeError, ValueError) as error:
        raise EdgeorbitError(
            f"the other processes of this run were not found at {environment['MASTER_ADDR']}:"
            f"{environment['MASTER_PORT']} within {START_SECONDS:.0f} s; start all of them with torchrun"
        ) from error
    with joined(rank, size, environment["MASTER_ADDR"], device, store=store) as group:
        yield group


@contextmanager
def _task_file(trainer: "Trainer", placement: Placement) -> Iterator[Path]:
    """Give a file with what other processes need: through pipes, each would wait for the one before it to read."""
    model = trainer.model
    task = _Task(
        *(type(model), asdict(model.settings), trainer.split, trainer.negatives, trainer.settings, trainer.seed),
        placement,
    )
    handle, name = tempfile.mkstemp(prefix="edgeorbit-")
    try:
        try:
            with os.fdopen(handle, "wb") as file:
                pickle.dump(task, file, protocol=5)
        except OSError as error:
            raise EdgeorbitError(
                f"{name}: cannot be written ({error.strerror}); set TMPDIR to a directory with room for the graph"
            ) from None
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def _workers(path: Path, devices: int, threads: int, port: int) -> Iterator[ProcessContext]:
    """Start the other processes, and end them with the block; say which of them is to blame if one is lost."""
    # An interrupt is for this process, which ends the others; they would show a traceback each while they load. The
    # tracker comes first because it unblocks the signal when it starts.
    multiprocessing.resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        arguments = path, devices, threads, port, os.getpid()
        workers = start_processes(_work, arguments, devices - 1, join=False, daemon=True)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield workers
    except LostProcessError as error:
        raise LostProcessError(_tell_loss(workers)) from error
    finally:
        _end(workers)


def _work(number: int, path: Path, devices: int, threads: int, port: int, parent: int) -> None:
    """Train as one of the others.

    The system interrupts this process when the first one ends (`torch.multiprocessing` asks it to), however that came
    about; it dies of it wherever it is, and has nothing to save.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if os.getppid() != parent:  # it ended before the system was asked
        os._exit(LOST)
    from edgeorbit.training.loop import Trainer

    torch.set_num_threads(threads)
    try:
        store = TCPStore(HOST, port, is_master=False)
        with path.open("rb") as file:
            task: _Task = pickle.load(file)
        model = task.model(**task.options)
        device = task.placement.of(number + 1)
        trainer = Trainer(model, task.split, task.negatives, task.settings, seed=task.seed, device=device)
        store.add("ready", 1)
        with joined(number + 1, devices, HOST, device, store=store) as trainer.group:
            trainer.train()
    except LostProcessError:
        os._exit(LOST)


def _await(workers: ProcessContext, store: Any) -> None:
    """Wait until all processes are ready to be connected."""
    begun = time.monotonic()
    while store.add("ready", 0) < len(workers.processes):
        if any(process.exitcode is not None for process in workers.processes):
            raise LostProcessError("a process ended while it started")
        if time.monotonic() - begun > START_SECONDS:
            raise EdgeorbitError(
                f"{len(workers.processes)} more processes did not start within {START_SECONDS:.0f} s; the machine may "
                "be too busy or short of memory: give fewer devices"
            )
        time.sleep(POLL_SECONDS)


def _tell_loss(workers: ProcessContext) -> str:
    """Say in a sentence which process ended, and how.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted: Control-C goes to all processes, and the loss may be noticed before the signal is.
    """
    deadline = time.monotonic() + FAREWELL_SECONDS
    while time.monotonic() < deadline:
        for number, (process, file) in enumerate(zip(workers.processes, workers.error_files, strict=True), start=2):
            if process.exitcode in (None, LOST):
                continue
            if process.exitcode == -signal.SIGINT:
                raise KeyboardInterrupt
            return f"process {number} of {len(workers.processes) + 1} {_reason(process.exitcode, file)}; {GO_ON}"
        time.sleep(POLL_SECONDS)
    return f"a process does not answer; {GO_ON}"


def _reason(code: int, error_file: str) -> str:
    if code < 0:
        name = next((one.name for one in signal.Signals if one == -code), str(-code))
        memory = " (the machine may have run out of memory)" if name == "SIGKILL" else ""
        return f"was ended by {name}{memory}"
    with suppress(OSError, pickle.UnpicklingError, EOFError), Path(error_file).open("rb") as file:
        lines = str(pickle.load(file)).strip().splitlines()
        return f"failed with {lines[-1].strip()}"
    return f"ended with exit code {code}"


def _end(workers: ProcessContext) -> None:
    """End processes that are still there: at the end of training they have nothing left to do."""
    for process in workers.processes:
        process.terminate()
    for process in workers.processes:
        process.join(FAREWELL_SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
    for file in workers.error_files:
        Path(file).unlink(missing_ok=True)
