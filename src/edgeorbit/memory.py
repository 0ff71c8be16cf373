"""How much memory there is, for those who ask before they take it."""

import os
from pathlib import Path

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


def size_in_words(number: float) -> str:
    """Return a number of bytes for people.

    >>> size_in_words(3 * 2**30), size_in_words(5 * 2**20)
    ('3.0 GB', '5 MB')
    """
    return f"{number / 2**30:,.1f} GB" if number >= 2**29 else f"{max(1, int(number) >> 20)} MB"
