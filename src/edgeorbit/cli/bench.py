"""`edgeorbit bench`: all runs of an experiment file, resumable, and their tables."""

import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import make_tracker, output_console, print_line, say
from edgeorbit.cli.startup import load_numba_quickly, postpone_imports
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.experiments.executors import Cluster, LocalPool
    from edgeorbit.experiments.plan import Cell, Experiment
    from edgeorbit.experiments.state import Estimates, State
    from edgeorbit.experiments.store import Row, Store


File = Annotated[Path, typer.Argument(metavar="FILE", help="An experiment file (TOML).")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where results are kept; default: FILE with .parquet."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Only runs whose description has this regular expression; given twice, both must be there.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(metavar="N", help="Runs side by side, one thread each; default: one per core.")
]
Redo = Annotated[
    str | None,
    typer.Option(
        metavar="failed|outdated|all",
        help="Also run again what failed, what other code made, or all that is chosen.",
    ),
]
MemoryLimit = Annotated[
    float | None, typer.Option(metavar="GB", help="Memory that a run may take; one that takes more fails.")
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="Only the few short runs that the file names, into a temporary file without -o."),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only say what would be run, and for how long; with --prune, what would go."),
]
Prune = Annotated[
    bool,
    typer.Option("--prune", help="Remove results of runs that the file no longer plans, and run nothing."),
]
Write = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables as Markdown, and run nothing.")]
Sql = Annotated[
    str | None,
    typer.Option(metavar="SELECT", help="Ask the results, which are the table results, and run nothing."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Run on the workers of a dask cluster (extra dask)."),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for another bench that is running on the same results.")]
AsJson = Annotated[bool, typer.Option("--json", help="With --sql, print JSON.")]


def bench_command(
    file: File,
    output: Output = None,
    only: Only = None,
    jobs: Jobs = None,
    redo: Redo = None,
    memory_limit: MemoryLimit = None,
    quick: Quick = False,
    dry_run: DryRun = False,
    prune: Prune = False,
    write: Write = None,
    sql: Sql = None,
    scheduler: Scheduler = None,
    wait: Wait = False,
    as_json: AsJson = False,
    track: options.Track = None,
) -> None:
    """Run an experiment: every model on every graph with every seed, and keep what was found.

    What the results have already is not run again, so the same command resumes after an interruption. Runs are made in
    processes of this machine, or with --scheduler on the workers of a dask cluster. A run that fails is kept with its
    reason, and the others continue; the exit code is then 1 (and 2 if the file or an option is wrong).

    [bold]Examples[/bold]

      edgeorbit bench experiments/real.toml --dry-run                       what there is to run, and how long it takes

      edgeorbit bench experiments/real.toml --only "^(gcn|eo-gnn) on cora" --only "seed [0-4]"

      edgeorbit bench experiments/real.toml --redo outdated                 what was made by other code, too

      edgeorbit bench experiments/real.toml --track runs                    every run in mlflow, too, in the folder runs

      edgeorbit bench experiments/real.toml --write docs/results.md         the tables

      edgeorbit bench experiments/real.toml --prune                         without results of older settings

      edgeorbit bench experiments/real.toml --sql "SELECT model, avg(test_auc) FROM results GROUP BY model"
    """
    load_numba_quickly()
    postpone_imports()
    from edgeorbit.experiments.reading import read_experiment
    from edgeorbit.experiments.store import Store

    if as_json and sql is None:
        raise InvalidParameterError("--json goes with --sql; leave it out, or ask something")
    others = {"--sql": sql, "--write": write, "--only": only, "--redo": redo, "--quick": quick}
    if prune and any(others.values()):
        other = next(name for name, given in others.items() if given)
        raise InvalidParameterError(f"--prune goes by the whole file and runs nothing; leave {other} out")
    runs = sql is None and write is None and not dry_run and not prune
    experiment = read_experiment(file, thorough=runs or dry_run)
    if prune:
        _prune(experiment, Store(output or file.with_suffix(".parquet")), file, dry_run)
    elif sql is not None:
        _answer(Store(output or file.with_suffix(".parquet")), sql, as_json)
    elif write is not None:
        _write(experiment, Store(output or file.with_suffix(".parquet")), file, write)
    else:
        cells = _choose(experiment.quick if quick else experiment.cells, only or [], file)
        store = Store(_quick_place(file, output) if quick else output or file.with_suffix(".parquet"))
        where = _Where(jobs, memory_limit, scheduler, wait)
        _bench(experiment, cells, store, where, redo, dry_run, quick, track)


class _Where(NamedTuple):
    """Where runs are made: options of the command."""

    jobs: int | None
    memory_limit: float | None
    scheduler: str | None
    wait: bool

    def check(self) -> int:
        """Return how many runs are made at a time on this machine, after checking the options."""
        from edgeorbit._parallel import resolve_threads
        from edgeorbit.experiments.executors import check_memory_limit

        if self.scheduler is not None and (self.jobs is not None or self.memory_limit is not None):
            option = "--memory-limit" if self.jobs is None else "--jobs"
            raise InvalidParameterError(f"{option} is for this machine; leave it out, and set it for the dask workers")
        check_memory_limit(self.memory_limit)
        return resolve_threads(self.jobs, "--jobs")

    def executor(self) -> "LocalPool | Cluster":
        """Return the processes or the cluster."""
        from edgeorbit.experiments.executors import LocalPool, check_memory_limit
        from edgeorbit.experiments.running import connect

        if self.scheduler is not None:
            return connect(self.scheduler)
        return LocalPool(self.check(), check_memory_limit(self.memory_limit))


def _bench(
    experiment: "Experiment",
    cells: list["Cell"],
    store: "Store",
    where: _Where,
    redo: str | None,
    dry_run: bool,
    quick: bool,
    track: str | None,
) -> None:
    """Say what there is to run, and run it."""
    from edgeorbit.cli.bench_progress import showing_progress
    from edgeorbit.experiments.running import run_cells
    from edgeorbit.experiments.state import Estimates, examine

    processes = where.check()
    state = examine(cells, store)
    again = state.to_redo(redo)
    waiting = [cell for cell in cells if cell.key not in state.done or cell.key in again]
    if dry_run:
        for cell in waiting:
            print_line(str(cell))
    _say_state(experiment, cells, store, state, quick)
    if waiting and where.scheduler is None:
        say(_forecast(Estimates.from_store(store), waiting, processes))
    if dry_run or not waiting:
        return
    on_rows = _tracking(track, experiment.title)
    if quick:
        say(f"A quick look: one seed and few epochs; results go to {store.path}")
    _end_in_order()
    with store.alone(wait=where.wait), showing_progress() as report:
        made, failed = run_cells(waiting, store, where.executor(), again=again, report=report, on_rows=on_rows)
    say(f"{made} runs made, {failed} failed; kept in {store.path}")
    if examine(waiting, store).failed:
        raise typer.Exit(1)


def _say_state(experiment: "Experiment", cells: list["Cell"], store: "Store", state: "State", quick: bool) -> None:
    """Say what the store has of the cells, and what else it has."""
    from edgeorbit.experiments.state import unplanned

    say(f"{len(cells)} runs, {len(state.done)} of them done")
    if experiment.tuned is not None and not quick:
        say(f"{sum(cell.key in experiment.tuned for cell in cells)} of them have tuned settings, the others defaults")
    for sentence in state.sentences():
        say(sentence)
    stale = set() if quick else unplanned(experiment.cells, store)
    if stale:
        say(
            f"{store.path} has {len(stale)} runs that are no longer planned; tables leave them out, "
            "and --prune removes them (--prune --dry-run says which)"
        )


def _tracking(uri: str | None, title: str) -> "Callable[[Cell, list[Row]], None] | None":
    """Return what shows every row to mlflow, if it is wanted."""
    from dataclasses import asdict

    tracker = make_tracker(uri, title)
    if tracker is None:
        return None

    def show(cell: "Cell", rows: "list[Row]") -> None:
        for row in rows:
            described = f"{cell}, {row['negatives']} negatives" if row["negatives"] else str(cell)
            tracker.log(described, {**asdict(cell), "negatives": row["negatives"]}, row)

    return show


def _end_in_order() -> None:
    """End all processes when the command gets SIGTERM or SIGHUP."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup had it ignored
            signal.signal(number, lambda which, _: sys.exit(128 + which))


def _forecast(estimates: "Estimates", cells: list["Cell"], jobs: int) -> str:
    """Return how long cells will take."""
    from edgeorbit.experiments.state import duration

    seconds = estimates.total(cells, jobs)
    side = f"{jobs} at a time" if jobs > 1 else "one after the other"
    if seconds is None:
        return f"{len(cells)} runs to make, {side}; how long they take is known after the first ones"
    new = list(dict.fromkeys(cell.model for cell in cells if not estimates.has_run(cell.model)))
    return f"{len(cells)} runs to make, {side}: about {duration(seconds)}" + (
        f", if {', '.join(new)}, never run here, took as long as the others" if new else ""
    )


def _quick_place(file: Path, output: Path | None) -> Path:
    """Return where results of a quick look go: never where those of the experiment itself are."""
    kept = file.with_suffix(".parquet")
    if output is None:
        return Path(tempfile.mkdtemp(prefix="edgeorbit-quick-")) / kept.name
    if output.resolve() == kept.resolve():
        raise InvalidParameterError(f"{output}: is for the results of the whole experiment; leave -o out with --quick")
    return output


def _choose(cells: tuple["Cell", ...], only: list[str], file: Path) -> list["Cell"]:
    patterns = options.compile_patterns(only)
    chosen = [cell for cell in cells if all(pattern.search(str(cell)) for pattern in patterns)]
    if not chosen:
        raise InvalidParameterError(f"{file}: no run is described by {' and '.join(only)}; see --dry-run")
    return chosen


def _answer(store: "Store", sql: str, as_json: bool) -> None:
    import json

    rows = store.query(sql)
    if as_json:
        json.dump(rows, sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
    elif rows:
        from edgeorbit.cli.bench_progress import print_table

        print_table(output_console(), rows)
    else:
        say("no rows")


def _prune(experiment: "Experiment", store: "Store", file: Path, dry_run: bool) -> None:
    from edgeorbit.experiments.state import count_rows, unplanned

    stale = unplanned(experiment.cells, store)
    if dry_run:
        counts = count_rows(stale, store)
        for data, models in counts.items():
            print_line(f"{data}: {', '.join(f'{model} ({number})' for model, number in models.items())}")
        number = sum(models.total() for models in counts.values())
        left = len(store.rows) - number
        say(f"{number} rows of runs that {file} does not plan would be removed from {store.path}; {left} would be left")
        return
    with store.alone():
        removed = store.remove(stale)
    say(f"{removed} rows of runs that {file} does not plan were removed from {store.path}; {len(store.rows)} are left")


def _write(experiment: "Experiment", store: "Store", file: Path, page: Path) -> None:
    from edgeorbit._files import atomic_path
    from edgeorbit.experiments.tables import to_markdown

    if store.keys.isdisjoint(experiment.labels):
        raise InvalidParameterError(
            f"{store.path}: has no results of {file}, so there is nothing to write; run edgeorbit bench {file} first"
        )
    text = to_markdown(experiment, store.rows, f"edgeorbit bench {file} --write {page}")
    with atomic_path(page) as temporary:
        temporary.write_text(text, encoding="utf-8")
    say(f"Written to {page}")
