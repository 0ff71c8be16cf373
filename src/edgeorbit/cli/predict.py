"""`edgeorbit evaluate` and `edgeorbit predict`: how good a trained model is, and which links it predicts."""

import csv
import io
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from edgeorbit._text import as_text, printable, shown
from edgeorbit.cli import options
from edgeorbit.cli.backtest_tables import print_backtest
from edgeorbit.cli.console import loading_models, output_console, print_json, progress_bar, say
from edgeorbit.cli.graphs import load
from edgeorbit.cli.tables import print_metrics
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.reading.source import Source

if TYPE_CHECKING:
    from edgeorbit.prediction import LinkPredictor, Predictions

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A directory that edgeorbit train wrote.", show_default=False)]
OwnModel = Annotated[
    str | None,
    typer.Option("--model", metavar="MODULE:CLASS", help="The model of the run, if it is your own."),
]
SAMPLE = 4096  # letters at the beginning of a file, in which a tab says that tabs separate
HEADER = ("source", "target", "score", "probability")  # the last one only if it is known
DIGITS = 4  # of a probability: more would say more than is known


def evaluate_command(
    run: Run,
    model: OwnModel = None,
    negatives: Annotated[
        str | None,
        typer.Option(
            metavar="random|heart|orbit|official",
            help="What held-out edges are ranked against; default: official ones if there are any, else random.",
        ),
    ] = None,
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
    no_backtest: Annotated[
        bool, typer.Option("--no-backtest", help="Leave out the list of likeliest links, which takes all candidates.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
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
    run: Run,
    model: OwnModel = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    threads: options.Threads = None,
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


def predict_command(
    run: Run,
    model: OwnModel = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .csv file; default: print the links.")
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="How many links.")] = 100,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Score the node pairs of this CSV file instead.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Score all pairs, not only those near each other in graph or embedding.")
    ] = False,
    on: Annotated[str | None, typer.Option(metavar="GRAPH", help="Predict for another graph.")] = None,
    features_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with the features of the nodes of that other graph.")
    ] = None,
    features_from: Annotated[
        str | None,
        typer.Option(metavar="GRAPH", help="A data set with the same nodes, for the features."),
    ] = None,
    training_edges_only: Annotated[
        bool, typer.Option("--training-edges-only", help="Hide held-out edges from the model also now.")
    ] = False,
    missing: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="How many links you expect to be missing, which probabilities depend on; default: per known link as "
            "many as validation links per training link.",
        ),
    ] = None,
    no_probability: Annotated[
        bool, typer.Option("--no-probability", help="Scores alone, without calibrating them by held-out links.")
    ] = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the links as JSON.")] = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
    format: options.Format = None,
    columns: options.Columns = None,
) -> None:
    """Predict the likeliest missing links, by your own node names; known edges are never among them.

    Links are CSV, with names as they are; before you open those of somebody else in a spreadsheet, add
    [bold]--spreadsheet-safe[/bold].

    [bold]Examples[/bold]

      edgeorbit predict run --top 20

      edgeorbit predict run --top 1000 -o links.csv

      edgeorbit predict run --pairs candidates.csv -o scores.csv     scores of given pairs

      edgeorbit predict run --on other.csv --features-file other-features.csv     links of another graph
    """
    _check_output(output)
    if pairs is not None and exact:
        raise InvalidParameterError("--pairs says which pairs to score and --exact to score all; leave one of them out")
    if output is not None and as_json:
        raise InvalidParameterError("--json prints the links and --output writes them; leave one of them out")
    if spreadsheet_safe and as_json:
        raise InvalidParameterError("--spreadsheet-safe is for CSV and --json prints JSON; leave one of them out")
    if on is None and any(value is not None for value in (features_file, features_from, format, columns, data_dir)):
        raise InvalidParameterError(
            "the run has its own graph; give --features-file, --features-from, --format, --columns and --data-dir "
            "with --on only"
        )
    if no_probability and missing is not None:
        raise InvalidParameterError("--missing is for probabilities; leave it or --no-probability out")
    predictor = _load_run(run, threads, model)
    other = None
    if on is not None:
        from edgeorbit.data.loading import with_features

        loaded = load(on, data_dir, format, columns, threads, features=True)
        other = with_features(loaded, features_file=features_file, features_from=features_from, data_dir=data_dir)
    shown: dict[str, Any] = {"on": other, "training_edges_only": training_edges_only}
    if not no_probability:
        with progress_bar("calibrating") as bar:
            predictor.calibrate(output=run, progress=bar, whole=other is None and not training_edges_only)
        shown |= {"probability": True, "missing": missing}
    if pairs is not None:
        found = _score_file(predictor, pairs, shown)
    else:
        with progress_bar("scoring") as bar:
            found = predictor.predict(top, exact=exact, progress=bar, **shown)
    rows = _rows_of(found)
    if spreadsheet_safe:
        rows = [(as_text(source), as_text(target), *numbers) for source, target, *numbers in rows]
    if output is not None:
        _write(output, rows)
        say(f"{len(rows):,} links of {found.num_scored:,} pairs that were scored, to {output}")
    elif as_json:
        json.dump([dict(zip(HEADER, row, strict=False)) for row in rows], sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
    else:
        text = io.StringIO()
        _write_rows(text, rows)
        sys.stdout.write(printable(text.getvalue()) if sys.stdout.isatty() else text.getvalue())
    if found.meaning:
        say(found.meaning)


def _rows_of(found: "Predictions") -> list[tuple[Any, ...]]:
    """Return the cells of predicted links; a known link has no probability."""
    rows: list[tuple[Any, ...]] = [
        (*pair, float(score)) for pair, score in zip(found.pairs.tolist(), found.scores.tolist(), strict=True)
    ]
    if found.probability is None:
        return rows
    likely = [None if math.isnan(each) else round(each, DIGITS) for each in found.probability.tolist()]
    return [(*row, each) for row, each in zip(rows, likely, strict=True)]


def _load_run(run: Path, threads: int | None, model: str | None) -> "LinkPredictor":
    with loading_models():
        from edgeorbit.prediction import LinkPredictor

        return LinkPredictor.load(run, threads, model=model)


def _check_output(output: Path | None) -> None:
    """Raise an error for a file that cannot be written: now, and not after all pairs are scored."""
    if output is None:
        return
    if output.suffix != ".csv":
        raise InvalidParameterError(f"{output}: the ending must be .csv")
    if not output.parent.is_dir():
        raise InvalidParameterError(f"{output}: there is no directory {output.parent}; create it first")


def _score_file(predictor: "LinkPredictor", path: Path, shown: dict[str, Any]) -> "Predictions":
    """Score the pairs of a file; an error about a pair names its line."""
    pairs, lines = read_pairs(path)
    from edgeorbit.prediction.node_numbers import UnknownPairError

    try:
        found: Predictions = predictor.score_pairs(pairs, **shown)
    except UnknownPairError as error:
        header = ", and a header is source,target" if lines[error.row] == 1 else ""
        raise GraphFormatError(f"{path} line {lines[error.row]}: {error.reason}{header}") from None
    return found


def read_pairs(path: Path) -> tuple[list[list[str]], list[int]]:
    """Read two node ids from every line of a comma- or tab-separated file; return them and their line numbers."""
    pairs, lines = [], []
    try:
        source = Source(path)
        for number, row in source.rows(lambda text: "\t" if "\t" in text[:SAMPLE] else ","):
            cells = [cell.strip() for cell in row[:2]]
            if not any(row) or (number == 1 and [cell.lower() for cell in cells] == ["source", "target"]):
                continue
            if len(cells) < 2 or not all(cells):
                raise source.error(f"expected two node ids, found {shown(','.join(row), 40)!r}", number)
            pairs.append(cells)
            lines.append(number)
    except FileNotFoundError:
        raise GraphFormatError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise GraphFormatError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    if not pairs:
        raise GraphFormatError(f"{path}: holds no pairs; give two node ids on each line")
    return pairs, lines


def _write(path: Path, rows: list[tuple[Any, ...]]) -> None:
    from edgeorbit._files import atomic_path

    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        _write_rows(file, rows)


def _write_rows(file: TextIO, rows: list[tuple[Any, ...]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER[: len(rows[0]) if rows else 3])
    writer.writerows(rows)
