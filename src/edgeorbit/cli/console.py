"""What the command line shows while it works, and how it prints results.

Results go to standard output; progress, messages and errors go to standard error, so that `--json` can be piped.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit._text import printable
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from edgeorbit.graph.graph import Graph

SHOW_AFTER_SECONDS = 1.0  # shorter work needs no bar
WIDE = 100  # characters, below which a table leaves out what is said elsewhere
PIPE_WIDTH = 160  # a table that is piped into a file must not be cut to the width of a terminal


def output_console() -> "Console":
    """Return the console for results."""
    return _console_type()() if sys.stdout.isatty() else _console_type()(width=PIPE_WIDTH)


def message_console() -> "Console":
    """Return the console for messages."""
    return _console_type()(stderr=True)


@cache
def _console_type() -> "type[Console]":
    """Return a console whose text sends no control characters, wherever it comes from."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

    class PrintableConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            if isinstance(renderable, Text) and printable(renderable.plain) != renderable.plain:
                renderable = renderable.blank_copy(printable(renderable.plain))
            return super().render(renderable, options)

    return PrintableConsole


def print_line(text: str) -> None:
    """Print a line as a result, at its full length."""
    sys.stdout.write(f"{printable(text)}\n")


def print_json(results: list[dict[str, Any]]) -> None:
    """Print one object for one result, a list for several."""
    json.dump(results[0] if len(results) == 1 else results, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[..., None]]:
    """Give a callback `(done, total)` that draws a bar on a terminal once the work takes longer than a moment.

    A third argument says what is being done, in the place of the description.
    """
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=message_console(),
        transient=True,
    )
    task = bar.add_task(escape(description), total=None)
    begun = time.monotonic()
    shown = False

    def update(done: int, total: int, doing: str | None = None) -> None:
        nonlocal shown
        if not shown and time.monotonic() - begun > SHOW_AFTER_SECONDS and bar.console.is_terminal:
            bar.start()
            shown = True
        bar.update(task, completed=done, total=total, description=escape(doing or description))

    try:
        yield update
    finally:
        if shown:
            bar.stop()


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner with what is being done; also say so when kernels have to be compiled, which takes seconds.

    Gives a callback that changes the description.
    """
    from rich.markup import escape

    load_numba_quickly()
    from edgeorbit._compiled import announcing_compilation

    console = message_console()

    def announce() -> None:
        console.print("Compiling for this machine, once per installation: a few seconds ...", style="dim")

    with announcing_compilation(announce), console.status(escape(description)) as status:
        yield lambda text: status.update(escape(text))


def load_numba_quickly() -> None:
    """Load numba without the linear algebra that it looks for in scipy, which takes a quarter of the start-up time.

    This is for the process of the command line alone: none of its kernels multiplies matrices, and afterwards scipy
    can be imported as ever.
    """
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


def expand_sweeps(sources: list[str]) -> list[str]:
    """Put the graphs of a sweep in the place of its directory."""
    from edgeorbit.graph.directory import graphs_within

    return [graph for source in sources for graph in (list(map(str, graphs_within(Path(source)))) or [source])]


def spare_the_input(source: str, output: Path) -> None:
    """Refuse to write over the graph that is read."""
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise InvalidParameterError(f"{output}: is the graph itself; write to another file")


def split_columns(columns: str | None) -> list[str | int] | None:
    """Return the columns named by `a,b` or `0,1`."""
    return None if columns is None else [int(name) if name.isdigit() else name for name in columns.split(",")]


def load(
    source: str,
    data_dir: Path | None,
    format: str | None,
    columns: str | None,
    threads: int | None,
    *,
    features: bool = False,
) -> "Graph":
    """Load a graph by file or name, with a progress bar; the columns are given as `a,b` or `0,1`."""
    load_numba_quickly()
    from edgeorbit.data import load_graph

    with progress_bar(f"reading {source}") as progress:
        return load_graph(
            source,
            data_dir=data_dir,
            format=format,
            columns=split_columns(columns),
            threads=threads,
            progress=progress,
            features=features,
        )
