"""`edgeorbit audit`: does a model leak?"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import loading_models, new_table, output_console, print_json, progress_bar
from edgeorbit.cli.reading import Reading, on_read, read_of, reads_files
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.auditing import Audit
    from edgeorbit.graph.graph import Graph

FAILED = 1  # exit code
STYLES = {"passed": "green", "failed": "bold red", "exception": "yellow", "skipped": "dim"}


Model = Annotated[
    str | None,
    typer.Option(metavar="NAME|module:Class", help="The model, or module:function that scores pairs."),
]
Train = Annotated[
    str | None,
    typer.Option(metavar="module:function", help="A function from a LinkSplit to a scorer, for your own training."),
]
Split = Annotated[str, typer.Option(metavar="auto|random|twin|time|official", help="How edges are held out.")]
Checks = Annotated[str | None, typer.Option(metavar="NAME,...", help="Only these checks, as named in the table.")]
Epochs = Annotated[int | None, typer.Option(metavar="N", help="Epochs of each training; default: 3.")]
Seed = Annotated[int, typer.Option(help="Decides the split, the weights and the pairs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")]


@reads_files(rows=True)
def audit_command(
    graph: options.OneGraph,
    model: Model = None,
    train: Train = None,
    split: Split = "auto",
    features: options.Features = None,
    checks: Checks = None,
    epochs: Epochs = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Check whether a model leaks: a table of checks, verdicts and examples.

    The scores of a pair must not depend on what else is scored, on held-out links or on the numbering of the nodes, and
    training must not see its target links. Models that break a clause by design are named as exceptions.

    Exit code 0: no check failed. 1: a check failed. 2: bad input.

    [bold]Examples[/bold]

      edgeorbit audit karate --model gcn

      edgeorbit audit links.csv --model mymodels:MyNet            your own module

      edgeorbit audit cora --train mytraining:fit --json          your own training

      edgeorbit audit cora --model ncn --checks "target links,test links"
    """
    if model is None and train is None:
        raise InvalidParameterError("nothing to audit; give --model or --train")
    with loading_models():
        from edgeorbit.auditing.audit import audit
        from edgeorbit.models import import_named
        from edgeorbit.prediction.preparing import split as split_graph

        trained_by = None if train is None else _function(import_named(train), train)
    graphs: list[Graph] = []
    with progress_bar("auditing") as bar:
        held_out = split_graph(
            graph,
            split,  # type: ignore[arg-type]
            features=features,
            seed=seed,
            threads=threads,
            progress=bar,
            on_read=on_read(graphs, as_json),
            **reading.options(),
        )
        found = audit(
            model,
            held_out,
            train=trained_by,
            seed=seed,
            checks=None if checks is None else [name.strip() for name in checks.split(",")],
            training=None if epochs is None else {"epochs": epochs},
            threads=threads,
            progress=bar,
        )
    if as_json:
        print_json([found.to_dict() | read_of(graphs)])
    else:
        _print(found)
    if not found.passed:
        raise typer.Exit(FAILED)


def _function(found: Any, name: str) -> Any:
    if isinstance(found, type) or not callable(found):
        raise InvalidParameterError(f"--train {name}: must name a function from a LinkSplit to a scorer")
    return found


def _print(found: "Audit") -> None:
    from rich.text import Text

    table = new_table((0, 1, 0, 0))
    table.add_column("check", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("example", overflow="fold")
    for each in found.checks:
        table.add_row(each.check, Text(each.verdict, style=STYLES[each.verdict]), Text(each.shown))
    console = output_console()
    console.print(Text(found.title), style="dim", soft_wrap=True)
    console.print(table)
    for each in found.failed:
        console.print(Text(f"{each.check}: violated: {each.claim}"), style="yellow", soft_wrap=True)
