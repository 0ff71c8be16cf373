"""Where jobs run: in this process, in processes of this machine, or on the workers of a dask cluster.

All three are executors of `concurrent.futures`. When one of its processes is killed, `ProcessPoolExecutor` fails all of
its jobs, and so does the one of loky; `LocalPool` is therefore made of executors with one process each.
"""

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from edgeorbit._memory import size_in_words
from edgeorbit._parallel import THREAD_VARIABLES, deaf_to_interrupts, follow_parent
from edgeorbit.errors import EdgeorbitError, InvalidParameterError, naming_extras

PAGE = 4096 if os.name == "nt" else os.sysconf("SC_PAGE_SIZE")
CONNECT_SECONDS = 10


@dataclass
class _Slot:
    """A pool of one process, and why it was ended, if it was."""

    pool: ProcessPoolExecutor
    process: BaseProcess | None = None
    jobs: int = 0
    reason: str = ""


class LocalPool(Executor):
    """Processes with one thread of computation each.

    A `ProcessPoolExecutor` gives up all of its jobs when one of its processes is killed. Here every process is a pool
    of its own, so that what ends one process ends one job. A process lives for many jobs, as importing PyTorch takes
    longer than most of them, and ends with the process that started it, however that ends.

    Parameters
    ----------
    processes
        How many jobs run at a time; `submit` starts a job at once and refuses more than these.
    memory_limit
        Bytes of memory that a process may have; `watch_memory` ends one that has more.
    """

    def __init__(self, processes: int, memory_limit: int | None = None) -> None:
        self.processes, self.memory_limit = processes, memory_limit
        self._idle: list[_Slot] = []
        self._busy: dict[Future[Any], _Slot] = {}

    def capacity(self) -> int:
        """Return how many jobs can run at a time."""
        return self.processes

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a job; its function and arguments must be importable by name and picklable."""
        if len(self._busy) >= self.processes:
            raise RuntimeError(f"all {self.processes} processes are busy")
        # An interruption comes after the block, when `shutdown` knows of the process.
        with _one_thread_each(), deaf_to_interrupts():
            slot = self._idle.pop() if self._idle else _new_slot()
            slot.jobs += 1
            before = set(multiprocessing.active_children())
            future = slot.pool.submit(fn, *args, **kwargs)
            if slot.process is None:
                slot.process = next(iter(set(multiprocessing.active_children()) - before), None)
            self._busy[future] = slot
        return future

    def take_back(self, future: Future[Any]) -> str | None:
        """Give the process of a finished job to the next one; if it was killed, return why."""
        slot = self._busy.pop(future)
        if not isinstance(future.exception(), BrokenProcessPool):
            self._idle.append(slot)
            return None
        slot.pool.shutdown()
        if slot.reason or slot.process is None:
            return slot.reason or "its process could not be started"
        slot.process.join()
        code = slot.process.exitcode or 0
        if code >= 0:
            return f"its process ended with code {code}"
        return f"was killed (signal {-code})" + (", most likely for memory" if code == -signal.SIGKILL else "")

    def is_first_job(self, future: Future[Any]) -> bool:
        """Tell whether a job is the first one of its process: what others left there is not to blame then."""
        return self._busy[future].jobs == 1

    def watch_memory(self) -> None:
        """End every process that has more memory than allowed."""
        for slot in self._busy.values():
            if self.memory_limit is not None and slot.process and _memory(slot.process) > self.memory_limit:
                limit = size_in_words(self.memory_limit)
                slot.reason = f"MemoryError: took more memory than the limit of {limit}"
                slot.process.kill()

    def rest(self) -> None:
        """End the processes that have nothing to do, and free their memory."""
        while self._idle:
            self._idle.pop().pool.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, whatever they are doing."""
        for slot in self._busy.values():
            if slot.process is not None:
                slot.process.kill()
        for slot in (*self._busy.values(), *self._idle):
            slot.pool.shutdown(wait, cancel_futures=True)
        self._busy, self._idle = {}, []


class ThisProcess(Executor):
    """Runs every job at once, in this process: nothing has to be started."""

    def capacity(self) -> int:
        """Return 1."""
        return 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a job; what it raises, but an interruption, is in the future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def take_back(self, future: Future[Any]) -> None:
        """Do nothing: no job is lost."""

    def is_first_job(self, future: Future[Any]) -> bool:
        """Return False: other jobs ran here."""
        return False

    def watch_memory(self) -> None:
        """Do nothing: there is no limit."""

    def rest(self) -> None:
        """Do nothing: there are no processes."""


class Cluster(Executor):
    """The workers of a dask cluster; they may come and go.

    Parameters
    ----------
    address
        Of the scheduler, such as `tcp://host:8786`.
    check
        Called on every worker; returns why it is unfit for the jobs, or nothing.

    Raises
    ------
    EdgeorbitError
        If the scheduler does not answer, has no workers, or a worker is unfit.
    """

    def __init__(self, address: str, check: Callable[[], str]) -> None:
        with naming_extras("--scheduler"):
            from distributed import Client
        self.address = address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what concerns people is said in sentences
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise EdgeorbitError(
                f"{address}: no dask scheduler answers ({reason[:200]}); start one with dask scheduler, and workers "
                "with dask worker ADDRESS --nthreads 1"
            ) from None
        try:
            unfit = {worker: reason for worker, reason in self._client.run(check).items() if reason}
            if unfit:
                worker, reason = next(iter(unfit.items()))
                raise EdgeorbitError(f"{address}: worker {worker} cannot be used: {reason}")
            if not self.capacity():
                raise EdgeorbitError(f"{address}: has no workers; start some with dask worker {address} --nthreads 1")
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor(retries=0)

    def capacity(self) -> int:
        """Return how many jobs can run at a time, on the workers that are there now.

        Raises
        ------
        EdgeorbitError
            If the scheduler is gone.
        """
        try:
            return sum(self._client.ncores().values())
        except OSError:
            raise self._gone() from None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand a job to the scheduler."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def take_back(self, future: Future[Any]) -> str | None:
        """Return why a job was lost, if it was.

        Raises
        ------
        EdgeorbitError
            If the scheduler is gone.
        """
        from distributed import KilledWorker

        if future.cancelled() or self._client.status != "running":
            raise self._gone()
        error = future.exception()
        return f"its worker was killed: {' '.join(str(error).split())}" if isinstance(error, KilledWorker) else None

    def is_first_job(self, future: Future[Any]) -> bool:
        """Tell whether to blame the job alone if it is lost: dask has tried it on several workers by then."""
        return True

    def _gone(self) -> EdgeorbitError:
        return EdgeorbitError(
            f"{self.address}: the scheduler no longer answers; finished runs are kept, give the same command again"
        )

    def watch_memory(self) -> None:
        """Do nothing: the limits are those of the workers."""

    def rest(self) -> None:
        """Do nothing: workers belong to the cluster."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel what is left, and leave the cluster."""
        with suppress(Exception):  # of a scheduler that is gone
            self._executor.shutdown(wait=False)
        with suppress(Exception):
            self._client.close(timeout=2)


def _new_slot() -> _Slot:
    return _Slot(ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_prepare_process))


def _prepare_process() -> None:
    follow_parent()  # whoever interrupts the command gets one message, and not one per process
    with suppress(OSError):  # where memory is short, a job must go and not the process that keeps results
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Give processes that are started in the block one thread: libraries read these variables when they are loaded."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _memory(process: BaseProcess) -> int:
    """Return the bytes of memory that a process has now, as far as the system tells."""
    try:
        return int(Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def check_memory_limit(gigabytes: float | None) -> int | None:
    """Return a limit in bytes.

    Raises
    ------
    InvalidParameterError
        If it is not above 0, or the system does not tell how much memory a process has.
    """
    if gigabytes is None:
        return None
    if not gigabytes > 0:
        raise InvalidParameterError(f"--memory-limit must be above 0 GB, got {gigabytes:g}")
    if not Path("/proc/self/statm").exists():
        raise InvalidParameterError("--memory-limit is not available: this system does not tell a process's memory")
    return int(gigabytes * 2**30)
