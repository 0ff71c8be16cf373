"""Subgraphs of a graph on demand: extracted on the fly, or kept in files that a second look reads."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._files import atomic_path, write_npz
from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs, enclosing_subgraphs

FORMAT = "enclosing subgraphs 1"  # to be changed with whatever changes what a file holds


class StoredSubgraphs:
    """Finds the enclosing subgraphs of pairs of one graph.

    Parameters
    ----------
    graph
        The graph.
    directory
        Where to keep them; nowhere if it is empty.
    options
        `hops`, `max_nodes_per_hop` and `seed` of `enclosing_subgraphs`.
    """

    def __init__(self, graph: Graph, directory: str, **options: Any) -> None:
        self.graph, self.directory, self.options = graph, Path(directory) if directory else None, options
        if self.directory is not None:
            state = hashlib.sha256(f"{FORMAT} {sorted(options.items())}".encode())
            for array in (graph.indptr, graph.indices):
                state.update(np.ascontiguousarray(array).data)
            self._state = state

    def find(self, pairs: npt.NDArray[np.int64], *, keep: bool, threads: int | None = None) -> Subgraphs:
        """Return the subgraphs of pairs, read from a file if they were kept before; they are kept if asked for.

        A file that is damaged, or does not hold what its name says, is made anew.

        Raises
        ------
        EdgeorbitError
            If they are to be kept, and cannot be written.
        """
        if self.directory is None or not keep:
            return enclosing_subgraphs(self.graph, pairs, threads=threads, **self.options)
        path = self.path_of(pairs)
        found = _read(path, len(pairs))
        if found is None:
            found = enclosing_subgraphs(self.graph, pairs, threads=threads, **self.options)
            _write(path, found)
        return found

    def path_of(self, pairs: npt.NDArray[np.int64]) -> Path:
        """Return the file for the subgraphs of these pairs, in this order."""
        assert self.directory is not None
        state = self._state.copy()
        state.update(np.ascontiguousarray(pairs, np.int64).data)
        return self.directory / f"subgraphs-{state.hexdigest()[:32]}.npz"


def _write(path: Path, found: Subgraphs) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EdgeorbitError(
            f"{path.parent}: cannot be made ({error.strerror}); set cache to a directory that you may write to"
        ) from None
    with atomic_path(path) as temporary:
        write_npz(temporary, found._asdict())


def _read(path: Path, num_pairs: int) -> Subgraphs | None:
    """Return what a file holds, or None if there is none or it is damaged; the check sums are those of zip files."""
    try:
        with open_npz(Source(path)) as file:
            found = Subgraphs(**{name: np.ascontiguousarray(file[name]) for name in Subgraphs._fields})
    except (OSError, EdgeorbitError):
        return None
    return found if _fits(found, num_pairs) else None


def _fits(found: Subgraphs, num_pairs: int) -> bool:
    arrays: tuple[npt.NDArray[Any], ...] = tuple(found)
    size = len(found.nodes)
    return (
        all(array.ndim == 1 for array in arrays)
        and [array.dtype for array in arrays] == [np.int64, np.int32, np.int64, np.int32, np.int32]
        and len(found.offsets) == num_pairs + 1
        and len(found.labels) == len(found.indptr) - 1 == size == found.offsets[-1]
        and len(found.indices) == found.indptr[-1]
    )
