"""What `edgeorbit bench` shows while it runs: a live table on a terminal, a line for every run elsewhere."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from edgeorbit._text import printable
from edgeorbit.cli.console import message_console, new_table
from edgeorbit.experiments.state import duration

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from edgeorbit.experiments.plan import Cell
    from edgeorbit.experiments.running import Progress
    from edgeorbit.experiments.store import Row

LAST = 5  # results that stay in sight


@contextmanager
def showing_progress() -> Iterator[Callable[["Progress"], None]]:
    """Give a callback that shows where a bench stands."""
    console = message_console()
    if not console.is_terminal:
        yield Lines()
        return
    from rich.live import Live

    last: deque[tuple[Cell, list[Row]]] = deque(maxlen=LAST)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(progress: "Progress") -> None:
            if progress.finished is not None:
                last.append(progress.finished)
            live.update(live_table(progress, list(last)), refresh=True)

        yield show


class Lines:
    """Lines for a log: one for every run, and one whenever there is nothing to do but to wait for other benches."""

    def __call__(self, progress: "Progress") -> None:
        """Write a line for a run that has just finished."""
        if progress.finished is not None:
            cell, rows = progress.finished
            number = f"{progress.done}/{progress.done + len(progress.running) + progress.left}"
            sys.stderr.write(f"{printable(f'{number} {cell}: {outcome(rows)}{_time_left(progress)}')}\n")
            sys.stderr.flush()


def live_table(progress: "Progress", last: list[tuple["Cell", list["Row"]]]) -> "RenderableType":
    """Return the table of the runs in progress and of the last results."""
    from rich.console import Group
    from rich.text import Text

    running = _table("running", "graph", "features", "seed", "for")
    for cell, seconds in progress.running:
        running.add_row(*map(Text, (cell.label, cell.data, cell.features, str(cell.seed), duration(seconds))))
    parts: list[RenderableType] = [running] if progress.running else [Text("starting")]
    if last:
        results = _table("last results", "graph", "features", "seed", "")
        for cell, rows in last:
            style = "red" if rows[0].get("failed") else ""
            shown = Text(outcome(rows), style=style, no_wrap=True, overflow="ellipsis")
            results.add_row(*map(Text, (cell.label, cell.data, cell.features, str(cell.seed))), shown)
        parts.append(results)
    counts = f"{progress.done} done, {progress.failed} failed, {len(progress.running)} running, {progress.left} left"
    return Group(*parts, Text(counts + _time_left(progress)))


def outcome(rows: list["Row"]) -> str:
    """Return what came of a run, in a few words."""
    reason = rows[0].get("failed")
    if reason:
        return f"failed: {str(reason).strip().splitlines()[-1]}"
    took = rows[0].get("cell_seconds")
    values = [f"{100 * row['test_auc']:.2f} ({row['negatives']})" for row in rows if row.get("test_auc") is not None]
    parts = [f"test AUC {', '.join(values)}"] if values else []
    return ", ".join(parts + ([duration(took)] if took is not None else [])) or "done"


def print_table(console: "Console", rows: list["Row"]) -> None:
    """Print rows as a table."""
    from rich.text import Text

    table = _table(*rows[0])
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    console.print(table)


def _table(*columns: str) -> "Table":
    from rich.text import Text

    table = new_table()
    for column in columns:
        table.add_column(Text(column))
    return table


def _time_left(progress: "Progress") -> str:
    if progress.seconds_left is None or not (progress.left or progress.running):
        return ""
    return f"; about {duration(progress.seconds_left)} left"
