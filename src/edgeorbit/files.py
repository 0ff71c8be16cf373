"""Files and directories that are written whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgeorbit.errors import EdgeorbitError

TEMPORARY = ".edgeorbit-"  # what the names of unfinished files and directories begin with


@contextmanager
def atomic_path(path: str | os.PathLike[str], within: Path | None = None) -> Iterator[Path]:
    """Give a temporary path in the same directory, and put what was written there in place at the end.

    If the block raises, or the disk is full, the temporary file is removed and an older file of that name is as it
    was. The temporary name ends as the real one does, for writers that look at the suffix. A device or a pipe, such
    as `/dev/stdout`, cannot be replaced and is written to directly.

    Parameters
    ----------
    path
        The file.
    within
        Another directory of the same disk for the temporary file: where one process at a time writes, what lies there
        at the start was left by a kill and can be removed.

    Raises
    ------
    EdgeorbitError
        If the file cannot be written. The message names the file and the reason.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     with atomic_path(Path(directory, "a.txt")) as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [(file.name, file.read_text()) for file in Path(directory).iterdir()]
    [('a.txt', 'whole')]
    """
    target = Path(path)
    with _one_sentence(path) as shown:
        if target.is_dir():
            raise EdgeorbitError(f"{shown}: is a directory; give the name of a file in it")
        if target.exists() and not target.is_file():
            yield target
            return
        target = Path(os.path.realpath(target))  # a link stays one, and what it points to is replaced
        temporary = _create_beside(target if within is None else within / target.name)
        try:
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _sync_directory(target.parent)


@contextmanager
def atomic_directory(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    ours: Callable[[Path], bool] = lambda entry: False,
    last: str = "",
) -> Iterator[Path]:
    """Give an empty temporary directory, and put what was written there in place at the end.

    Parents that do not exist are created. If the block raises, nothing is left behind. A directory that exists is
    filled and not replaced by another one: it may be the current directory, or a disk of its own.

    Parameters
    ----------
    path
        The directory. It must not exist, or be empty.
    force
        Allow a directory that is not empty. The entries of it that are `ours` are replaced by the new ones, all others
        stay.
    ours
        Tells whether an entry of the old directory belongs to what is being written.
    last
        The name of the entry that tells that the directory is complete: the first to go, and the last to come.

    Raises
    ------
    EdgeorbitError
        If the directory is not empty, or cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     with atomic_directory(Path(place, "a", "b")) as temporary:
    ...         _ = (temporary / "c.txt").write_text("whole")
    ...     Path(place, "a", "b", "c.txt").read_text()
    'whole'
    """
    target = Path(os.path.realpath(path))
    check_free_directory(path, force)
    with _one_sentence(path):
        missing = [parent for parent in target.parents if not parent.exists()]
        temporary = (target if target.exists() else target.parent) / f"{TEMPORARY}{secrets.token_hex(6)}"
        try:
            temporary.mkdir(parents=True)
            yield temporary
            for file in temporary.rglob("*"):
                if file.is_file():
                    with file.open("rb+") as opened:
                        os.fsync(opened.fileno())
            _put_in_place(temporary, target, ours, last)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            with suppress(OSError):
                for parent in missing:
                    parent.rmdir()
            raise
        _sync_directory(target.parent)


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process at a time into the block, of all that lock the same file.

    The file and its directory are created if need be, and stay; `path` is a file for this purpose alone, as one that is
    replaced while others wait for it would lock nobody out. Whoever is in the block may remove both: those who wait
    notice, and lock the next one.

    The lock ends with the process that holds it, however it ends. Machines that share a directory are kept apart as
    far as their file system does that: NFS from version 4 does (or 3 with its lock daemon), unless it is mounted with
    `nolock` or `local_lock`; Lustre needs the mount option `flock`. Where a system has no such locks (Windows),
    nobody waits.

    Raises
    ------
    EdgeorbitError
        If the file cannot be created, or its file system knows no locks.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory, locked(Path(directory, "lock")):
    ...     pass
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    while True:
        with _one_sentence(path):
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:
                with suppress(FileExistsError):  # others create and remove the directory at the same time
                    Path(path).parent.mkdir(parents=True)
                continue
        try:
            with _one_sentence(path):
                if not _lock(fcntl.flock, descriptor, fcntl.LOCK_EX) or not _is_still_there(path, descriptor):
                    continue
            yield
            return
        finally:
            os.close(descriptor)  # which unlocks it


def _lock(flock: Callable[[int, int], None], descriptor: int, how: int) -> bool:
    """Lock an open file; False if another machine removed it meanwhile."""
    try:
        flock(descriptor, how)
    except OSError as error:
        if error.errno == errno.ESTALE:
            return False
        raise
    return True


def _is_still_there(path: str | os.PathLike[str], descriptor: int) -> bool:
    """Tell whether the open file is the one that has this name now."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def check_free_directory(path: str | os.PathLike[str], force: bool = False) -> None:
    """Raise `EdgeorbitError` unless there is no such directory, or it is empty, or that does not matter."""
    target = Path(path)
    with _one_sentence(path) as shown:
        if target.exists() and not target.is_dir():
            raise EdgeorbitError(f"{shown}: is a file; give the name of a directory")
        if target.exists() and not force and any(not _is_temporary(entry) for entry in target.iterdir()):
            raise EdgeorbitError(f"{shown}: is not empty; choose another directory, or add --force to write into it")


def make_directory(path: str | os.PathLike[str]) -> None:
    """Create a directory and its parents, unless they are there.

    Raises
    ------
    EdgeorbitError
        If it is a file, or cannot be created.
    """
    check_free_directory(path, force=True)
    with _one_sentence(path):
        Path(path).mkdir(parents=True, exist_ok=True)


def _put_in_place(new: Path, target: Path, ours: Callable[[Path], bool], last: str) -> None:
    """Rename the new directory; if there is an older one, exchange the entries of it that are ours."""
    if not target.exists():
        new.replace(target)
        return
    names = {entry.name for entry in new.iterdir()}
    foreign = next((entry for entry in target.iterdir() if entry.name in names and not ours(entry)), None)
    if foreign is not None:
        raise EdgeorbitError(f"{foreign}: is in the way, and not all of it was written by edgeorbit; move it away")
    old = new.with_name(f"{new.name}-old")
    old.mkdir()
    leaving = sorted(filter(ours, target.iterdir()), key=lambda entry: entry.name != last)
    coming = sorted(new.iterdir(), key=lambda entry: entry.name == last)
    moved: list[tuple[Path, Path]] = []
    try:
        for entry, place in [*((entry, old) for entry in leaving), *((entry, target) for entry in coming)]:
            entry.rename(place / entry.name)
            moved.append((entry, place))
    except BaseException:
        for entry, place in reversed(moved):
            (place / entry.name).rename(entry)
        old.rmdir()
        raise
    new.rmdir()
    shutil.rmtree(old, ignore_errors=True)


def _is_temporary(entry: Path) -> bool:
    return entry.name.startswith(TEMPORARY)


@contextmanager
def _one_sentence(path: str | os.PathLike[str]) -> Iterator[str]:
    """Turn what the system says into one sentence of ours; gives the path as it is shown."""
    shown = str(path) if str(path).isprintable() else repr(str(path))
    try:
        yield shown
    except OSError as error:
        reason = error.strerror or str(error).splitlines()[0]
        raise EdgeorbitError(f"{shown}: cannot be written ({reason}); {_way_out(error)}") from None


def _create_beside(target: Path) -> Path:
    """Create an empty file next to the target, with the access rights that a new file gets here."""
    suffix = "".join(target.suffixes)[-20:]
    temporary = target.with_name(f"{TEMPORARY}{secrets.token_hex(6)}{suffix}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return temporary


def _sync_directory(directory: Path) -> None:
    """Make the new name survive a power cut, where the system can do that for directories."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _way_out(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "create the directory first"
    if isinstance(error, PermissionError):
        return "choose a directory that you may write to"
    return "free some space or choose another directory"
