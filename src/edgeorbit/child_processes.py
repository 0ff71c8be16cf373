"""Processes that are started by this one, and what Control-C does to them."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any] | signal.Handlers


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Start processes in the block that an interruption does not reach until they `listen`.

    It goes to all processes of a terminal, and is for the one that started the others and ends them; those would show a
    traceback each while they load.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # first, because it unblocks the signal when it starts
    with _put_off():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which the others inherit
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _put_off() -> Iterator[None]:
    """Put an interruption off to the end of the block: whatever thread the signal reaches, Python tells this one."""
    if threading.current_thread() is not threading.main_thread():  # which is never told
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


def listen(handler: Handler) -> None:
    """Say, in a process that was started so, what an interruption does from now on."""
    signal.signal(signal.SIGINT, handler)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
