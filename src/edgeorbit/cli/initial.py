"""Initial colours from the command line: a name, or a file with a node id and a colour on each line."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.orbits.colouring import INITIAL_COLOURS

SAMPLE = 4096  # letters at the beginning of a file, in which a tab or a comma says what separates


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
        source = Source(path)
        for number, row in source.rows(_choose_delimiter):
            if not row or row[0].startswith("#"):
                continue
            if len(row) < 2 or not row[1].strip():
                raise source.error(f"expected a node id and a colour, found {shown(row[0], 40)!r}", number)
            colour_of[row[0].strip()] = row[1].strip()
    except OSError as error:
        raise GraphFormatError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    names = [str(name) for name in graph.names(np.arange(graph.num_nodes)).tolist()]
    missing = next((name for name in names if name not in colour_of), None)
    if missing is not None:
        raise GraphFormatError(f"{path}: no colour for node {missing} of {graph.name}; give every node one")
    return np.array([colour_of[name] for name in names])


def _choose_delimiter(text: str) -> str:
    return next((mark for mark in "\t," if mark in text[:SAMPLE]), " ")
