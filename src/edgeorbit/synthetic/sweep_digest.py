"""A digest of all that a sweep depends on, so that stored graphs are only ever those that were asked for."""

import hashlib
import json
import os
import pickle
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.data.loading import named_dataset
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

FORMAT = 2  # raise it when generators make other graphs, or the attributes of the stored ones change


def sweep_digest(
    settings: Mapping[str, Any],
    source: Graph | str | os.PathLike[str] | None,
    data_dir: str | os.PathLike[str] | None,
    functions: Mapping[str, bytes | None],
) -> str:
    """Return a digest of the settings of a sweep, the content of its source, and the version of the package.

    Parameters
    ----------
    settings
        Names and values that JSON can hold.
    source
        The graph that synthetic ones are made from; what counts is its content, not its place.
    data_dir
        Where data sets are.
    functions
        The pickles of functions that change the stored graphs, as `pickled` gives them.

    Examples
    --------
    >>> digests = [sweep_digest({"seed": seed}, "karate", None, {}) for seed in (0, 0, 1)]
    >>> digests[0] == digests[1] != digests[2]
    True
    """
    described = {
        "format": FORMAT,
        "settings": settings,
        "source": _source_digests(source, data_dir),
        "functions": {name: _sha256(value) if value is not None else None for name, value in functions.items()},
    }
    return _sha256(json.dumps(described, sort_keys=True, default=_plain).encode())


def pickled(function: Any) -> bytes | None:
    """Return the pickle of a function or transform, its settings included; None if it has none, as lambdas do.

    >>> pickled(len) is None, pickled(lambda data: data) is None
    (False, True)
    """
    try:
        return pickle.dumps(function, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _source_digests(source: Graph | str | os.PathLike[str] | None, data_dir: Any) -> dict[str, str] | None:
    """Return the digests of the parts of a source, by their names."""
    if source is None:
        return None
    if isinstance(source, Graph):
        return _graph_digests(source)
    path, dataset = Path(source), named_dataset(source)
    if dataset is None and not path.exists():
        return {"generator": os.fspath(source).lower()}
    if dataset is None:
        # The names count, because the suffix of a file says how it is read.
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return _file_digests({file.relative_to(path.parent).as_posix(): file for file in files})
    # Digests that the registry knows serve without the files.
    unknown = {key: file for key, file in dataset.files.items() if key not in dataset.digests}
    directory = resolve_data_dir(data_dir)
    found = _file_digests({key: directory / file for key, file in unknown.items()})
    return {"dataset": dataset.name, **dataset.digests, **found}


def _file_digests(files: Mapping[str, Path]) -> dict[str, str]:
    digests = {}
    for name, path in files.items():
        with suppress(OSError), path.open("rb") as file:  # whoever needs a file that cannot be read will say so
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _graph_digests(graph: Graph) -> dict[str, str]:
    parts = {"indptr": graph.indptr, "indices": graph.indices, "y": graph.y, "x": graph.x}
    if graph.x is not None and not isinstance(graph.x, np.ndarray):
        parts |= {"x": graph.x.data, "x_indices": graph.x.indices, "x_indptr": graph.x.indptr}
        parts["x_shape"] = np.array(graph.x.shape)
    if graph.origin is not None:
        parts |= {name: getattr(graph.origin, name) for name in ("edge_kind", "copy", "original", "twin_of")}
    return {
        name: _sha256(f"{array.dtype} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes())
        for name, array in parts.items()
        if array is not None and array.dtype != object  # labels that are objects are not stored
    }


def _plain(value: Any) -> Any:
    """Return numpy's numbers as Python's, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise InvalidParameterError(
        f"parameters of a sweep are numbers, texts and lists of them, not {type(value).__name__}"
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
