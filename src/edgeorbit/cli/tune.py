"""`edgeorbit tune`: settings of a model that validate best on a graph, with the same budget for every model."""

import math
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import (
    loading_models,
    make_tracker,
    message_console,
    new_table,
    output_console,
    print_json,
    progress_bar,
    say,
)
from edgeorbit.cli.reading import Reading, reads_files
from edgeorbit.errors import EdgeorbitError, InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.experiments.executors import Cluster, LocalPool
    from edgeorbit.experiments.tracking import Tracker
    from edgeorbit.experiments.tuning import Task, TuningResult
    from edgeorbit.experiments.tuning.search import Report

SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


Graph = Annotated[str | None, typer.Argument(metavar="[GRAPH]", help=options.GRAPH_HELP, show_default=False)]
Model = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A name of edgeorbit models, or module:Class; can be repeated. Default: gcn.",
    ),
]
Experiment = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="Tune every graph, features and model of an experiment file."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Of --from, only what is described by this regular expression; given twice, both must be there.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="The settings file; other entries of it are kept.")
]
Trials = Annotated[
    int | None, typer.Option(metavar="N", help="Trials of a search, of all that share its storage; default: 30.")
]
Confirm = Annotated[
    bool,
    typer.Option(
        "--confirm",
        help="Do not search: train what the settings file has beside the defaults for all epochs, and keep the "
        "better there.",
    ),
]
Epochs = Annotated[
    int | None, typer.Option(metavar="N", help="The most epochs of a trial; default: those of --from, else 100.")
]
Timeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="End a search after 90s, 10m or 2h; the same command goes on.")
]
Metric = Annotated[str | None, typer.Option(metavar="mrr|auc|hits@10|...", help="The validation metric; default: mrr.")]
Negatives = Annotated[
    str | None,
    typer.Option(
        metavar="random|heart|orbit|official",
        help="What validation edges are ranked against; default: select_on of the experiment file, else random.",
    ),
]
Search = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=LOW..HIGH|A,B", help="The range or the values of a setting to search; can be repeated."),
]
Seed = Annotated[int, typer.Option(help="Of the search; its split has a seed of its own, 1000 + SEED.")]
Storage = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="Where trials are kept: a journal file or a database (postgresql://..., sqlite:///...); default: the "
        "settings file with .journal.",
    ),
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Trials side by side, one thread each.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Run trials on the workers of a dask cluster (extra dask)."),
]
Name = Annotated[str | None, typer.Option(help="What the settings file calls the graph; default: as it is given.")]


@reads_files(rows=True)
def tune_command(
    graph: Graph = None,
    model: Model = None,
    experiment: Experiment = None,
    only: Only = None,
    output: Output = Path("tuned.toml"),
    trials: Trials = None,
    confirm: Confirm = False,
    epochs: Epochs = None,
    timeout: Timeout = None,
    metric: Metric = None,
    negatives: Negatives = None,
    features: options.Features = None,
    search: Search = None,
    seed: Seed = 0,
    storage: Storage = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    name: Name = None,
    track: options.Track = None,
    as_json: options.ResultsAsJson = False,
    *,
    reading: Reading,
) -> None:
    """Search the settings of a model that are best on validation edges. Test edges are never looked at.

    Every model gets the same number of trials and epochs; the first trial has the model's defaults. The same command
    resumes where it was interrupted. Trials run in this process, with --jobs in several, and with --scheduler on the
    workers of a dask cluster. The password of a database can be left to PGPASSWORD or ~/.pgpass.

    [bold]Examples[/bold]

      edgeorbit tune cora --model sage                                  30 trials; the settings are in tuned.toml

      edgeorbit tune links.csv --model gcn --search dropout=0..0.6 --timeout 10m

      edgeorbit tune --from experiments/real.toml --only "^eo-gnn on cora" --metric auc -o tuned.toml --jobs 2

      edgeorbit tune cora --model ncn --scheduler tcp://host:8786     on a cluster

      edgeorbit tune cora --model sage --confirm --epochs 500           what short trials found, at full length
    """
    with loading_models():
        from edgeorbit.experiments.tuning.settings_file import read_entries
        from edgeorbit.experiments.tuning.storage import is_address, load_optuna, open_storage

        load_optuna()
        _check_numbers(trials, jobs, confirm, search)
        given = _given_options(seed=seed, negatives=negatives, search=search, epochs=epochs, metric=metric)
        chosen = {"--model": model, "--features": features, "--name": name}
        tasks = _without_heuristics(_tasks(graph, experiment, only or [], reading, chosen, given))
        seconds = None if timeout is None else parse_duration(timeout)
        tracker = make_tracker(track, "edgeorbit tune")
        entries = read_entries(output)  # a file of something else is refused now and not after hours
        if confirm:
            tasks = _to_confirm(tasks, entries, output, metric)
        if storage is not None and is_address(storage):
            open_storage(storage)  # so is a database that does not answer, once and not for every search
    results: list[TuningResult] = []
    if tasks:
        place = storage or output.with_suffix(".journal")
        with _executor(jobs, scheduler) as executor:
            how = {"trials": trials, "timeout": seconds, "executor": executor}
            results = list(_search_all(tasks, place, output, tracker, how))
        if not results:
            done = "confirmed" if confirm else "tuned"
            raise InvalidParameterError(f"nothing was {done}; see the reasons above")
    if as_json:
        print_json([_as_json(result) for result in results])
    elif results:
        _print_table(results)
        say(f'\nWritten to {output}; an experiment file takes it by: tuned = "{output.name}"')


def _given_options(search: list[str] | None, **options: Any) -> dict[str, Any]:
    """Return the options of tasks that were given, with the ranges of --search."""
    from edgeorbit.experiments.tuning.space import parse_range

    given = {name: value for name, value in options.items() if value is not None}
    return given | {"space": dict(parse_range(text) for text in search or [])}


def _check_numbers(trials: int | None, jobs: int, confirm: bool, search: list[str] | None) -> None:
    for option, number in (("--trials", trials), ("--jobs", jobs)):
        if number is not None and number < 1:
            raise InvalidParameterError(f"{option} must be >= 1, got {number}")
    if confirm and (trials or search):
        raise InvalidParameterError("--confirm searches nothing; leave --trials and --search out")


def _to_confirm(tasks: "list[Task]", entries: Any, output: Path, metric: str | None) -> "list[Task]":
    """Return the tasks whose settings are to be compared with the defaults, and print why others are left out."""
    from edgeorbit.experiments.tuning.settings_file import find_candidates

    kept, remarks = find_candidates(tasks, entries, str(output), metric)
    for remark in remarks:
        say(remark)
    return kept


def _search_all(
    tasks: "list[Task]", storage: str | Path, output: Path, tracker: "Tracker | None", options: dict[str, Any]
) -> "Iterator[TuningResult]":
    """Make the searches one after the other, and yield what each one found, after it was written."""
    from edgeorbit.experiments.tuning import TRIALS, tune
    from edgeorbit.experiments.tuning.settings_file import write_entry

    options = {**options, "trials": options["trials"] or TRIALS}
    for number, task in enumerate(tasks, 1):
        place = f" ({number} of {len(tasks)})" if len(tasks) > 1 else ""
        try:
            with _showing(f"tuning {task}{place}") as report:
                result = tune(task, storage, report=report, **options)
        except EdgeorbitError as error:
            if len(tasks) == 1:
                raise
            say(f"{task}: {error}")  # one that cannot be tuned must not end a night of others
            continue
        for remark in result.remarks:
            say(f"{task}: {remark}")
        if task.candidate is not None and result.trials < 2:
            continue  # one of the two says nothing
        write_entry(output, result.entry())
        if tracker is not None:
            _track(tracker, result, output)
        yield result


@contextmanager
def _executor(jobs: int, scheduler: str | None) -> "Iterator[LocalPool | Cluster | None]":
    """Give where trials run, None for this process; all of them end with the block."""
    from edgeorbit.experiments.executors import LocalPool
    from edgeorbit.experiments.running import connect

    # Whoever ends the command means its trials too, which the next call resumes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if scheduler is not None and jobs > 1:
        raise InvalidParameterError("--jobs is for this machine; leave it out with --scheduler")
    executor = None if scheduler is None and jobs == 1 else LocalPool(jobs) if scheduler is None else connect(scheduler)
    try:
        yield executor
    finally:
        if executor is not None:
            executor.shutdown()


@contextmanager
def _showing(doing: str) -> Iterator["Report"]:
    """Give a callback that shows how far a search is: a bar on a terminal, a line for every trial elsewhere."""
    is_terminal, told = message_console().is_terminal, 0
    with progress_bar(doing, log=is_terminal) as bar:

        def report(done: int, total: int, best: float) -> None:
            nonlocal told
            shown = doing if math.isnan(best) else f"{doing}: best {best:.4f}"
            bar(done, total, shown)
            if not is_terminal and done > told:
                say(f"{shown}, {done} of {total} trials")
            told = max(told, done)

        yield report


def parse_duration(text: str) -> float:
    """Return the seconds of `90`, `90s`, `10m`, `2h` or `1d`.

    >>> parse_duration("1.5h")
    5400.0
    """
    matched = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd]?)", text.strip().lower())
    if matched is None or float(matched[1]) == 0:
        raise InvalidParameterError(f"--timeout {text}: give a time above 0, for instance 90s, 10m or 2h")
    return float(matched[1]) * SECONDS[matched[2]]


def _tasks(
    graph: str | None,
    experiment: Path | None,
    only: list[str],
    reading: Reading,
    chosen: dict[str, Any],
    given: dict[str, Any],
) -> "list[Task]":
    """Return the searches: of an experiment file, or of a graph with what was chosen for it, by option."""
    if (graph is None) == (experiment is None):
        raise InvalidParameterError("give either a graph or --from and an experiment file")
    if experiment is not None:
        _refuse_with_from({**chosen, **dict.fromkeys(reading.given()[:1], True)})
        return _tasks_of(experiment, only, reading.data_dir, given)
    if only:
        raise InvalidParameterError("--only chooses from an experiment file; add --from FILE")
    from edgeorbit.experiments.tuning import Task

    preparing = {key: value for key, value in reading.options().items() if value not in (None, False)}
    data, features = chosen["--name"] or str(graph), chosen["--features"] or "original"
    models = chosen["--model"] or ["gcn"]
    return [Task(data, {"source": graph}, _named(one), features, preparing=preparing, **given) for one in models]


def _named(model: str) -> str:
    """Return a model by the name that tables have: in lower case, unless it is the user's own."""
    from edgeorbit.models import MODELS

    return model.lower() if model.lower() in MODELS else model


def _tasks_of(file: Path, only: list[str], data_dir: Path | None, given: dict[str, Any]) -> "list[Task]":
    from edgeorbit.experiments.tuning.task import read_tasks

    patterns = options.compile_patterns(only)
    tasks = [
        task for task in read_tasks(file, data_dir, **given) if all(pattern.search(str(task)) for pattern in patterns)
    ]
    if not tasks:
        raise InvalidParameterError(f"{file}: nothing is described by {' and '.join(only)}, such as: gcn on cora")
    return tasks


def _without_heuristics(tasks: "list[Task]") -> "list[Task]":
    """Leave out what has nothing to tune, and say so."""
    from edgeorbit.experiments.tuning import is_tunable

    skipped = dict.fromkeys(task.model for task in tasks if not is_tunable(task))
    kept = [task for task in tasks if task.model not in skipped]
    if not kept:
        verb = "has" if len(skipped) == 1 else "have"
        raise InvalidParameterError(f"{', '.join(skipped)} {verb} no settings to tune; choose another model")
    if skipped:
        say(f"Skipped, as there are no settings to tune: {', '.join(skipped)}")
    return kept


def _refuse_with_from(given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value:
            raise InvalidParameterError(f"{option} is what the experiment file says; leave it out, or choose by --only")


def _track(tracker: "Tracker", result: "TuningResult", output: Path) -> None:
    numbers = {key: getattr(result, key) for key in ("value", "default_value", "seconds", "trials")}
    params = {key: value for key, value in result.entry().items() if key not in numbers}
    tracker.log(result.task, params, numbers, [output])


def _as_json(result: "TuningResult") -> dict[str, Any]:
    entry = {key: _finite(value) for key, value in result.entry().items()}
    told = {"pruned": result.pruned, "failed": result.failed, "importance": dict(result.importance)}
    return entry | told | {"remarks": list(result.remarks)}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value  # JSON has no NaN


def _print_table(found: "list[TuningResult]") -> None:
    from rich.text import Text

    table = new_table()
    for column in ("model", "graph", "validation", "defaults", "best", "trials", "best settings", "what counts"):
        table.add_column(column, justify="right" if column in {"defaults", "best", "trials"} else "left")
    for result in found:
        chosen = {**result.settings, **result.training}
        settings = " ".join(
            f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in chosen.items()
        )
        counts = ", ".join(f"{key} {share:.0%}" for key, share in list(result.importance.items())[:3])
        default = "-" if math.isnan(result.default_value) else f"{result.default_value:.4f}"
        task = result.task
        graph = f"{task.data}, {task.features} features"
        cells = (
            task.model,
            graph,
            task.metric,
            default,
            f"{result.value:.4f}",
            str(result.trials),
            settings or "the defaults",
        )
        table.add_row(*map(Text, (*cells, counts)))
    output_console().print(table)
