"""The graphs that commands are given: how they are loaded, and the initial colours that go with them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.cli.console import progress_bar
from edgeorbit.cli.reading import Reading, say_what_was_read
from edgeorbit.cli.startup import load_numba_quickly
from edgeorbit.errors import GraphFormatError, InvalidParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from edgeorbit.graph.graph import Graph

SAMPLE = 4096  # letters at the beginning of a file, in which a tab or a comma shows what separates


def load(source: str, reading: Reading, threads: int | None, *, features: bool = False, quiet: bool = False) -> "Graph":
    """Load a graph by file or name, with a progress bar, and say what was read unless that goes into JSON."""
    load_numba_quickly()
    from edgeorbit.data import load_graph

    with progress_bar(f"reading {source}") as progress:
        graph = load_graph(source, threads=threads, progress=progress, features=features, **reading.options())
    if not quiet:
        say_what_was_read(graph)
    return graph


def expand_sweeps(sources: list[str]) -> list[str]:
    """Replace the directory of a sweep by its graphs."""
    from edgeorbit.graph.directory import graphs_within

    return [graph for source in sources for graph in (list(map(str, graphs_within(Path(source)))) or [source])]


def spare_the_input(source: str, output: Path) -> None:
    """Raise an error if the output would overwrite the graph that is read."""
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise InvalidParameterError(f"{output}: is the graph itself; write to another file")


def resolve_initial(graph: "Graph", initial: str | None) -> "str | npt.NDArray[Any] | None":
    """Return what `edgeorbit.refine` takes as `initial`, reading the file if one is named."""
    from edgeorbit.orbits.colouring import INITIAL_COLOURS

    if initial is None or initial in INITIAL_COLOURS:
        return initial
    path = Path(initial)
    if not path.is_file():
        raise InvalidParameterError(
            f"--initial {initial}: neither a file nor one of {', '.join(INITIAL_COLOURS)}; give a file with a "
            "node id and its colour on each line"
        )
    return read_node_colours(path, graph)


def read_node_colours(path: Path, graph: "Graph") -> "npt.NDArray[Any]":
    """Read a colour for every node from a comma- or tab-separated file of node ids and colours."""
    import numpy as np

    from edgeorbit._text import shown
    from edgeorbit.graph.reading.source import Source

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
