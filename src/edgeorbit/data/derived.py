"""Parsed graphs, kept on disk so that a data set is parsed once.

A file is named after the digest of the raw files it was made from, so a changed raw file never meets an old result.
Arrays are stored without pickle. The store is only ever a shortcut: if it cannot be read or written, the graph is
parsed again.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.directories import cache_dir
from edgeorbit.errors import EdgeorbitError
from edgeorbit.files import atomic_path, write_npz
from edgeorbit.graph.feature_arrays import feature_arrays, features_from
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz

FORMAT = 1  # raise it when what is stored, or how raw files are read, changes


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
