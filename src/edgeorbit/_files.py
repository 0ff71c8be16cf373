"""Files and directories that are written whole or not at all."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from edgeorbit._unfinished import HAS_LOCKS, is_temporary, lock_file, remove_leftovers, workplace
from edgeorbit.errors import EdgeorbitError

if TYPE_CHECKING:
    import numpy as np


class InUseError(EdgeorbitError):
    """Another process holds a lock."""


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path on the same disk, and put what was written there in place at the end.

    If the block raises, or the disk is full, the temporary file is removed and an older file of that name is as it
    was. The temporary file has the same name, for writers that look at the suffix, in a directory beside the real one.
    If the process is killed, the next one that writes there removes it. A device or a pipe, such as `/dev/stdout`,
    cannot be replaced and is written to directly.

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
    with _one_sentence(path):
        if target.is_dir():
            raise EdgeorbitError(f"{path}: is a directory; give the name of a file in it")
        if target.exists() and not target.is_file():
            yield target
            return
        target = Path(os.path.realpath(target))  # a link stays one, and what it points to is replaced
        with workplace(target.parent) as place:
            temporary = place / target.name
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # the rights of any new file
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
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
        beside = target if target.exists() else target.parent
        try:
            if missing:
                beside.mkdir(parents=True, exist_ok=True)
            with workplace(beside) as place:
                temporary = place / "new"
                temporary.mkdir()
                yield temporary
                for file in temporary.rglob("*"):
                    if file.is_file():
                        with file.open("rb+") as opened:
                            os.fsync(opened.fileno())
                _put_in_place(temporary, target, ours, last)
        except BaseException:
            with suppress(OSError):
                for parent in missing:
                    parent.rmdir()
            raise
        _sync_directory(target.parent)


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: bool = True) -> Iterator[None]:
    """Let one process at a time into the block, of all that lock the same file.

    The file and its directory are created if need be, and stay; `path` is a file for this purpose alone, as one that is
    replaced while others wait for it would lock no process out. The process in the block may remove both: those that
    wait notice, and lock the next one.

    The lock ends with the process that holds it, however it ends. Machines that share a directory are kept apart as
    far as their file system does that: NFS from version 4 does (or 3 with its lock daemon), unless it is mounted with
    `nolock` or `local_lock`; Lustre needs the mount option `flock`. Where a system has no such locks (Windows),
    no process waits.

    Raises
    ------
    InUseError
        If another process is in the block, unless this one is to `wait` for it.
    EdgeorbitError
        If the file cannot be created, or its file system knows no locks.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory, locked(Path(directory, "lock")):
    ...     pass
    """
    if not HAS_LOCKS:
        yield
        return
    try:
        with _one_sentence(path):
            descriptor = lock_file(Path(path), wait=wait)
    except BlockingIOError:
        raise InUseError("another process has the lock") from None
    try:
        yield
    finally:
        os.close(descriptor)  # which unlocks it


def check_free_directory(path: str | os.PathLike[str], force: bool = False) -> None:
    """Raise `EdgeorbitError` unless there is no such directory, or it is empty, or that does not matter.

    What a process left there or beside it when it was killed is removed.
    """
    target = Path(path)
    for directory in (target.parent, target):
        remove_leftovers(directory)
    with _one_sentence(path):
        if target.exists() and not target.is_dir():
            raise EdgeorbitError(f"{path}: is a file; give the name of a directory")
        if target.exists() and not force and any(not is_temporary(entry) for entry in target.iterdir()):
            raise EdgeorbitError(f"{path}: is not empty; choose another directory, or add --force to write into it")


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


@contextmanager
def _one_sentence(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says into one sentence of ours."""
    try:
        yield
    except BlockingIOError:
        raise
    except OSError as error:
        reason = error.strerror or str(error).splitlines()[0]
        raise EdgeorbitError(f"{path}: cannot be written ({reason}); {_way_out(error)}") from None


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


def write_npz(file: str | os.PathLike[str] | IO[bytes], arrays: "Mapping[str, np.ndarray[Any, Any]]") -> None:
    """Write named arrays as `numpy.savez` does, but never with pickles.

    Before numpy 2.2 that took `allow_pickle` for the name of one more array, and left the archive open if the disk was
    full.

    >>> import io, numpy as np
    >>> file = io.BytesIO()
    >>> write_npz(file, {"x": np.arange(3)})
    >>> _ = file.seek(0)
    >>> np.load(file)["x"].tolist()
    [0, 1, 2]
    """
    import zipfile

    from numpy.lib.format import write_array

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                write_array(entry, array, allow_pickle=False)
