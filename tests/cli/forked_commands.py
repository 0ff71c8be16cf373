"""Commands side by side in processes of their own, forked from one that has loaded all code: soon there, and killable."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

# Makes a command of every line that it reads. What a test prepares before it may look at `command`, the line.
FORKING = """
import gc, json, os, signal, sys

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that a process that ends is gone
gc.freeze()
for line in sys.stdin:
    command = json.loads(line)
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.update(command["environment"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(command["place"] + "." + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = ["edgeorbit", *command["arguments"]]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    sys.stdout.flush()
    open(command["place"] + ".code", "w").write(str(code))
    os._exit(code)
"""


class Command:
    """A command that was started.

    Attributes
    ----------
    pid : int
        Its process, which leads a group of its own.
    place : Path
        What it writes goes to files of this name, with the endings `out`, `err` and `code`.
    """

    def __init__(self, pid: int, place: Path) -> None:
        self.pid = pid
        self.place = place

    def read(self, what: str) -> str:
        """Return what was written so far."""
        file = self.place.with_suffix(f".{what}")
        return file.read_text() if file.exists() else ""

    def is_running(self) -> bool:
        """Tell whether it goes on."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def finish(self, seconds: float = 90) -> int:
        """Wait for the end and return the exit code, -1 if it was killed."""
        wait_for(lambda: not self.is_running(), seconds)
        return int(self.read("code") or -1)


class ForkServer:
    """A process with all code in it, which commands are forked from."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._started: list[Command] = []

    def start(self, place: Path, *arguments: object, environment: Mapping[str, str], **more: object) -> Command:
        """Start a command; `more` is for what was prepared."""
        told = {"arguments": [*map(str, arguments)], "environment": dict(environment), "place": str(place)}
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(told | more) + "\n")
        self._process.stdin.flush()
        self._started.append(Command(int(self._process.stdout.readline()), place))
        return self._started[-1]

    def kill_all(self) -> None:
        """Kill what still runs."""
        for command in self._started:
            if command.read("code"):
                continue
            with suppress(ProcessLookupError):
                os.kill(command.pid, signal.SIGKILL)
        self._started.clear()


@contextmanager
def fork_server(prepare: str) -> Iterator[ForkServer]:
    """Load all code and run what a test prepares, which is Python; all ends with the block."""
    program = f"from edgeorbit.cli.main import main\n{prepare}\n{FORKING}"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        server = ForkServer(process)
        yield server
        server.kill_all()
        process.kill()


def wait_for(condition: Callable[[], object], seconds: float = 100) -> None:
    """Wait until something is true; fail if it is not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)
