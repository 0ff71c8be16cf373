"""Initial colours from the command line: a name, or a file with a node id and a colour on each line."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.initial import INITIAL_COLOURS


def resolve_initial(graph: Graph, initial: str | None) -> str | npt.NDArray[Any] | None:
    """Return what `edgeorbit.refine` takes as `initial`, reading the file if one is named."""
    if initial is None or initial in INITIAL_COLOURS:
        return initial
    path = Path(initial)
    if not path.is_file():
        raise InvalidParameterError(
            f"--initial {initial}: neither a file nor one of {', '.join(INITIAL_COLOURS)}; give a file with a "
            "node id and its colour on each line"
        )
    return read_node_colours(path, graph)


def read_node_colours(path: Path, graph: Graph) -> npt.NDArray[Any]:
    """Read a colour for every node from a comma- or tab-separated file of node ids and colours."""
    colour_of: dict[str, str] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            sample = file.read(4096)
            file.seek(0)
            delimiter = "\t" if "\t" in sample else "," if "," in sample else " "
            for number, row in enumerate(csv.reader(file, delimiter=delimiter), 1):
                if not row or row[0].startswith("#"):
                    continue
                if len(row) < 2 or not row[1].strip():
                    raise GraphFormatError(f"{path} line {number}: expected a node id and a colour, found {row[0]!r}")
                colour_of[row[0].strip()] = row[1].strip()
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise GraphFormatError(f"{path}: not a readable text file ({error}); give comma-separated text") from None
    names = [str(name) for name in graph.names(np.arange(graph.num_nodes)).tolist()]
    missing = next((name for name in names if name not in colour_of), None)
    if missing is not None:
        raise GraphFormatError(f"{path}: no colour for node {missing} of {graph.name}; give every node one")
    return np.array([colour_of[name] for name in names])
