"""Many cases one after the other in one forked process, which takes a fraction of the time of a process for each.

What goes wrong there is no verdict yet: the case is run again in a process of its own.
"""

import gc
import os
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from attack.commands import (
    WALL_SECONDS,
    Outcome,
    allow_seconds,
    call,
    enclose_process,
    held_memory,
    most_memory,
    read_output,
)
from attack.judging import judge
from attack.kinds import Case
from attack.trees import empty, listing, write_tree


def run_batch(
    main: Callable[[], None], make: Callable[[int], Case], numbers: range, directory: Path
) -> Iterator[tuple[int, int | None]]:
    """Run cases by their numbers; yield each with its exit code, or None if something was wrong with it."""
    while numbers:
        done = 0
        for code in _run_until_wrong(main, make, numbers, directory):
            yield numbers[done], code
            done += 1
        if done < len(numbers):
            empty(directory)
            yield numbers[done], None
        numbers = numbers[done + 1 :]


def _run_until_wrong(
    main: Callable[[], None], make: Callable[[int], Case], numbers: range, directory: Path
) -> Iterator[int]:
    """Yield the exit codes of cases up to the first that something is wrong with."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            try:
                gc.freeze()
                _run_all(main, make, numbers, directory, out, err, writing)
            finally:
                os._exit(0)
        os.close(writing)
        try:
            for _ in numbers:
                ready, _, _ = select.select([reading], [], [], WALL_SECONDS)
                answer = os.read(reading, 1) if ready else b""
                if not answer:
                    return
                yield answer[0]
        finally:
            os.close(reading)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _run_all(
    main: Callable[[], None],
    make: Callable[[int], Case],
    numbers: range,
    directory: Path,
    out: IO[bytes],
    err: IO[bytes],
    writing: int,
) -> None:
    """Run cases in this process, and write the exit code of each to a pipe, until something is wrong."""
    enclose_process(directory, out.fileno(), err.fileno())
    held = held_memory()
    for number in numbers:
        case = make(number)
        write_tree(case.tree, directory)
        before = listing(directory)
        for file in (out, err):
            file.seek(0)
            file.truncate()
        allow_seconds()
        begun = time.monotonic()
        code = call(main, case.arguments)
        seconds = time.monotonic() - begun
        outcome = Outcome(code, read_output(out), read_output(err), seconds, most_memory() - held, False)
        if judge(outcome, case.arguments, before, listing(directory)) is not None:
            return
        empty(directory)
        os.write(writing, bytes([code]))
