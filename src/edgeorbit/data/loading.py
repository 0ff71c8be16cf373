"""A graph from a data set name, a file or a directory, whichever the user has."""

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.data.download import fetch_missing
from edgeorbit.data.files import RawFile, derived_path, load_derived, read_raw_files, resolve_data_dir, store_derived
from edgeorbit.data.heart import is_heart_directory, read_heart_graph
from edgeorbit.data.registry import DATASETS, Dataset
from edgeorbit.errors import DatasetNotFoundError, GraphFormatError, InvalidParameterError
from edgeorbit.graph.directory import is_graph_directory, read_directory
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    from edgeorbit.graph.reading.source import Progress

STANDARD_INPUT = "-"
SYNTHETIC = "syn-"  # what the names of synthetic graphs made from others begin with


def load_graph(
    source: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    skip_bad_rows: bool = False,
    weight: str | int | None = None,
    time: str | int | None = None,
    threads: int | None = None,
    progress: "Progress | None" = None,
    features: bool = True,
    features_file: str | os.PathLike[str] | None = None,
    features_from: str | os.PathLike[str] | None = None,
    on_read: Callable[[Graph], None] | None = None,
) -> Graph:
    """Load a graph by the name of a data set, or from a file or directory.

    Parameters
    ----------
    source : str or path
        A file, `"-"` for standard input, a directory that `edgeorbit synth` wrote or one in the layout of HeaRT (see
        `edgeorbit.data.heart`), or if there is none the name of a data set (see `datasets`) in upper or lower case. Of
        a data set with a split of its own this is the whole graph: training, validation and test edges.
        `official_split` keeps them apart.
    data_dir : path, optional
        The directory of data set files; by default `$EDGEORBIT_DATA`, else `~/.cache/edgeorbit/data`. Files that are
        missing are fetched into it, unless there is no network, it cannot be written or EDGEORBIT_OFFLINE is set.
    format, columns, header, encoding, skip_bad_rows, weight, time, threads : optional
        How to read a file; see `edgeorbit.graph.reading.read_graph`.
    progress : callable, optional
        Called as `progress(done, total)` now and then while something is read or fetched.
    features : bool
        Whether to load the features of the nodes. Colours do not need them, and without them scipy is not imported,
        which takes longer than all the rest.
    features_file : path, optional
        A file with the features of the nodes; see `edgeorbit.data._feature_file`.
    features_from : str or path, optional
        A graph, by any of the ways above, whose nodes are the same: its features and labels are taken.
    on_read : callable, optional
        Called with the graph as soon as it was read from a file; its `read_report` says how.

    Raises
    ------
    DatasetNotFoundError
        If `source` is neither a file, a directory nor a data set, or a file of the data set is not in the data
        directory and cannot be fetched.
    GraphFormatError
        If a file is not what it should be.

    Examples
    --------
    >>> load_graph("karate")
    Graph(name='karate', num_nodes=34, num_edges=78, merged_edges=0, self_loops=0)
    """
    dataset = named_dataset(source)
    reading: dict[str, Any] = {"format": format, "columns": columns, "header": header, "encoding": encoding}
    reading |= {"skip_bad_rows": skip_bad_rows or None, "weight": weight, "time": time}
    reading = {key: value for key, value in reading.items() if value is not None}
    if dataset is None:
        if os.fspath(source) != STANDARD_INPUT and not Path(source).exists():
            raise unknown_source(source)
        graph = _read(source, reading, threads, progress, features)
        if on_read is not None:
            on_read(graph)
    elif reading:
        raise InvalidParameterError(
            f"there is no file {os.fspath(source)!r}, and options of reading such as format and columns do not go with "
            "the data set of that name; leave them out"
        )
    else:
        graph = load_dataset(dataset, data_dir=data_dir, features=features, progress=progress)
    if not features:
        return graph
    return with_features(graph, features_file=features_file, features_from=features_from, data_dir=data_dir)


def named_dataset(source: str | os.PathLike[str]) -> Dataset | None:
    """Return the data set that a source names, or None if it is something else: files win, other directories do not.

    >>> named_dataset("Karate").name
    'karate'
    """
    path, dataset = Path(source), DATASETS.get(os.fspath(source).lower())
    if path.is_dir() and not is_graph_directory(path) and not is_heart_directory(path):
        return dataset
    return None if path.exists() else dataset


def unknown_source(source: str | os.PathLike[str]) -> DatasetNotFoundError:
    """Return the error for what is neither a file nor a data set."""
    name = os.fspath(source)
    near = difflib.get_close_matches(name.lower(), DATASETS, n=3)
    if name.lower().startswith(SYNTHETIC):
        hint = f"to make it, give edgeorbit synth {name} -o DIR, and then DIR in its place"
    elif near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"data sets are {', '.join(DATASETS)}; others are made by edgeorbit synth"
    return DatasetNotFoundError(f"{name}: no such file, and no data set of that name; {hint}")


def load_dataset(
    dataset: Dataset,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    features: bool = True,
    progress: "Progress | None" = None,
) -> Graph:
    """Load a data set of the table."""
    raw = raw_files(dataset, data_dir=data_dir, progress=progress)
    return graph_from_files(dataset, raw, features=features)


def graph_from_files(dataset: Dataset, raw: Mapping[str, RawFile], *, features: bool = True) -> Graph:
    """Return the graph of a data set: the one parsed before from the same files, or a new one, which is kept."""
    if not raw:
        return dataset.parse({}, dataset.name)
    stored = derived_path(dataset.name, [file.digest for file in raw.values()])
    graph = load_derived(stored, name=dataset.name, features=features)
    if graph is None:
        graph = dataset.parse(raw, dataset.name).with_attributes(read_report=None)
        _check_size(dataset, graph, next(iter(raw.values())).path)
        store_derived(stored, graph)
    return graph if features else graph.with_attributes(x=None)


def raw_files(
    dataset: Dataset, *, data_dir: str | os.PathLike[str] | None = None, progress: "Progress | None" = None
) -> dict[str, RawFile]:
    """Return the files of a data set, by key; those that are missing are fetched."""
    directory = resolve_data_dir(data_dir)
    if dataset.remote is not None:
        fetch_missing(dataset.name, directory, dataset.files, dataset.source, dataset.remote, progress)
    # Files with an official split can be larger than memory, and are read part by part.
    keep_content = dataset.official is None
    return read_raw_files(
        dataset.name, directory, dataset.files, dataset.digests, dataset.source, keep_content=keep_content
    )


def with_features(
    graph: Graph,
    *,
    features_file: str | os.PathLike[str] | None = None,
    features_from: str | os.PathLike[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
) -> Graph:
    """Return the graph with features from a file, or with features and labels of another graph with the same nodes.

    Raises
    ------
    InvalidParameterError
        If both are asked for, or the other graph has other nodes, or no features.
    GraphFormatError
        If the file does not hold features of the nodes.
    """
    if features_file is not None and features_from is not None:
        raise InvalidParameterError("features come from a file or from another data set, not from both; leave one out")
    if features_file is not None:
        from edgeorbit.data._feature_file import read_feature_file

        return graph.with_attributes(x=read_feature_file(features_file, graph))
    if features_from is None:
        return graph
    other = load_graph(features_from, data_dir=data_dir)
    if other.x is None:
        raise InvalidParameterError(f"{other.name} has no features for {graph.name}; name a data set that has some")
    if other.num_nodes != graph.num_nodes:
        raise InvalidParameterError(
            f"{graph.name} has {graph.num_nodes} nodes and {other.name} has {other.num_nodes}, so its features do not "
            "fit; name a data set with the same nodes"
        )
    return graph.with_attributes(x=other.x, y=other.y)


def _read(
    source: str | os.PathLike[str],
    reading: dict[str, Any],
    threads: int | None,
    progress: "Progress | None",
    features: bool,
) -> Graph:
    from edgeorbit.graph.reading import read_graph

    path = Path(source)
    if path.is_dir() and not reading:
        if not is_graph_directory(path) and is_heart_directory(path):
            return read_heart_graph(path)
        return read_directory(path, features=features, threads=threads)
    return read_graph(source, **reading, threads=threads, progress=progress)


def _check_size(dataset: Dataset, graph: Graph, path: Path) -> None:
    num_edges = graph.num_edges
    if dataset.official is not None:
        num_edges += graph.merged_edges + graph.self_loops
    if (graph.num_nodes, num_edges) != (dataset.num_nodes, dataset.num_edges):
        raise GraphFormatError(
            f"{dataset.name}: {path} holds {graph.num_nodes} nodes and {num_edges} edges, not "
            f"{dataset.num_nodes} and {dataset.num_edges}; fetch it again from {dataset.source}"
        )
