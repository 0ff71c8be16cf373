"""The peak of memory during a call, beside what was in use before it."""

import ctypes
import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class Peak:
    """The growth of memory in bytes, once the block that measured it has ended."""

    grown: int = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Measure how much memory the block needs at its peak, beside what is in use at its start."""
    peak = Peak()
    gc.collect()
    _return_free_memory()
    resettable = _reset_peak()
    before = _resident() if resettable else _peak()
    yield peak
    peak.grown = max(0, _peak() - before)


def _return_free_memory() -> None:
    """Give what the allocator holds back to the system, so that its reuse is counted again."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _reset_peak() -> bool:
    """Set the peak back to what is in use; where the system refuses, only growth beyond the old peak is seen."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def _resident() -> int:
    return _status("VmRSS")


def _peak() -> int:
    if _STATUS.exists():
        return _status("VmHWM")
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage if sys.platform == "darwin" else usage * 1024


def _status(key: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024
