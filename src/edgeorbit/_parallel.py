"""Threads and child processes: how many, how work is shared among them, and what Control-C does.

The kernels are compiled without the interpreter lock, so plain Python threads run them side by side. No result depends
on the number of threads.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import pairwise
from types import FrameType
from typing import Any

from edgeorbit.errors import InvalidParameterError

# Libraries read these when they are loaded, and compute with this number of threads.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")

Handler = Callable[[int, FrameType | None], Any] | signal.Handlers

_default: ContextVar[int | None] = ContextVar("threads", default=None)


@contextmanager
def default_threads(threads: int) -> Iterator[None]:
    """Set the number of threads of everything called in the block without a number of its own.

    >>> with default_threads(2):
    ...     resolve_threads(None), resolve_threads(3)
    (2, 3)
    """
    before = _default.set(resolve_threads(threads))
    try:
        yield
    finally:
        _default.reset(before)


def resolve_threads(threads: int | None, called: str = "threads") -> int:
    """Return the number of threads to use: the given one, or one per core that this process may use.

    `called` is the name of the option in the error.

    >>> resolve_threads(3)
    3
    """
    if threads is None:
        threads = _default.get()
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise InvalidParameterError(f"{called} must be at least 1, not {threads}; leave it out to use every core")
    return threads


def split_range(stop: int, parts: int) -> list[tuple[int, int]]:
    """Cut `range(stop)` into at most `parts` contiguous, almost equal pieces, none of them empty.

    >>> split_range(5, 2)
    [(0, 2), (2, 5)]
    """
    bounds = [stop * i // parts for i in range(parts + 1)]
    return [(low, high) for low, high in pairwise(bounds) if low < high]


def run_all(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call `function` with each tuple of arguments, one thread per call, and return the results in order."""
    if len(calls) <= 1:
        return [function(*arguments) for arguments in calls]
    return list(_pool(len(calls)).map(lambda arguments: function(*arguments), calls))


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Start processes in the block that Control-C does not reach until they `listen`.

    A terminal sends the signal to all of its processes, but only the parent, which ends the others, should handle it;
    each of the others would print a traceback while it loads.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # first, because it unblocks the signal when it starts
    with _put_off():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which the others inherit
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def listen(handler: Handler) -> None:
    """Set what Control-C does from now on, in a process that was started by `deaf_to_interrupts`."""
    signal.signal(signal.SIGINT, handler)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def follow_parent() -> None:
    """Leave Control-C to the parent, in a process that was started by `deaf_to_interrupts`, and end when it ends.

    It ends in the middle of its work, too: nobody is there to take what it finds.
    """
    listen(signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


@contextmanager
def _put_off() -> Iterator[None]:
    """Postpone Control-C to the end of the block; Python runs handlers in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():  # which never runs handlers
        yield
        return
    came = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: came.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came.is_set():
            signal.raise_signal(signal.SIGINT)


@lru_cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that wait for work: a refinement hands it out several times within milliseconds."""
    return ThreadPoolExecutor(threads, "edgeorbit")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not live on in a forked process
