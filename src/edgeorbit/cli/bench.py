"""`edgeorbit bench`: all runs of an experiment file, resumable, and their tables."""

import re
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from edgeorbit.cli.console import message_console, progress_bar
from edgeorbit.errors import InvalidParameterError


def bench_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An experiment file (TOML).")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where results are kept; default: FILE with .parquet."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Only runs whose description has this regular expression; can be repeated."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Runs side by side, one thread each; default: one per core.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be run.")] = False,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tables as Markdown, and run nothing.")
    ] = None,
) -> None:
    """Run an experiment: every model on every graph with every seed, and keep what was found.

    What the results have already is not run again, so the same command goes on after an interruption.

    [bold]Examples[/bold]

      edgeorbit bench experiments/models.toml --dry-run                     how many runs there are to make

      edgeorbit bench experiments/models.toml --only "^(gcn|eo-gnn) on cora" --only "seed [0-4]"

      edgeorbit bench experiments/models.toml --write docs/results.md       the tables
    """
    from edgeorbit.experiments.plan import read_experiment
    from edgeorbit.experiments.store import Store
    from edgeorbit.parallel import resolve_threads

    experiment = read_experiment(file)
    store = Store(output or file.with_suffix(".parquet"))
    console = message_console()
    if write is not None:
        from edgeorbit.experiments.tables import to_markdown
        from edgeorbit.files import atomic_path

        page = to_markdown(experiment, store.rows, f"edgeorbit bench {file} --write {write}")
        with atomic_path(write) as temporary:
            temporary.write_text(page, encoding="utf-8")
        return
    patterns = [_pattern(text) for text in only or []]
    chosen = [cell for cell in experiment.cells if all(pattern.search(str(cell)) for pattern in patterns)]
    if not chosen:
        raise InvalidParameterError(f"{file}: no run is described by {' and '.join(only or [])}; see --dry-run")
    missing = [cell for cell in chosen if cell.key not in store.keys]
    if dry_run:
        for cell in missing:
            typer.echo(str(cell))
    console.print(f"{len(chosen)} runs, {len(chosen) - len(missing)} of them done", highlight=False)
    if dry_run or not missing:
        return
    from edgeorbit.experiments.running import run_cells

    # Whoever ends the command means its processes too, which would go on to the end of their runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with progress_bar("running") as bar:
        run_cells(missing, store, resolve_threads(jobs), lambda done, cell: bar(done, len(missing), str(cell)))
    failed = {row["key"] for row in store.rows if row.get("failed")} & {cell.key for cell in missing}
    console.print(f"{len(missing)} runs made, {len(failed)} failed; kept in {store.path}", highlight=False)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise InvalidParameterError(f"--only {text}: is no regular expression: {error}") from None
