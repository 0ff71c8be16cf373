"""`edgeorbit evaluate`: how good a trained model is, against negatives of any kind."""

from pathlib import Path
from typing import Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import load_numba_quickly, message_console, output_console, print_json, progress_bar
from edgeorbit.cli.metrics_table import print_metrics
from edgeorbit.cli.postponed_imports import postpone_imports

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A directory that edgeorbit train wrote.", show_default=False)]

OwnModel = Annotated[
    str | None,
    typer.Option("--model", metavar="MODULE:CLASS", help="The model of the run, if it is your own."),
]


def evaluate_command(
    run: Run,
    negatives: Annotated[
        str | None,
        typer.Option(
            metavar="random|heart|orbit|official",
            help="What held-out edges are ranked against; default: official ones if there are any, else random.",
        ),
    ] = None,
    model: OwnModel = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", "-k", metavar="K", help="Rounds of the colours of orbit negatives.")
    ] = None,
    per_positive: Annotated[
        int | None, typer.Option(metavar="N", help="Heart and orbit negatives for each held-out edge.")
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="With orbit negatives, also the AUC that no model of any kind can exceed without features: exact, by "
            "the automorphism group.",
        ),
    ] = False,
    with_valid_edges: Annotated[
        bool, typer.Option("--with-valid-edges", help="Show the model validation edges when it scores test edges.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    threads: options.Threads = None,
) -> None:
    """Measure a trained model on its held-out edges: AUC, AP, MRR, Hits@K, as fractions.

    [bold]Examples[/bold]

      edgeorbit evaluate run

      edgeorbit evaluate run --negatives heart            against hard negatives

      edgeorbit evaluate run --negatives orbit --json     against look-alikes: a plain GNN without features is at 0.5

      edgeorbit evaluate run --negatives orbit --exact    and what no model at all can exceed
    """
    load_numba_quickly()
    postpone_imports()
    with message_console().status("loading"):
        from edgeorbit.prediction import LinkPredictor

        predictor = LinkPredictor.load(run, threads, model=model)
    given: dict[str, Any] = {"rounds": rounds, "per_positive": per_positive, "exact": exact or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    with progress_bar("evaluating") as bar:
        result = predictor.evaluate(negatives, with_valid_edges=with_valid_edges, progress=bar, output=run, **chosen)
    found = result.as_dict()
    if as_json:
        print_json([found])
    else:
        print_metrics(output_console(), found)
