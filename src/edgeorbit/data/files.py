"""The raw files of a data set: found, read once, and known by their digest."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from edgeorbit.errors import DatasetNotFoundError, GraphFormatError
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import Source

BYTES_PER_BYTE = 4  # the file, and what is parsed from it


class RawFile(NamedTuple):
    """A file as it was read, so that what was checked is what is parsed; a large one is left where it is."""

    path: Path
    digest: str
    content: bytes = b""


def read_raw_files(
    name: str,
    directory: Path,
    files: Mapping[str, str],
    digests: Mapping[str, str],
    source: str,
    *,
    keep_content: bool = True,
) -> dict[str, RawFile]:
    """Read the files of a data set, by key.

    Parameters
    ----------
    name, source
        What the data set is called and where its files come from, for messages.
    directory
        The data directory.
    files
        The path of every file below the directory, by key.
    digests
        The SHA-256 that files must have, by key.
    keep_content
        Whether to keep what was read; of large files only the digest is wanted.

    Raises
    ------
    DatasetNotFoundError
        If a file is not in the directory.
    GraphFormatError
        If a file has another digest than the one in `digests`.
    """
    raw: dict[str, RawFile] = {}
    for key, relative in files.items():
        path = directory / relative
        try:
            found = _read(path, keep_content)
        except FileNotFoundError:
            raise missing_file(name, path, source) from None
        except OSError as error:
            raise DatasetNotFoundError(f"{name}: {path} cannot be read ({error.strerror})") from None
        except GraphFormatError as error:  # a directory, a device or a pipe
            raise DatasetNotFoundError(f"{name}: {error}") from None
        if digests.get(key, found.digest) != found.digest:
            raise GraphFormatError(
                f"{name}: {path} has the SHA-256 {found.digest}, not {digests[key]}; fetch it again from {source}"
            )
        raw[key] = found
    return raw


def missing_file(name: str, path: Path, source: str, reason: str | None = None) -> DatasetNotFoundError:
    """Return the error that says what to put where, and if fetching it was tried in vain, why it was in vain.

    >>> print(missing_file("ns", Path("data/NS.mat"), "a friend", "no connection"))
    ns: data/NS.mat is missing and could not be fetched (no connection); put it there (it comes from a friend), or
    name another data directory with EDGEORBIT_DATA or --data-dir
    """
    state = "is missing" if reason is None else f"is missing and could not be fetched ({reason})"
    return DatasetNotFoundError(
        f"{name}: {path} {state}; put it there (it comes from {source}), "
        "or name another data directory with EDGEORBIT_DATA or --data-dir"
    )


def _read(path: Path, keep_content: bool) -> RawFile:
    source = Source(path)
    if keep_content:
        require_memory(source.shown, BYTES_PER_BYTE * source.size)
        content = path.read_bytes()
        return RawFile(path, hashlib.sha256(content).hexdigest(), content)
    with path.open("rb") as file:
        return RawFile(path, hashlib.file_digest(file, "sha256").hexdigest())
