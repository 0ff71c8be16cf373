"""What all tests share: the settings of hypothesis, the real data, and a cache of the tests' own."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.load_profile("suite")

# A job in the background ignores Control-C, and so would every command that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def interruptible() -> None:
    """Interruptions are exceptions again after a test that ran a command in this process, at whose end they kill."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def data_dir() -> Path:
    """The directory of real data sets; tests that need it are skipped where there is none."""
    if "EDGEORBIT_DATA" not in os.environ:
        pytest.skip("EDGEORBIT_DATA is not set: no real data sets on this machine")
    return Path(os.environ["EDGEORBIT_DATA"])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of the test's own, and no downloads."""
    monkeypatch.setenv("EDGEORBIT_OFFLINE", "1")
    monkeypatch.setenv("EDGEORBIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
