"""Directories for unfinished work, which are removed when it ends, also if its process was killed.

Each has a file that is locked as long as the process lives. The system ends a lock with its process, however that ends,
so a process that can lock the file knows that no other one is at work there.
"""

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

TEMPORARY = ".edgeorbit-"  # what the names of such directories begin with
LOCK = "lock"
_OURS = re.compile(rf"{re.escape(TEMPORARY)}[0-9a-f]{{12}}")


def is_temporary(entry: Path) -> bool:
    """Tell whether an entry of a directory is unfinished work."""
    return entry.name.startswith(TEMPORARY)


def remove_leftovers(directory: Path) -> None:
    """Remove unfinished work that processes left in a directory when they were killed, and no other's.

    Whether a process lives is known by its lock, so nothing is removed where there are no locks; see
    `edgeorbit._files.locked`.
    """
    with suppress(OSError):
        for place in list(directory.iterdir()):
            if not _OURS.fullmatch(place.name) or place.is_symlink():
                continue
            with suppress(OSError):
                _remove_leftover(place)


def _remove_leftover(place: Path) -> None:
    try:
        descriptor = os.open(place / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        place.rmdir()  # a kill before there was a lock leaves it empty; a process that lives makes it once more
        return
    try:
        if HAS_LOCKS:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if the process lives
            if _is_still_there(place / LOCK, descriptor):
                _remove_workplace(place)
    finally:
        os.close(descriptor)


@contextmanager
def workplace(directory: Path) -> Iterator[Path]:
    """Give a new directory for unfinished work, and remove those of processes that were killed."""
    remove_leftovers(directory)
    place = directory / f"{TEMPORARY}{secrets.token_hex(6)}"
    place.mkdir()
    descriptor = None
    try:
        if HAS_LOCKS:
            descriptor = lock_file(place / LOCK, needed=False)
        yield place
    finally:
        with suppress(OSError):
            _remove_workplace(place)
        if descriptor is not None:
            os.close(descriptor)


def _remove_workplace(place: Path) -> None:
    """Remove a directory, its lock last: without it, the rest could not be recognised as left over."""
    for entry in place.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != LOCK:
            entry.unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)


def lock_file(path: Path, *, needed: bool = True, wait: bool = True) -> int:
    """Create a file, lock it, and return its descriptor; not locked if the file system knows no locks.

    Raises
    ------
    BlockingIOError
        If another process has the lock, and this one is not to wait for it.
    OSError
        If the file cannot be created; or not locked, unless that is not needed.
    """
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            with suppress(FileExistsError):  # others create and remove the directory at the same time
                path.parent.mkdir(parents=True)
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still_there(path, descriptor):
                return descriptor
        except OSError as error:
            if error.errno != errno.ESTALE:  # another machine removed it meanwhile
                if not needed:
                    return descriptor
                os.close(descriptor)
                raise
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still_there(path: Path, descriptor: int) -> bool:
    """Tell whether the open file is the one that has this name now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
