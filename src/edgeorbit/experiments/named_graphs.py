"""The graphs that an experiment file names: data sets, folders of the data directory, and the user's own files.

`find_source` returns the graph of a cell, after checking that the user's files have not changed since it was planned.
"""

import hashlib
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from edgeorbit.data.files import resolve_data_dir
from edgeorbit.data.heart import LAYOUT, is_heart_directory
from edgeorbit.data.loading import SYNTHETIC, named_dataset, unknown_source
from edgeorbit.data.registry import DATASETS
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.graph.directory import CARD, is_graph_directory, read_card
from edgeorbit.graph.graph import Graph

FOLDERS = "heart"  # of the data directory, where splits of HeaRT's lie that are no data sets with names

# By the keys that lead to them in a table [[data]], such as ("options", "of"), what graphs are called.
Named = dict[tuple[str, ...], str]


def named_graphs(source: Mapping[str, Any]) -> Named:
    """Return the graphs that a source names; one that is made from nothing names none.

    >>> named_graphs({"generator": "syn-links.csv", "options": {"ear": 0.5}})
    {('generator',): 'links.csv'}
    """
    named: Named = {(key,): source[key] for key in ("source", "features_from") if key in source}
    if "generator" in source:
        from edgeorbit.synthetic.generators import GENERATORS, resolve_generator

        base = resolve_generator(source["generator"])[1]
        if base is not None:
            named["generator",] = base
        of = source.get("options", {}).get("of")
        made = GENERATORS.get(str(of).lower())
        if of is not None and (made is None or made.takes_source):
            named["options", "of"] = of
    return named


def find_graph(name: str, folder: Path, data_dir: str | os.PathLike[str] | None = None) -> Path | str:
    """Return the path of a graph, or its name if it is a data set.

    Files come first, from the folder of the experiment file, then folders of the data directory. Whether a data set is
    there or is to be fetched is not looked at.

    Raises
    ------
    EdgeorbitError
        If there is no such graph.
    """
    own, within = folder / name, resolve_data_dir(data_dir) / name
    if _is_graph(own):
        return own
    if _is_graph(within) or Path(name).parts[:1] == (FOLDERS,):
        return within
    if name.lower() in DATASETS:
        if named_dataset(name) is None:
            raise InvalidParameterError(
                f"{name}: the working directory has a graph of that name, which would be taken for the data set; "
                "rename it, or run this elsewhere"
            )
        return name
    if os.path.isdir(own):  # noqa: PTH112 - pathlib raises an error over a name that is too long
        read_card(own)  # which says what is wrong with it
    raise unknown_source(name)


def with_paths(
    source: Mapping[str, Any], folder: Path, data_dir: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Return a source with the paths of graphs in the place of what the file calls them."""
    found = dict(source)
    for keys, name in named_graphs(source).items():
        place = str(find_graph(name, folder, data_dir))
        if keys == ("options", "of"):
            found["options"] = {**found["options"], "of": place}
        else:
            found[keys[0]] = f"{SYNTHETIC}{place}" if keys == ("generator",) else place
    return found


def digests(source: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return by key a digest of each graph that is the user's own: such a file can change, and a data set cannot."""
    own = {".".join(keys): folder / name for keys, name in named_graphs(source).items() if _is_graph(folder / name)}
    return {key: _digest(tuple(_stamp(file) for file in _files(path))) for key, path in own.items()}


def _is_graph(path: Path) -> bool:
    try:
        return path.is_file() or is_graph_directory(path) or is_heart_directory(path)
    except OSError:  # a name that is too long, for instance
        return False


def _files(path: Path) -> list[Path]:
    """Return the files that say what a graph is; the card of a directory has the digests of all others."""
    if path.is_file():
        return [path]
    if is_graph_directory(path):
        return [path / CARD]
    return [path / name for name in LAYOUT if (path / name).is_file()]


def _stamp(file: Path) -> tuple[Path, int, int]:
    found = file.stat()
    return file, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)  # many graphs of a plan may be made from one file, which is read once
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for path, _, _ in files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def find_source(cell: Cell) -> Graph | str:
    """Return the graph of a cell if it is made, else the name or the path that it is loaded by.

    Raises
    ------
    InvalidParameterError
        If a file that it comes from is not what it was when the cell was planned.
    """
    source = _found(cell)
    if "generator" in source:
        options = tuple(sorted(source.get("options", {}).items()))
        return _made(source["generator"], options, tuple(cell.content.values()))
    named: str = source["source"]
    return named


def features_from(cell: Cell) -> dict[str, str]:
    """Return, as an option of `LinkPredictor.fit`, where the features of a cell are taken from, if it is elsewhere."""
    source = _found(cell)
    return {key: source[key] for key in ("features_from",) if key in source}


def _found(cell: Cell) -> Mapping[str, Any]:
    if cell.content and digests(cell.source, Path(cell.folder)) != cell.content:
        raise InvalidParameterError(
            f"the file of {cell.data} was changed or removed in the meantime; start the bench again"
        )
    return with_paths(cell.source, Path(cell.folder))


@lru_cache(maxsize=2)
def _made(generator: str, options: tuple[tuple[str, Any], ...], content: tuple[str, ...]) -> Graph:
    """Make a graph; the content of its files is asked for so that changed ones make another."""
    from edgeorbit.synthetic import make

    return make(generator, **dict(options))
