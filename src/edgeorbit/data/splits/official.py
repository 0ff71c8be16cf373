"""Splits that come with the data: those of OGB, and those in files."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from edgeorbit.data.heart import is_heart_directory, read_heart
from edgeorbit.data.loading import graph_from_files, named_dataset, raw_files, unknown_source, with_features
from edgeorbit.data.ogb import read_ogb_split
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.directory import is_graph_directory

if TYPE_CHECKING:
    from edgeorbit.graph.reading.source import Progress


def has_official_split(source: str | os.PathLike[str]) -> bool:
    """Tell whether a source brings its own split: an OGB data set by name, or a directory in HeaRT's layout.

    >>> has_official_split("ogbl-ddi"), has_official_split("karate")
    (True, False)
    """
    dataset = named_dataset(source)
    return _is_split_directory(Path(source)) if dataset is None else dataset.official is not None


def official_split(
    source: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    features_file: str | os.PathLike[str] | None = None,
    features_from: str | os.PathLike[str] | None = None,
    progress: "Progress | None" = None,
) -> LinkSplit:
    """Load the split that comes with a data set, and its negatives.

    Parameters
    ----------
    source : str or path
        An OGB data set by name, or a directory in HeaRT's layout (see `edgeorbit.data.heart`).
    data_dir, features_file, features_from, progress : optional
        As for `edgeorbit.load`.

    Returns
    -------
    LinkSplit
        With negatives `official` (OGB: one pool for all, in ogbl-citation2 a thousand for each positive), or with
        `random` and `heart`, as far as the directory has them. Held-out edges are in the order of the files.

    Raises
    ------
    InvalidParameterError
        If the source brings no split.
    DatasetNotFoundError
        If there is no such source, or its files are not here and cannot be fetched.
    GraphFormatError
        If a file is not what it should be.
    """
    dataset, path = named_dataset(source), Path(source)
    if dataset is not None and dataset.official is not None:
        raw = raw_files(dataset, data_dir=data_dir, progress=progress)
        split = read_ogb_split(raw, graph_from_files(dataset, raw), dataset.official)
    elif dataset is None and _is_split_directory(path):
        split = read_heart(path)
    elif dataset is None and not path.exists():
        raise unknown_source(source)
    else:
        raise InvalidParameterError(
            f"{os.fspath(source)} brings no split of its own; split its edges at random, or give an OGB data set by "
            "name or a directory with train_pos.txt, valid_pos.txt and test_pos.txt"
        )
    graph = with_features(split.graph, features_file=features_file, features_from=features_from, data_dir=data_dir)
    return replace(split, graph=graph, own_features=split.data.x)


def _is_split_directory(path: Path) -> bool:
    return is_heart_directory(path) and not is_graph_directory(path)
