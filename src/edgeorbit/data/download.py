"""Download the files of a data set that are missing, unless EDGEORBIT_OFFLINE=1 forbids it.

What is downloaded appears whole or not at all, and nothing is written before a server has answered. Every download has
a largest size, and a time limit that follows from it, checked after every block. Files must have the SHA-256 that the
registry knows. OGB publishes none for its archives: their content is checked by the CRC-32 of every file, and by its
counts when it is read.

pooch is not used: its downloader limits neither the size nor the total time (a server that sends a byte now and then
keeps it waiting), it creates directories before a server has answered, and a killed process leaves its temporary files
behind. With a downloader of ours as its hook it would only compute the digest.
"""

import hashlib
import os
import shutil
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urlsplit

from edgeorbit import __version__
from edgeorbit._files import atomic_directory, atomic_path
from edgeorbit._text import shown
from edgeorbit.data.files import missing_file
from edgeorbit.errors import EdgeorbitError

if TYPE_CHECKING:
    from http.client import HTTPResponse

Progress = Callable[[int, int], None]

OFFLINE = "EDGEORBIT_OFFLINE"
TIMEOUT = 10.0  # seconds without an answer, or without a further byte
SLOWEST = 100_000  # bytes per second: a download may take as long as the largest one takes at that rate, and TIMEOUT
FILE_BYTES = 100_000_000  # of a file that is fetched alone; the largest has 8 MB
ARCHIVE_BYTES = 4_000_000_000  # of an archive
UNPACKED_BYTES = 10 * ARCHIVE_BYTES  # of all that is in it
BLOCK_BYTES = 1 << 18
STEPS_PER_FILE = 1000  # the sizes of all files are not known beforehand, so each counts the same


class DownloadError(Exception):
    """Why something could not be fetched, for the message that says what to do instead."""


class Remote(Protocol):
    """Where the files of a data set are fetched from."""

    def fetch(self, directory: Path, files: Mapping[str, str], progress: Progress | None) -> None:
        """Put the files that are missing into the data directory."""


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that are fetched one by one.

    Attributes
    ----------
    base : str
        The address of a folder.
    names : mapping of str
        Where each file lies in the folder, by its key.
    digests : mapping of str
        The SHA-256 that each must have.
    """

    base: str
    names: Mapping[str, str]
    digests: Mapping[str, str]

    def fetch(self, directory: Path, files: Mapping[str, str], progress: Progress | None) -> None:
        """Put the files that are missing into the data directory."""
        missing = [key for key, relative in files.items() if not (directory / relative).exists()]
        for place, key in enumerate(missing):
            url = f"{self.base}/{quote(self.names[key])}"
            fetch_file(url, directory / files[key], self.digests[key], _share(progress, place, len(missing)))


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip archive with a folder that becomes a folder of the data directory.

    Attributes
    ----------
    url : str
        The address of the archive.
    folder : str
        The folder in it.
    target : str
        What the folder is called below the data directory.
    """

    url: str
    folder: str
    target: str

    def fetch(self, directory: Path, files: Mapping[str, str], progress: Progress | None) -> None:
        """Put the folder into the data directory, if the files are in it."""
        target = directory / self.target
        if target.exists() and any(target.iterdir()):
            raise DownloadError(f"{target} is there but incomplete; move it away, and the whole is fetched again")
        with _download(self.url, ARCHIVE_BYTES, progress) as blocks:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory) as file:
                file.writelines(blocks)
                with _reading_zip(self.url), zipfile.ZipFile(file) as archive, atomic_directory(target) as temporary:
                    _unpack(archive, self.folder, temporary)
                    for relative in files.values():
                        inside = PurePosixPath(relative).relative_to(self.target)
                        if not (temporary / inside).is_file():
                            raise DownloadError(f"there is no {inside} in {self.url}")


def downloads_allowed() -> bool:
    """Tell whether the user lets us use the network: unless EDGEORBIT_OFFLINE is set to anything but 0."""
    return os.environ.get(OFFLINE, "") in ("", "0")


def fetch_missing(
    name: str, directory: Path, files: Mapping[str, str], source: str, remote: Remote, progress: Progress | None = None
) -> None:
    """Fetch the files of a data set that are not in the data directory, if that is allowed and can be written.

    Parameters
    ----------
    name, source
        What the data set is called and where its files come from, for messages.
    directory
        The data directory; it is made if need be.
    files
        The path of every file below the directory, by key.
    remote
        Where to fetch them.
    progress
        Called as `progress(done, total)` now and then.

    Raises
    ------
    DatasetNotFoundError
        If a file could not be fetched. The message says why, and what to put where.
    """
    missing = next((directory / path for path in files.values() if not (directory / path).exists()), None)
    if missing is None or not downloads_allowed() or not _is_writable(directory):
        return
    try:
        remote.fetch(directory, files, progress)
    except DownloadError as error:
        raise missing_file(name, missing, source, str(error)) from None
    except OSError as error:
        raise missing_file(name, missing, source, shown(error.strerror or error, 120)) from None


def fetch_file(url: str, path: Path, sha256: str, progress: Progress | None = None) -> None:
    """Fetch a file and put it in place if it has the right SHA-256.

    Raises
    ------
    DownloadError
        If there is no connection, or what comes is something else.
    """
    with _download(url, FILE_BYTES, progress) as blocks:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            state = hashlib.sha256()
            for block in blocks:
                state.update(block)
                file.write(block)
            if state.hexdigest() != sha256:
                raise DownloadError(f"{url} has the SHA-256 {state.hexdigest()}, not {sha256}")


@contextmanager
def _download(url: str, max_bytes: int, progress: Progress | None) -> Iterator[Iterator[bytes]]:
    """Open an address and give its content in blocks, within a limit on size and on time."""
    from urllib.request import Request, urlopen  # not for commands that fetch nothing

    seconds = TIMEOUT + max_bytes / SLOWEST
    end = time.monotonic() + seconds

    def check(size: int) -> None:
        if size > max_bytes:
            raise DownloadError(f"{url} has more than {max_bytes / 1e6:,.0f} MB, which no such file has")
        if time.monotonic() > end:
            raise DownloadError(f"{url} did not arrive within {seconds:,.0f} seconds")

    def blocks() -> Iterator[bytes]:
        total, done = response.length, 0  # None if the server does not tell
        while block := _read_block(response, url):
            done += len(block)
            check(done)
            yield block
            if progress is not None and total:
                progress(done, total)
        if total is not None and done != total:
            raise DownloadError(f"{url} broke off after {done} of {total} bytes")

    with _explaining(url):
        response = urlopen(Request(url, headers={"User-Agent": f"edgeorbit/{__version__}"}), timeout=TIMEOUT)
    with response:
        check(response.length or 0)
        yield blocks()


def _read_block(response: "HTTPResponse", url: str) -> bytes:
    """Return what has arrived, however little: a slow server must not hold up the check of the time."""
    with _explaining(url):
        return response.read1(BLOCK_BYTES)


@contextmanager
def _explaining(url: str) -> Iterator[None]:
    """Turn errors of a connection into one sentence."""
    from http.client import HTTPException
    from urllib.error import HTTPError

    host = urlsplit(url).hostname
    try:
        yield
    except HTTPError as error:
        raise DownloadError(f"{host} answers {error.code} to {url}") from None
    except HTTPException as error:
        raise DownloadError(f"{host} sends no proper answer: {shown(error or type(error).__name__, 80)}") from None
    except OSError as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise DownloadError(f"{host} does not answer within {TIMEOUT:.0f} seconds") from None
        detail = shown(getattr(reason, "strerror", None) or reason, 80)
        raise DownloadError(f"no connection to {host}: {detail}") from None


@contextmanager
def _reading_zip(url: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, EdgeorbitError):
            raise
        raise DownloadError(f"{url} is no readable zip archive: {shown(error, 80)}") from None


def _unpack(archive: zipfile.ZipFile, folder: str, target: Path) -> None:
    """Write the files of a folder of an archive below a directory, and nowhere else."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    for member in members:
        parts = PurePosixPath(member.filename.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts or ":" in member.filename or not member.filename.isprintable():
            raise DownloadError(f"the archive has a file {shown(member.filename)!r}, which lies outside of it")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise DownloadError(f"the archive has a link {shown(member.filename)!r}")
    wanted = {
        member: PurePosixPath(member.filename).relative_to(folder)
        for member in members
        if PurePosixPath(member.filename).is_relative_to(folder)
    }
    size, free = sum(member.file_size for member in wanted), shutil.disk_usage(target).free
    if size > UNPACKED_BYTES:
        raise DownloadError(f"it unpacks to {size / 1e9:,.0f} GB, which no such archive does")
    if size > free:
        raise DownloadError(f"it unpacks to {size / 1e9:.1f} GB and {free / 1e9:.1f} GB are free")
    for member, inside in wanted.items():
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, (target / inside).open("wb") as file:
            shutil.copyfileobj(packed, file)


def _share(progress: Progress | None, place: int, count: int) -> Progress | None:
    """Return a callback for one of several files that reports to the callback for all of them."""
    if progress is None:
        return None
    whole = progress
    return lambda done, total: whole(STEPS_PER_FILE * place + STEPS_PER_FILE * done // total, STEPS_PER_FILE * count)


def _is_writable(directory: Path) -> bool:
    existing = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)
