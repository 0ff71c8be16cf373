"""Where the graph of a cell comes from: a data set, a file, a folder of the data directory, or a generator."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.experiments.plan import Cell
from edgeorbit.graph.graph import Graph


def find_source(cell: Cell) -> Graph | Path | str:
    """Return the graph of a cell if it is made, else the name or the path that it is loaded by."""
    if "generator" in cell.source:
        return _made(cell.source["generator"], tuple(sorted(cell.source.get("options", {}).items())))
    source: str = cell.source["source"]
    within = resolve_data_dir() / source  # such as a folder of HeaRT's, which is no data set with a name
    return within if within.is_dir() else source


@lru_cache(maxsize=2)
def _made(generator: str, options: tuple[tuple[str, Any], ...]) -> Graph:
    from edgeorbit.synthetic import make

    return make(generator, **dict(options))
