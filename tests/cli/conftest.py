"""Running the command line inside the test process, as a user's shell would."""

import signal
from collections.abc import Callable
from typing import NamedTuple

import pytest


class Outcome(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `edgeorbit` with arguments."""
    from edgeorbit.cli.main import main

    # What commands print must not depend on how long they take.
    monkeypatch.setattr("edgeorbit.cli.console.LOG_AFTER_SECONDS", float("inf"))

    def run_command(*arguments: object) -> Outcome:
        monkeypatch.setattr("sys.argv", ["edgeorbit", *map(str, arguments)])
        handler = signal.getsignal(signal.SIGINT)
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            signal.signal(signal.SIGINT, handler)
        return Outcome(code, *capsys.readouterr())

    return run_command
