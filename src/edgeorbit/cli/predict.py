"""`edgeorbit predict`: the links that a trained model believes are missing."""

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import load, load_numba_quickly, message_console, progress_bar
from edgeorbit.cli.evaluate import Run
from edgeorbit.errors import GraphFormatError, InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.prediction import Predictions

HEADER = ("source", "target", "score")


def predict_command(
    run: Run,
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
    training_edges_only: Annotated[
        bool, typer.Option("--training-edges-only", help="Hide held-out edges from the model also now.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the links as JSON.")] = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
    format: options.Format = None,
    columns: options.Columns = None,
) -> None:
    """Predict the likeliest missing links, by your own node names; known edges are never among them.

    [bold]Examples[/bold]

      edgeorbit predict run --top 20

      edgeorbit predict run --top 1000 -o links.csv

      edgeorbit predict run --pairs candidates.csv -o scores.csv     scores of given pairs
    """
    if output is not None and output.suffix != ".csv":
        raise InvalidParameterError(f"{output}: the ending must be .csv")
    load_numba_quickly()
    with message_console().status("loading"):
        from edgeorbit.prediction import LinkPredictor

        predictor = LinkPredictor.load(run, threads)
    other = None if on is None else load(on, data_dir, format, columns, threads, features=True)
    shown: dict[str, Any] = {"on": other, "training_edges_only": training_edges_only}
    if pairs is not None:
        found = _score_file(predictor, pairs, shown)
    else:
        with progress_bar("scoring") as bar:
            found = predictor.predict(top, exact=exact, progress=bar, **shown)
    rows = [(*pair, float(score)) for pair, score in zip(found.pairs.tolist(), found.scores.tolist(), strict=True)]
    if output is not None:
        _write(output, rows)
        message_console().print(f"{len(rows):,} links to {output}", highlight=False, markup=False)
    elif as_json:
        json.dump([dict(zip(HEADER, row, strict=True)) for row in rows], sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)


def _score_file(predictor: Any, path: Path, shown: dict[str, Any]) -> "Predictions":
    """Score the pairs of a file; what is wrong with one is said with its line."""
    pairs, lines = read_pairs(path)
    from edgeorbit.prediction.node_numbers import UnknownPairError

    try:
        found: Predictions = predictor.score(pairs, **shown)
    except UnknownPairError as error:
        raise GraphFormatError(f"{path} line {lines[error.row]}: {error.reason}") from None
    return found


def read_pairs(path: Path) -> tuple[list[list[str]], list[int]]:
    """Read two node ids from every line of a comma- or tab-separated file; return them and their line numbers."""
    pairs, lines = [], []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            sample = file.read(4096)
            file.seek(0)
            delimiter = "\t" if "\t" in sample else ","
            for number, row in enumerate(csv.reader(file, delimiter=delimiter), 1):
                cells = [cell.strip() for cell in row[:2]]
                if not any(row) or (number == 1 and [cell.lower() for cell in cells] == ["source", "target"]):
                    continue
                if len(cells) < 2 or not all(cells):
                    raise GraphFormatError(f"{path} line {number}: expected two node ids, found {','.join(row)!r}")
                pairs.append(cells)
                lines.append(number)
    except FileNotFoundError:
        raise GraphFormatError(f"{path}: there is no such file; check the path") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GraphFormatError(f"{path}: is not a readable text file ({error}); give comma-separated text") from None
    if not pairs:
        raise GraphFormatError(f"{path}: holds no pairs; give two node ids on each line")
    return pairs, lines


def _write(path: Path, rows: list[tuple[Any, ...]]) -> None:
    from edgeorbit.files import atomic_path

    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)
