"""A graph from a data set name, a file or a graph directory, whichever the user has."""

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from edgeorbit.data.derived import derived_path, load_derived, store_derived
from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.data.files import read_raw_files
from edgeorbit.data.registry import DATASETS, Dataset
from edgeorbit.errors import DatasetNotFoundError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.directory import is_graph_directory, read_directory
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    from edgeorbit.graph.reading.source import Progress


def load_graph(
    source: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: Sequence[str | int] | None = None,
    threads: int | None = None,
    progress: "Progress | None" = None,
    features: bool = True,
) -> Graph:
    """Load a graph by the name of a data set, or from a file or directory.

    Parameters
    ----------
    source : str or path
        A file or a directory that `edgeorbit synth` wrote, or if there is none the name of a data set (see
        `datasets`) in upper or lower case.
    data_dir : path, optional
        The directory of data set files; by default `$EDGEORBIT_DATA`, else `~/.cache/edgeorbit/data`.
    format, columns, threads, progress : optional
        How to read a file; see `edgeorbit.graph.reading.read_graph`.
    features : bool
        Whether to load the features of a data set's nodes. Colours do not need them, and without them scipy is not
        imported, which takes longer than all the rest.

    Raises
    ------
    DatasetNotFoundError
        If `source` is neither a file, a directory nor a data set, or a file of the data set is not in the data
        directory.
    GraphFormatError
        If a file is not what it should be.

    Examples
    --------
    >>> load_graph("karate")
    Graph(name='karate', num_nodes=34, num_edges=78, merged_edges=0, self_loops=0)
    """
    path = Path(source)
    dataset = DATASETS.get(os.fspath(source).lower())
    if path.exists() and not (dataset is not None and path.is_dir() and not is_graph_directory(path)):
        from edgeorbit.graph.reading import read_graph

        if path.is_dir() and format is None and columns is None:
            return read_directory(path, features=features, threads=threads)
        return read_graph(path, format=format, columns=columns, threads=threads, progress=progress)
    if dataset is None:
        raise DatasetNotFoundError(_nothing_of_that_name(os.fspath(source)))
    if format is not None or columns is not None:
        raise InvalidParameterError(
            f"there is no file {os.fspath(source)!r}, and format and columns do not go with the data set of that name; "
            "leave them out"
        )
    return load_dataset(dataset, data_dir=data_dir, features=features)


def load_dataset(dataset: Dataset, *, data_dir: str | os.PathLike[str] | None = None, features: bool = True) -> Graph:
    """Load a data set of the table: from what was parsed before, if its raw files are still the same."""
    if not dataset.files:
        return dataset.parse({}, dataset.name)
    raw = read_raw_files(dataset.name, resolve_data_dir(data_dir), dataset.files, dataset.digests, dataset.source)
    stored = derived_path(dataset.name, [file.digest for file in raw.values()])
    graph = load_derived(stored, name=dataset.name, features=features)
    if graph is None:
        graph = dataset.parse(raw, dataset.name)
        _check_size(dataset, graph, next(iter(raw.values())).path)
        store_derived(stored, graph)
    return graph if features else graph.with_attributes(x=None)


def _check_size(dataset: Dataset, graph: Graph, path: Path) -> None:
    if (graph.num_nodes, graph.num_edges) != (dataset.num_nodes, dataset.num_edges):
        raise GraphFormatError(
            f"{dataset.name}: {path} holds {graph.num_nodes} nodes and {graph.num_edges} edges, not "
            f"{dataset.num_nodes} and {dataset.num_edges}; fetch it again from {dataset.source}"
        )


def _nothing_of_that_name(source: str) -> str:
    near = difflib.get_close_matches(source.lower(), DATASETS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"data sets are {', '.join(DATASETS)}"
    return f"{source}: no such file, and no data set of that name; {hint}"
