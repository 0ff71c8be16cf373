"""Options that several commands share."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from edgeorbit.errors import InvalidParameterError

GRAPH_HELP = (
    "A graph file (edge list, Parquet, npy, npz, mtx, mat, GraphML, GML, GEXF, Pajek; - is standard input), a "
    "directory that synth wrote or in HeaRT's layout, or a data set by name (karate, cora)."
)

Graphs = Annotated[list[str], typer.Argument(metavar="GRAPH...", help=GRAPH_HELP, show_default=False)]
OneGraph = Annotated[str, typer.Argument(metavar="GRAPH", help=GRAPH_HELP, show_default=False)]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds", "-k", metavar="K", help="Rounds of colour refinement, one per layer; default: until stable."
    ),
]
Initial = Annotated[
    str | None,
    typer.Option(
        metavar="degree|labels|features|FILE",
        help="Colours to start from: by degree, by the data set's labels or features, or from a file with a node id "
        "and its colour on each line. Default: all nodes alike.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON: an object for one graph, a list for several.")]
ResultsAsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
Exact = Annotated[
    bool, typer.Option("--exact", help="Also compute the orbits of the automorphism group (needs edgeorbit\\[exact]).")
]
TimeLimit = Annotated[float, typer.Option(metavar="SECONDS", help="Give up on --exact after so long.")]
MemoryLimit = Annotated[
    float | None, typer.Option(metavar="GB", help="Give up on --exact beyond so much memory; default: no limit.")
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="original|constant|degree|identity|random|orthogonal",
        help="Node features; default: original if there are any, else identity.",
    ),
]
Track = Annotated[
    str | None, typer.Option(metavar="URI", help="Show what is found to mlflow, too: a folder, or a server's address.")
]
Threads = Annotated[int | None, typer.Option(metavar="N", help="Number of threads; default: one per core.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="In CSV, put ' before text that begins with =, +, - or @, which a spreadsheet takes for a formula; such "
        "ids then differ from yours.",
    ),
]
DataDir = Annotated[
    Path | None, typer.Option(help="Where data sets lie; default: $EDGEORBIT_DATA, else the user's cache.")
]


def exact_limits(exact: bool, time_limit: float, memory_limit: float | None) -> dict[str, Any] | None:
    """Return the limits for `edgeorbit.exact_orbits`, or None if exact orbits are not wanted."""
    if not exact:
        return None
    return {"time_limit": time_limit, "memory_limit": None if memory_limit is None else int(memory_limit * 1e9)}


def compile_patterns(only: list[str] | None) -> list[re.Pattern[str]]:
    """Return the regular expressions of --only."""
    try:
        return [re.compile(text, re.IGNORECASE) for text in only or []]
    except re.error as error:
        raise InvalidParameterError(f"--only {error.pattern!s}: is no regular expression: {error}") from None
