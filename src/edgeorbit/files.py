"""Files that are written whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgeorbit.errors import EdgeorbitError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the same directory, and put what was written there in place at the end.

    If the block raises, or the disk is full, the temporary file is removed and an older file of that name is as it
    was. The temporary name ends as the real one does, for writers that look at the suffix. A device or a pipe, such
    as `/dev/stdout`, cannot be replaced and is written to directly.

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
    shown = str(path) if str(path).isprintable() else repr(str(path))
    try:
        if target.is_dir():
            raise EdgeorbitError(f"{shown}: is a directory; give the name of a file in it")
        if target.exists() and not target.is_file():
            yield target
            return
        target = Path(os.path.realpath(target))  # a link stays one, and what it points to is replaced
        temporary = _create_beside(target)
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
    except OSError as error:
        reason = error.strerror or str(error).splitlines()[0]
        raise EdgeorbitError(f"{shown}: cannot be written ({reason}); {_way_out(error)}") from None


def _create_beside(target: Path) -> Path:
    """Create an empty file next to the target, with the access rights that a new file gets here."""
    suffix = "".join(target.suffixes)[-20:]
    temporary = target.with_name(f".edgeorbit-{secrets.token_hex(6)}{suffix}")
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
