"""The raw files of a data set: found, read once, and known by their digest."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from edgeorbit.errors import DatasetNotFoundError, GraphFormatError


class RawFile(NamedTuple):
    """A file as it was read, so that what was checked is what is parsed."""

    path: Path
    content: bytes
    digest: str


def read_raw_files(
    name: str, directory: Path, files: Mapping[str, str], digests: Mapping[str, str], source: str
) -> dict[str, RawFile]:
    """Read the files of a data set, by key.

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
            content = path.read_bytes()
        except FileNotFoundError:
            raise DatasetNotFoundError(
                f"{name}: {path} is missing; put it there (it comes from {source}), "
                "or name another data directory with EDGEORBIT_DATA or --data-dir"
            ) from None
        except OSError as error:
            raise DatasetNotFoundError(f"{name}: {path} cannot be read ({error.strerror})") from None
        digest = hashlib.sha256(content).hexdigest()
        if digests.get(key, digest) != digest:
            raise GraphFormatError(
                f"{name}: {path} has the SHA-256 {digest}, not {digests[key]}; fetch it again from {source}"
            )
        raw[key] = RawFile(path, content, digest)
    return raw
