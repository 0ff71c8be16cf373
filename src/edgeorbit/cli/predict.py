"""`edgeorbit evaluate` and `edgeorbit predict`: how good a trained model is, and which links it predicts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.backtest_tables import print_backtest
from edgeorbit.cli.console import loading_models, output_console, print_json, progress_bar, say
from edgeorbit.cli.graphs import load
from edgeorbit.cli.pair_files import check_output, read_known_pairs, write_links
from edgeorbit.cli.reading import Reading, reads_files
from edgeorbit.cli.tables import print_metrics
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.prediction import LinkPredictor

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A directory that edgeorbit train wrote.", show_default=False)]
OwnModel = Annotated[
    str | None,
    typer.Option("--model", metavar="MODULE:CLASS", help="The model of the run, if it is your own."),
]


Negatives = Annotated[
    str | None,
    typer.Option(
        metavar="random|heart|orbit|official",
        help="What held-out edges are ranked against; default: official ones if there are any, else random.",
    ),
]
Rounds = Annotated[
    int | None, typer.Option("--rounds", "-k", metavar="K", help="Rounds of the colours of orbit negatives.")
]
PerPositive = Annotated[int | None, typer.Option(metavar="N", help="Heart and orbit negatives for each held-out edge.")]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="With orbit negatives, also the AUC that no model of any kind can exceed without features: exact, by "
        "the automorphism group.",
    ),
]
NoBacktest = Annotated[
    bool, typer.Option("--no-backtest", help="Leave out the list of likeliest links, which takes all candidates.")
]
WithValidEdges = Annotated[
    bool, typer.Option("--with-valid-edges", help="Show the model validation edges when it scores test edges.")
]


def evaluate_command(
    run: Run,
    model: OwnModel = None,
    negatives: Negatives = None,
    rounds: Rounds = None,
    per_positive: PerPositive = None,
    exact: Exact = False,
    with_valid_edges: WithValidEdges = False,
    no_backtest: NoBacktest = False,
    as_json: options.ResultsAsJson = False,
    threads: options.Threads = None,
) -> None:
    """Measure a trained model on its held-out edges: AUC, AP, MRR, Hits@K, as fractions, and the list it would predict.

    [bold]Examples[/bold]

      edgeorbit evaluate run

      edgeorbit evaluate run --negatives heart            against hard negatives

      edgeorbit evaluate run --negatives orbit --json     against look-alikes: a plain GNN without features is at 0.5

      edgeorbit evaluate run --negatives orbit --exact    and what no model at all can exceed
    """
    predictor = _load_run(run, threads, model)
    given: dict[str, Any] = {"rounds": rounds, "per_positive": per_positive, "exact": exact or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    with progress_bar("evaluating") as bar:
        result = predictor.evaluate(
            negatives,
            with_valid_edges=with_valid_edges,
            backtest=not no_backtest,
            progress=bar,
            output=run,
            **chosen,
        )
    found = result.as_dict()
    if as_json:
        print_json([found])
    else:
        console = output_console()
        print_metrics(console, found)
        if result.backtest is not None:
            console.print()
            print_backtest(console, result.backtest)


def backtest_command(
    run: Run, model: OwnModel = None, as_json: options.ResultsAsJson = False, threads: options.Threads = None
) -> None:
    """Compare the likeliest links of all candidates with the hidden test links: what a list of predictions is worth.

    The model sees the training edges alone. The best heuristic, chosen on validation links, and chance stand beside it.

    [bold]Examples[/bold]

      edgeorbit backtest run

      edgeorbit backtest run --json
    """
    predictor = _load_run(run, threads, model)
    with progress_bar("scoring candidates") as bar:
        found = predictor.backtest(output=run, progress=bar)
    if as_json:
        print_json([{key: predictor.info[key] for key in ("graph", "model", "seed")} | found.model_dump()])
    else:
        print_backtest(output_console(), found)


Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="A .csv, .parquet or .json file; default: print the links as CSV."
    ),
]
Top = Annotated[int, typer.Option(metavar="N", help="How many links.")]
Pairs = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Score the node pairs of this CSV or Parquet file instead, in its order."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at a node that the graph does not have, instead of skipping it.")
]
ForNode = Annotated[str | None, typer.Option("--for", metavar="NODE", help="List the likeliest partners of one node.")]
Candidates = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Choose the links from the pairs of this file alone.")
]
Exclude = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Leave out the pairs of this file, such as those you reviewed.")
]
PredictExact = Annotated[
    bool, typer.Option("--exact", help="Score all pairs, not only those near each other in graph or embedding.")
]
On = Annotated[str | None, typer.Option(metavar="GRAPH", help="Predict for another graph.")]
FeaturesFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A file with the features of the nodes of that other graph.")
]
FeaturesFrom = Annotated[
    str | None,
    typer.Option(metavar="GRAPH", help="A data set with the same nodes, for the features."),
]
TrainingEdgesOnly = Annotated[
    bool, typer.Option("--training-edges-only", help="Hide held-out edges from the model also now.")
]
Missing = Annotated[
    float | None,
    typer.Option(
        metavar="N",
        help="How many links you expect to be missing, which probabilities depend on; default: per known link as many "
        "as validation links per training link.",
    ),
]
NoProbability = Annotated[
    bool, typer.Option("--no-probability", help="Scores alone, without calibrating them by held-out links.")
]
PredictAsJson = Annotated[bool, typer.Option("--json", help="Print the links as JSON.")]


@reads_files(rows=True)
def predict_command(
    run: Run,
    model: OwnModel = None,
    output: Output = None,
    top: Top = 100,
    pairs: Pairs = None,
    strict: Strict = False,
    for_node: ForNode = None,
    candidates: Candidates = None,
    exclude: Exclude = None,
    exact: PredictExact = False,
    on: On = None,
    features_file: FeaturesFile = None,
    features_from: FeaturesFrom = None,
    training_edges_only: TrainingEdgesOnly = False,
    missing: Missing = None,
    no_probability: NoProbability = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    as_json: PredictAsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Predict the likeliest missing links, by your own node names; known edges are never among them.

    Links are CSV, with names as they are; before you open those of somebody else in a spreadsheet, add
    [bold]--spreadsheet-safe[/bold].

    [bold]Examples[/bold]

      edgeorbit predict run --top 20

      edgeorbit predict run --top 1000 -o links.csv

      edgeorbit predict run --for A17 --top 10                          the likeliest partners of one node

      edgeorbit predict run --pairs candidates.csv -o scores.parquet    scores of given pairs

      edgeorbit predict run --exclude reviewed.csv -o links.csv         without what I have seen

      edgeorbit predict run --on other.csv --features-file other-features.csv     links of another graph
    """
    check_output(output)
    _check_choice(pairs, exact=exact, for_node=for_node, candidates=candidates, exclude=exclude)
    files = [path for path in (pairs, candidates, exclude) if path is not None]
    if strict and not files:
        raise InvalidParameterError("--strict is about files of pairs; add --pairs, --candidates or --exclude")
    if output is not None and as_json:
        raise InvalidParameterError("--json prints the links and --output writes them; leave one of them out")
    if spreadsheet_safe and as_json:
        raise InvalidParameterError("--spreadsheet-safe is for CSV and --json prints JSON; leave one of them out")
    if spreadsheet_safe and output is not None and output.suffix != ".csv":
        raise InvalidParameterError(f"{output}: --spreadsheet-safe is for CSV; give a .csv file, or leave it out")
    if on is None and ((reading.given() and not files) or any((features_file, features_from, reading.data_dir))):
        raise InvalidParameterError(
            "the run has its own graph; give --features-file, --features-from and --data-dir with --on only, and "
            "--columns and the like with --on only or with a file of pairs"
        )
    if no_probability and missing is not None:
        raise InvalidParameterError("--missing is for probabilities; leave it or --no-probability out")
    predictor = _load_run(run, threads, model)
    other = None
    if on is not None:
        from edgeorbit.data.loading import with_features

        loaded = load(on, reading, threads, features=True)
        other = with_features(
            loaded, features_file=features_file, features_from=features_from, data_dir=reading.data_dir
        )
    known = predictor.split.whole if other is None else other
    options = reading.of_pairs(has_graph=on is not None)
    given = [
        None if path is None else read_known_pairs(path, known, options, strict=strict)
        for path in (pairs, candidates, exclude)
    ]
    shown: dict[str, Any] = {"on": other, "training_edges_only": training_edges_only}
    if not no_probability:
        with progress_bar("calibrating") as bar:
            predictor.calibrate(output=run, progress=bar, whole=other is None and not training_edges_only)
        shown |= {"probability": True, "missing": missing}
    if given[0] is not None:
        found = predictor.score_pairs(given[0], **shown)
    else:
        chosen: dict[str, Any] = {"for_node": for_node, "candidates": given[1], "exclude": given[2]}
        with progress_bar("scoring") as bar:
            found = predictor.predict(top, exact=exact, progress=bar, **shown, **chosen)
    rows = list(zip(*found.pairs.T.tolist(), found.scores.astype(float).tolist(), strict=True))
    write_links(rows, output, found.probability, as_json=as_json, spreadsheet_safe=spreadsheet_safe)
    if output is not None:
        say(f"{len(rows):,} links of {found.num_scored:,} pairs that were scored, to {output}")
    if found.meaning:
        say(found.meaning)


def _load_run(run: Path, threads: int | None, model: str | None) -> "LinkPredictor":
    with loading_models():
        from edgeorbit.prediction import LinkPredictor

        return LinkPredictor.load(run, threads, model=model)


def _check_choice(pairs: Path | None, **others: Any) -> None:
    """Raise an error for options that contradict each other about which pairs are scored."""
    given = [f"--{name.removesuffix('_node').replace('_', '-')}" for name, value in others.items() if value]
    if pairs is not None and given:
        raise InvalidParameterError(f"--pairs says which pairs to score, and so does {given[0]}; leave one of them out")
    if others["exact"] and (others["for_node"] or others["candidates"]):
        raise InvalidParameterError(f"--exact scores all pairs, and {given[1]} only some; leave one of them out")
