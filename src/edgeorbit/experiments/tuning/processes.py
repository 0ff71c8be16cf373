"""Trials side by side, each in a process with one thread that ends with the one that began it."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any

from edgeorbit.errors import EdgeorbitError, LimitExceededError
from edgeorbit.experiments.tuning.search import POLL_SECONDS, Report, Search
from edgeorbit.experiments.tuning.storage import explain
from edgeorbit.experiments.tuning.task import Task
from edgeorbit.experiments.tuning.tickets import MOST_DEATHS
from edgeorbit.models import resolve_model

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

GRACE_SECONDS = 5.0
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def one_torch_thread(model: str) -> Iterator[None]:
    """Train on one thread in the block: results are the same for the same number of threads."""
    if not resolve_model(model).trainable:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def work_in_processes(search: Search, jobs: int, report: Report | None) -> None:
    """Work off the tickets of a search by several processes; one that dies is replaced.

    Raises
    ------
    EdgeorbitError
        What a process could not go on for.
    """
    context = multiprocessing.get_context("spawn")
    told: SimpleQueue[str] = context.SimpleQueue()
    running: list[SpawnProcess] = []
    starts = 0
    try:
        while search.tickets.num_finished() < search.tickets.total and not search.time_is_over():
            search.tell(report)
            running = [process for process in running if process.is_alive()]
            if not told.empty():
                raise EdgeorbitError(told.get())
            # A ticket that kills its process comes back a few times and then counts as failed, so this ends.
            for _ in range(min(jobs, search.tickets.total - search.tickets.num_finished()) - len(running)):
                if starts == jobs + MOST_DEATHS * search.tickets.total:
                    raise LimitExceededError(
                        f"{search.task}: {starts} processes were killed; use fewer jobs or a machine with more memory"
                    )
                running.append(_start(context, search, told))
                starts += 1
            time.sleep(POLL_SECONDS)
        if not told.empty():
            raise EdgeorbitError(told.get())
        search.tell(report)
    finally:
        for process in running:
            process.terminate()  # they give their tickets back
        for process in running:
            process.join(GRACE_SECONDS)
            process.kill()  # a library may not let it go; its ticket is then given back by the next one who looks
            process.join()


def _start(context: Any, search: Search, told: "SimpleQueue[str]") -> SpawnProcess:
    left = None if search.deadline is None else search.deadline - time.monotonic()
    arguments = (
        search.task,
        os.fspath(search.storage),
        search.tickets.total,
        left,
        search.tickets.name,
        os.getpid(),
        told,
    )
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # read when libraries are loaded, before any line of ours
    try:
        process: SpawnProcess = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return process


def _work(
    task: Task, storage: str, trials: int, left: float | None, name: str, parent: int, told: "SimpleQueue[str]"
) -> None:
    # The name is that of the parent's study: sources that were changed since would give us another one.
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    deadline = None if left is None else time.monotonic() + left
    try:
        with one_torch_thread(task.model):
            Search(task, storage, trials, deadline, name).work()
    except KeyboardInterrupt:  # of the whole group; the one that began us says so
        sys.exit(1)
    except EdgeorbitError as error:
        told.put(str(error))
    except Exception as error:
        told.put(f"a process of the search ended with {type(error).__name__}: {explain(error, storage)}")
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends by itself now, and a second end would make noise


def _end_with(parent: int) -> None:
    """End this process when the one that began it is gone: nobody would look at what it finds."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(1)
