"""Files of node pairs that a command reads, and of scored links that it writes."""

import csv
import io
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from edgeorbit._text import as_text, printable, shown
from edgeorbit.cli.console import say
from edgeorbit.errors import GraphFormatError, InvalidParameterError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from edgeorbit.graph.graph import Graph
    from edgeorbit.graph.reading.options import ReadOptions

HEADER = ("node_a", "node_b", "score")  # links have no direction
PROBABILITY = "probability"
DIGITS = 4  # of a probability: more would say more than is known
SUFFIXES = (".csv", ".parquet", ".json")
LISTED = 10  # unknown nodes, at most, in a message

Header = tuple[str, ...]
Rows = Sequence[tuple[Any, ...]]


def read_known_pairs(path: Path, graph: "Graph", options: "ReadOptions", *, strict: bool) -> "npt.NDArray[Any]":
    """Read the pairs of a file by the ids of a graph; say what was read, and which nodes are unknown and skipped.

    With `strict`, an unknown node is an error that names the line.
    """
    from edgeorbit.graph.reading.pairs import check_known, read_pairs

    pairs = read_pairs(path, options)
    numbers = pairs.node_numbers(graph)
    known = (numbers >= 0).all(axis=1)
    if strict or not known.any():
        check_known(pairs, numbers, graph)
    columns = " and ".join(pairs.report.columns or ())
    header = {True: "with a header", False: "without a header", None: "Parquet"}[pairs.report.header]
    line = f"{pairs.report.file}: {len(pairs):,} pairs from {shown(columns, 80)} ({pairs.report.why}), {header}"
    if not known.all():
        unknown = pairs.unknown(numbers)
        names = ", ".join(shown(name, 40) for name in unknown[:LISTED])
        more = f" and {len(unknown) - LISTED:,} more" if len(unknown) > LISTED else ""
        line += f"; {int((~known).sum()):,} skipped, whose nodes are not in {graph.name}: {names}{more}"
    say(f"{line}.")
    ids: npt.NDArray[Any] = graph.names(numbers[known])
    return ids


def check_output(output: Path | None) -> None:
    """Raise an error for a file that cannot be written: now, and not after all pairs are scored."""
    if output is None:
        return
    if output.suffix not in SUFFIXES:
        raise InvalidParameterError(f"{output}: the ending must be .csv, .parquet or .json")
    if not output.parent.is_dir():
        raise InvalidParameterError(f"{output}: there is no directory {output.parent}; create it first")


def write_links(
    rows: Rows,
    output: Path | None,
    probability: "npt.NDArray[np.float64] | None" = None,
    *,
    as_json: bool,
    spreadsheet_safe: bool,
) -> None:
    """Write scored links to a file, or print them; with their probabilities if there are any, None for NaN."""
    header: Header = HEADER
    if probability is not None:
        likely = [None if math.isnan(each) else round(each, DIGITS) for each in probability.tolist()]
        header, rows = (*HEADER, PROBABILITY), [(*row, each) for row, each in zip(rows, likely, strict=True)]
    if spreadsheet_safe:
        rows = [(as_text(first), as_text(second), *rest) for first, second, *rest in rows]
    if output is not None:
        _write(output, header, rows)
    elif as_json:
        sys.stdout.write(_json(header, rows))
    else:
        text = io.StringIO()
        _write_rows(text, header, rows)
        sys.stdout.write(printable(text.getvalue()) if sys.stdout.isatty() else text.getvalue())


def _json(header: Header, rows: Rows) -> str:
    return json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=2, default=str) + "\n"


def _write(path: Path, header: Header, rows: Rows) -> None:
    from edgeorbit._files import atomic_path

    with atomic_path(path) as temporary:
        if path.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = zip(*rows, strict=True) if rows else [()] * len(header)
            try:
                table = pa.table(dict(zip(header, map(list, columns), strict=True)))
            except pa.ArrowException as error:
                raise GraphFormatError(f"{path}: cannot hold these ids ({error}); write .csv instead") from None
            pq.write_table(table, temporary, compression="zstd")
            return
        with temporary.open("w", newline="", encoding="utf-8") as file:
            if path.suffix == ".json":
                file.write(_json(header, rows))
            else:
                _write_rows(file, header, rows)


def _write_rows(file: TextIO, header: Header, rows: Rows) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
