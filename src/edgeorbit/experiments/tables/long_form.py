"""Tables as CSV in long form: a line for every model on every graph, every number unrounded."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from edgeorbit._text import as_text
from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import make_tables
from edgeorbit.experiments.tables.times import seconds_by_graph
from edgeorbit.measures.summary import SUMMARY_LABELS

HEAD = (
    *("experiment", "features", "negatives", "metric", "graph", "model", "mean", "deviation", "seeds", "mark"),
    *("pairs", "p_holm", "smallest_p", "mean_rank", "published_mean", "published_deviation"),
)


def to_csv(all_results: Sequence[Results], *, spreadsheet_safe: bool = False) -> str:
    """Return all tables of some experiments; what is unknown is empty.

    A spreadsheet would take text that begins with `=`, `+`, `-` or `@` for a formula; on demand it is escaped.

    Means and deviations are in per cent, but for statistics of graphs, which stand as they are, and running times, of
    which the median stands in the place of the mean.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    for results in all_results:
        for line in _lines(results):
            writer.writerow(map(as_text, line) if spreadsheet_safe else line)
    return text.getvalue()


def _lines(results: Results) -> Iterator[Iterable[Any]]:
    """Return the lines of an experiment."""
    for row in results.rows if results.kind == STATISTICS else ():
        stated = results.stated.get(row["data"], {})
        for name in SUMMARY_LABELS:
            if row.get(name) is not None:
                line = dict.fromkeys(HEAD) | {"experiment": results.title, "metric": name, "graph": row["data"]}
                yield (line | {"mean": row[name], "published_mean": stated.get(name)}).values()
    for (graph, features), models in seconds_by_graph(results).items() if results.kind == TIME else ():
        for model, seconds in models.items():
            line = dict.fromkeys(HEAD) | {"experiment": results.title, "features": features, "graph": graph}
            line |= {"metric": "median seconds", "model": model}
            yield (line | {"mean": median(seconds.values()), "seeds": len(seconds)}).values()
    for table in make_tables(results):
        ranks = table.ranking.ranks if table.ranking else {}
        for column in table.columns:
            for model in table.models:
                cell = table.cells.get((model, column.graph))
                if cell is None:
                    continue
                published = [*cell.published, None, None][:2]
                yield [
                    *(results.title, table.features, table.negatives, table.metric, column.graph, model),
                    *(cell.mean, cell.deviation, cell.number, cell.mark, cell.pairs, cell.p),
                    *(column.comparison.reachable, ranks.get(model), *published),
                ]
