"""`edgeorbit evaluate` and `edgeorbit predict`: how good a trained model is, and which links it predicts."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from edgeorbit._text import as_text, printable, shown
from edgeorbit.cli import options
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
HEADER = ("source", "target", "score")


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
    as_json: options.ResultsAsJson = False,
    threads: options.Threads = None,
) -> None:
    """Measure a trained model on its held-out edges: AUC, AP, MRR, Hits@K, as fractions.

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
        result = predictor.evaluate(negatives, with_valid_edges=with_valid_edges, progress=bar, output=run, **chosen)
    found = result.as_dict()
    if as_json:
        print_json([found])
    else:
        print_metrics(output_console(), found)


Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .csv file; default: print the links.")
]
Top = Annotated[int, typer.Option(metavar="N", help="How many links.")]
Pairs = Annotated[Path | None, typer.Option(metavar="FILE", help="Score the node pairs of this CSV file instead.")]
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
PredictAsJson = Annotated[bool, typer.Option("--json", help="Print the links as JSON.")]


def predict_command(
    run: Run,
    model: OwnModel = None,
    output: Output = None,
    top: Top = 100,
    pairs: Pairs = None,
    exact: PredictExact = False,
    on: On = None,
    features_file: FeaturesFile = None,
    features_from: FeaturesFrom = None,
    training_edges_only: TrainingEdgesOnly = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    as_json: PredictAsJson = False,
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
    predictor = _load_run(run, threads, model)
    other = None
    if on is not None:
        from edgeorbit.data.loading import with_features

        loaded = load(on, data_dir, format, columns, threads, features=True)
        other = with_features(loaded, features_file=features_file, features_from=features_from, data_dir=data_dir)
    shown: dict[str, Any] = {"on": other, "training_edges_only": training_edges_only}
    if pairs is not None:
        found = _score_file(predictor, pairs, shown)
    else:
        with progress_bar("scoring") as bar:
            found = predictor.predict(top, exact=exact, progress=bar, **shown)
    rows = [(*pair, float(score)) for pair, score in zip(found.pairs.tolist(), found.scores.tolist(), strict=True)]
    if spreadsheet_safe:
        rows = [(as_text(source), as_text(target), score) for source, target, score in rows]
    if output is not None:
        _write(output, rows)
        say(f"{len(rows):,} links of {found.num_scored:,} pairs that were scored, to {output}")
    elif as_json:
        json.dump([dict(zip(HEADER, row, strict=True)) for row in rows], sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
    else:
        text = io.StringIO()
        _write_rows(text, rows)
        sys.stdout.write(printable(text.getvalue()) if sys.stdout.isatty() else text.getvalue())


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
    from edgeorbit.prediction.predictions import UnknownPairError

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
    writer.writerow(HEADER)
    writer.writerows(rows)
