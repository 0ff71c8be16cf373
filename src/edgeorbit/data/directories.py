"""Where data sets are read from, and where what is derived from them may be kept."""

import os
from pathlib import Path


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
