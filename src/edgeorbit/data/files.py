"""Files of data sets: where they lie, raw files read once and known by their digest, and parsed graphs on disk.

A parsed graph is stored under the digest of the raw files that it was made from, so a changed raw file never meets an
old result. Arrays are stored without pickle. The store is only ever a shortcut: if it cannot be read or written, the
graph is parsed again.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._files import atomic_path, write_npz
from edgeorbit._memory import require_memory
from edgeorbit.errors import DatasetNotFoundError, EdgeorbitError, GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.npz_layout import feature_arrays, features_from
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz

BYTES_PER_BYTE = 4  # the file, and what is parsed from it
FORMAT = 1  # raise it when what is stored, or how raw files are read, changes


class RawFile(NamedTuple):
    """A file as it was read, so that what was checked is what is parsed; a large one is left where it is."""

    path: Path
    digest: str
    content: bytes = b""


def cache_dir() -> Path:
    """Return edgeorbit's own directory: `$EDGEORBIT_CACHE`, else `edgeorbit` in the user's cache directory."""
    own = os.environ.get("EDGEORBIT_CACHE")
    if own:
        return Path(own).expanduser()
    user = os.environ.get("XDG_CACHE_HOME")
    return (Path(user) if user else Path("~/.cache").expanduser()) / "edgeorbit"


def resolve_data_dir(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Return the directory of data set files: the given one, else `$EDGEORBIT_DATA`, else `data` in `cache_dir()`.

    Files of a data set that are missing are fetched into it, where there is a network. Nothing else is ever written
    there, so it may be read-only and shared.

    >>> resolve_data_dir("graphs").as_posix()
    'graphs'
    """
    chosen = data_dir or os.environ.get("EDGEORBIT_DATA")
    return Path(chosen).expanduser() if chosen else cache_dir() / "data"


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


def derived_path(name: str, digests: Iterable[str]) -> Path:
    """Return where the graph parsed from raw files with these SHA-256 digests is kept."""
    key = hashlib.sha256("\n".join([str(FORMAT), name, *digests]).encode()).hexdigest()
    return cache_dir() / "derived" / f"{name}-{key[:32]}.npz"


def load_derived(path: Path, *, name: str, features: bool) -> Graph | None:
    """Return the stored graph, or None if there is none that can be read."""
    try:
        with open_npz(Source(path)) as stored:
            merged_edges, self_loops = stored["dropped"].tolist()
            return Graph(
                stored["indptr"],
                stored["indices"],
                x=features_from(stored) if features else None,
                y=stored.get("y"),
                name=name,
                merged_edges=merged_edges,
                self_loops=self_loops,
            )
    except (OSError, EdgeorbitError):
        return None  # absent, cut short or foreign: the raw files are parsed again


def store_derived(path: Path, graph: Graph) -> None:
    """Store a graph without node names; do nothing where the directory cannot be written."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "dropped": np.array([graph.merged_edges, graph.self_loops]),
    }
    try:
        arrays |= feature_arrays(graph)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            write_npz(temporary, arrays)
    except (OSError, ValueError, EdgeorbitError):
        return
