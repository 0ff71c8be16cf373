"""Whether a file will fit into memory, asked before it is read."""

import os
from pathlib import Path

from edgeorbit.errors import LimitExceededError

MEMINFO = Path("/proc/meminfo")


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping, or None if the system does not tell."""
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None


def require_memory(name: str, needed: int) -> None:
    """Raise an error that names the file if `needed` bytes are more than there are."""
    available = available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{name}: reading it takes about {_size(needed)} of memory and {_size(available)} are available; "
            "use a larger machine or a part of the graph"
        )


def _size(number: int) -> str:
    return f"{number / 2**30:.1f} GB" if number >= 2**29 else f"{max(1, number >> 20)} MB"
