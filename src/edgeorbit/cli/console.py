"""What the command line shows while it works, and how it prints results.

Results go to standard output; progress, messages and errors go to standard error, so that `--json` can be piped.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from edgeorbit._text import printable
from edgeorbit.cli.startup import load_numba_quickly, postpone_imports

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from edgeorbit.experiments.tracking import Tracker

SHOW_AFTER_SECONDS = 1.0  # shorter work needs no bar
LOG_AFTER_SECONDS = 10.0  # where there is no terminal
LOG_LINES = 10  # for each tenfold of the time, about
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


def say(sentence: str) -> None:
    """Print a message at its full length."""
    message_console().print(sentence, highlight=False, markup=False, soft_wrap=True)


def print_line(text: str) -> None:
    """Print a line as a result, at its full length."""
    sys.stdout.write(f"{printable(text)}\n")


def print_json(results: list[dict[str, Any]]) -> None:
    """Print one object for one result, a list for several."""
    json.dump(results[0] if len(results) == 1 else results, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def new_table(padding: tuple[int, ...] = (0, 1)) -> "Table":
    """Return a table without columns and rows, of the look that all tables share."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=padding)  # type: ignore[arg-type]


@contextmanager
def progress_bar(description: str, *, log: bool = True) -> Iterator[Callable[..., None]]:
    """Give a callback `(done, total)` that draws a bar on a terminal once the work takes longer than a moment.

    A third argument says what is being done, in the place of the description. Without a terminal, work that takes
    longer than ten seconds writes a line now and then, unless the caller keeps a log of its own.
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
    next_line = LOG_AFTER_SECONDS
    shown = False

    def update(done: int, total: int, doing: str | None = None) -> None:
        nonlocal shown, next_line
        seconds = time.monotonic() - begun
        if not bar.console.is_terminal:
            if log and seconds > next_line:
                say(f"{doing or description}: {_how_far(done, total, seconds)}.")
                next_line = seconds + max(LOG_AFTER_SECONDS, seconds / LOG_LINES)
            return
        if not shown and seconds > SHOW_AFTER_SECONDS:
            bar.start()
            shown = True
        bar.update(task, completed=done, total=total, description=escape(doing or description))

    try:
        yield update
    finally:
        if shown:
            bar.stop()


def _how_far(done: int, total: int, seconds: float) -> str:
    """Return the share that is done, and the time that is left if it goes on like that.

    >>> _how_far(1, 4, 60), _how_far(0, 0, 60)
    ('25 %, 3 min left', '60 s so far')
    """
    if not 0 < done <= total:
        return f"{seconds:.0f} s so far"
    left = seconds * (total - done) / done
    words = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min" if left < 6000 else f"{left / 3600:.1f} h"
    return f"{done / total:.0%}".replace("%", " %") + f", {words} left"


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner with what is being done; also when kernels have to be compiled, which takes seconds.

    That is said in a line of its own the first time in an installation; later only the spinner shows it.

    Gives a callback that changes the description.
    """
    from rich.markup import escape

    load_numba_quickly()
    from edgeorbit._compiled import announcing_compilation

    console = message_console()

    def announce() -> None:
        if _is_first_compilation():
            console.print("Compiling for this machine, once per installation: a few seconds ...", style="dim")
        else:
            status.update(f"{escape(description)}: compiling")

    with console.status(escape(description)) as status, announcing_compilation(announce):
        yield lambda text: status.update(escape(text))


def _is_first_compilation() -> bool:
    """Tell whether nothing was compiled before in this installation, as far as a note of that can be kept."""
    import hashlib
    from importlib.metadata import version

    from edgeorbit import __version__
    from edgeorbit.data.files import cache_dir

    about = "\n".join([__file__, __version__, version("numba"), sys.version])
    note = cache_dir() / f"compiled-{hashlib.sha256(about.encode()).hexdigest()[:16]}"
    try:
        if note.exists():
            return False
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
    except OSError:
        pass
    return True


@contextmanager
def loading_models() -> Iterator[None]:
    """Show a spinner while the block imports PyTorch and what trains with it, which takes seconds."""
    load_numba_quickly()
    postpone_imports()
    with message_console().status("loading"):
        yield


def make_tracker(uri: str | None, title: str) -> "Tracker | None":
    """Return what shows runs to mlflow, if it is wanted; made before the work, so that a missing mlflow ends it."""
    from edgeorbit.experiments.tracking import Tracker

    return None if uri is None else Tracker(uri, title, say)
