"""How much memory is available: ask before allocating."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgeorbit.errors import LimitExceededError

MEMINFO = Path("/proc/meminfo")
STATUS = Path("/proc/self/status")
GROUPS = Path("/proc/self/cgroup")
GROUP_FILES = Path("/sys/fs/cgroup")
# What the kernel sets against each limit of the process; beside it, what `/proc/self/status` calls its use.
PROCESS_LIMITS = (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData"))

# Parameters of glibc's `mallopt`, each with its value while memory is kept, and the one that its own rules end at.
ARENAS, MAPPED_BLOCKS, MAP_ABOVE, TRIM_ABOVE = -8, -4, -3, -1
KEPT = ((ARENAS, 1), (MAPPED_BLOCKS, 0), (TRIM_ABOVE, 2**31 - 1))
USUAL = ((ARENAS, 0), (MAPPED_BLOCKS, 65_536), (MAP_ABOVE, 1 << 25), (TRIM_ABOVE, 1 << 26))


@contextmanager
def keeping_memory() -> Iterator[None]:
    """Keep what is freed in the block for what is allocated next, and return it to the system at the end.

    A process that allocates and frees the same large arrays again and again gets fresh pages for them each time, which
    the system has to clear one by one: that can take several times as long as what is computed in them. Nothing is
    changed where the allocator is not glibc's.
    """
    library = _glibc()
    if library is None:
        yield
        return
    for parameter, value in KEPT:
        library.mallopt(parameter, value)
    try:
        yield
    finally:
        for parameter, value in USUAL:
            library.mallopt(parameter, value)
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """Return the C library of this process, if it is glibc."""
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        if library.gnu_get_libc_version and library.mallopt and library.malloc_trim:
            return library
    return None


def available_memory() -> int | None:
    """Return the bytes that this process can allocate without swapping, or None if the system does not say.

    That is what the machine has left, or less if the process (`ulimit`) or its control group, a container for
    instance, may not have all of it.
    """
    bounds = [_left_on_machine(), *_left_in_process(), *_left_in_groups()]
    known = [max(0, bound) for bound in bounds if bound is not None]
    return min(known) if known else None


def require_memory(name: str, needed: int) -> None:
    """Raise an error that names the file if reading it needs more bytes than are available."""
    available = available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{name}: reading it takes about {size_in_words(needed)} of memory and {size_in_words(available)} are "
            "available; use a larger machine or a part of the graph"
        )


def peak_memory() -> int | None:
    """Return the most bytes of memory that this process had, or had since `forget_peak`; None if it is not known."""
    try:
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def forget_peak() -> None:
    """Let the peak begin at what the process has now, where the system can do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def size_in_words(number: float) -> str:
    """Return a number of bytes for people.

    >>> size_in_words(3 * 2**30), size_in_words(5 * 2**20)
    ('3.0 GB', '5 MB')
    """
    return f"{number / 2**30:,.1f} GB" if number >= 2**29 else f"{max(1, int(number) >> 20)} MB"


def _left_on_machine() -> int | None:
    available = _kilobytes(MEMINFO).get("MemAvailable")
    if available is not None:
        return available
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None


def _left_in_process() -> Iterator[int]:
    """Yield what the limits of the process leave."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [(resource.getrlimit(getattr(resource, name))[0], used) for name, used in PROCESS_LIMITS]
    if all(limit == resource.RLIM_INFINITY for limit, _ in limits):
        return
    held = _kilobytes(STATUS)
    yield from (limit - held.get(used, 0) for limit, used in limits if limit != resource.RLIM_INFINITY)


def _left_in_groups() -> Iterator[int]:
    """Yield what the control group of the process, and those that it is part of, leave; of either version."""
    with suppress(OSError, ValueError):
        for line in GROUPS.read_text().splitlines():
            _, controllers, name = line.split(":", 2)
            if controllers == "memory":
                root, most, used = GROUP_FILES / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            elif not controllers:
                root, most, used = GROUP_FILES, "memory.max", "memory.current"
            else:
                continue
            group = root / name.strip("/")
            # In a container the group may have another name inside than outside, and only the root is there.
            for place in (group, *group.parents[: len(group.parts) - len(root.parts)]):
                with suppress(OSError, ValueError):  # no such file, or "max"
                    limit = int((place / most).read_text())
                    stat = dict(line.split() for line in (place / "memory.stat").read_text().splitlines())
                    cache = int(stat.get("total_inactive_file", stat.get("inactive_file", 0)))  # given back on demand
                    yield limit - int((place / used).read_text()) + cache


def _kilobytes(file: Path) -> dict[str, int]:
    """Return the lines of a file in `/proc` that give kilobytes, in bytes."""
    found = {}
    with suppress(OSError, ValueError):
        for line in file.read_text().splitlines():
            key, _, value = line.partition(":")
            if value.endswith(" kB"):
                found[key] = int(value.split()[0]) * 1024
    return found
