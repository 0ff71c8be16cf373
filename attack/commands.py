"""Commands in processes of their own, forked from one that has loaded all code, with limits on time and memory."""

import atexit
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

BELIEVED_MEMORY = 1 << 30  # what the commands take for the free memory of the machine
MEMORY = 2 << 30  # what a command may hold beyond what loaded code takes
ADDRESSES = 5 << 30  # a hard stop, so that a bomb does not take the machine down
CPU_SECONDS = 10
WALL_SECONDS = 40
OUTPUT_BYTES = 1 << 20


class Outcome(NamedTuple):
    """How a command ended.

    Attributes
    ----------
    code : int
        The exit code, or minus the signal that ended it.
    out, err : str
        What it printed.
    seconds : float
        How long it took.
    memory : int
        The bytes that it held beyond the loaded code.
    timed_out : bool
        Whether it was killed because it did not end.
    """

    code: int
    out: str
    err: str
    seconds: float
    memory: int
    timed_out: bool


def prepare_process() -> Callable[[], None]:
    """Load the command line for processes that are forked from this one, and return its entry point."""
    os.environ |= {"OMP_NUM_THREADS": "1", "EDGEORBIT_OFFLINE": "1", "COLUMNS": "100", "TERM": "dumb"}
    os.environ.pop("EDGEORBIT_DATA", None)
    import torch

    import edgeorbit._memory
    from edgeorbit.cli.main import main

    torch.set_num_threads(1)
    meminfo = Path(tempfile.mkdtemp(prefix="attack-")) / "meminfo"
    atexit.register(shutil.rmtree, meminfo.parent)
    meminfo.write_text(f"MemAvailable: {BELIEVED_MEMORY >> 10} kB\n")
    edgeorbit._memory.MEMINFO = meminfo
    return main


def run_command(main: Callable[[], None], arguments: list[str], directory: Path) -> Outcome:
    """Run a command in a directory and wait for its end; whoever does not end is killed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        held = held_memory()
        child = os.fork()
        if child == 0:
            _become(main, arguments, directory, out.fileno(), err.fileno())
        status, usage, timed_out = _wait(child, begun + WALL_SECONDS)
        seconds = time.monotonic() - begun
        code = os.waitstatus_to_exitcode(status)
        timed_out = timed_out or code == -signal.SIGXCPU
        return Outcome(code, read_output(out), read_output(err), seconds, _maxrss(usage) - held, timed_out)


def _become(main: Callable[[], None], arguments: list[str], directory: Path, out: int, err: int) -> None:
    """Run the command in this process, and end it."""
    code = 1
    try:
        enclose_process(directory, out, err)
        allow_seconds()
        code = call(main, arguments)
    finally:
        os._exit(code)


def enclose_process(directory: Path, out: int, err: int) -> None:
    """Make this forked process one that works in a directory, writes to two files, and has limits."""
    os.setsid()
    for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(descriptor, number)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(directory)
    limits = ((resource.RLIMIT_AS, _statm(0) + ADDRESSES), (resource.RLIMIT_FSIZE, 1 << 29), (resource.RLIMIT_CORE, 0))
    for limit, amount in limits:
        resource.setrlimit(limit, (amount, resource.getrlimit(limit)[1]))
    os.environ |= {"TMPDIR": str(directory), "EDGEORBIT_CACHE": str(directory / "out-cache")}
    tempfile.tempdir = None


def allow_seconds() -> None:
    """Let this process go on for the seconds of one command."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def call(main: Callable[[], None], arguments: list[str]) -> int:
    """Run a command in this process as the shell would, and return its exit code."""
    sys.argv = ["edgeorbit", *arguments]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _wait(child: int, deadline: float) -> tuple[int, resource.struct_rusage, bool]:
    """Wait for a process, and kill it and all that it started if it is too late."""
    pause = 0.001
    while True:
        found, status, usage = os.wait4(child, os.WNOHANG)
        if found:
            return status, usage, False
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            return status, usage, True
        time.sleep(pause)
        pause = min(pause * 1.2, 0.02)


def held_memory() -> int:
    """Return the memory that this process holds, without code, which a forked one begins with."""
    return _statm(1) - _statm(2)


def most_memory() -> int:
    """Return the most memory that this process has held."""
    return _maxrss(resource.getrusage(resource.RUSAGE_SELF))


def read_output(file: IO[bytes]) -> str:
    """Return what a command printed."""
    file.seek(0)
    return file.read(OUTPUT_BYTES).decode("utf-8", "replace")


def _maxrss(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _statm(column: int) -> int:
    """Return a number of bytes from what Linux says about this process; other systems say nothing."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[column]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 40
