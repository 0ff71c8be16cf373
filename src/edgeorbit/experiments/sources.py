"""The graph of a cell: what it is loaded by, or the graph itself if it is made."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.named_graphs import digests, with_paths
from edgeorbit.experiments.plan import Cell
from edgeorbit.graph.graph import Graph


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
            f"the file of {cell.data} was changed, or taken away, while it was waited for; start the bench again"
        )
    return with_paths(cell.source, Path(cell.folder))


@lru_cache(maxsize=2)
def _made(generator: str, options: tuple[tuple[str, Any], ...], content: tuple[str, ...]) -> Graph:
    """Make a graph; the content of its files is asked for so that changed ones make another."""
    from edgeorbit.synthetic import make

    return make(generator, **dict(options))
