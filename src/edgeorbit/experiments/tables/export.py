"""Tables for other programs: LaTeX for papers, with the rules of booktabs, and CSV in long form."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from edgeorbit._text import as_text
from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.markdown import number_text, published_text
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.special import seconds_by_graph, statistics_table, times_legend, times_table
from edgeorbit.experiments.tables.table import PREFIXES, Table, TableCell, make_tables
from edgeorbit.measures.summary import SUMMARY_LABELS

_LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "≈": r"$\approx$",
        "↑": r"$\uparrow$",
    }
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}"}
)
MOST_COLUMNS = 6  # of a table, beside the names of models: with more, letters are too small to be read
LINE = 70  # letters of a usual line of a paper
GAP = 2  # between columns, in letters

MARKS = (
    "Best mean (of models with all seeds) in bold; not significantly worse (Wilcoxon's test over the seeds in common, "
    "Holm's correction) in italics; ↑ has fewer seeds, and on those a higher mean than the best; where seeds in common "
    "are too few for a test, ≈ is on those within one standard deviation of the best"
)
HEAD = (
    *("experiment", "features", "negatives", "metric", "graph", "model", "mean", "deviation", "seeds", "mark"),
    *("pairs", "p_holm", "smallest_p", "mean_rank", "published_mean", "published_deviation"),
)


def to_latex(all_results: Sequence[Results]) -> str:
    r"""Return all tables of some experiments, to be taken in by `\input`.

    What is said of all tables of an experiment is a paragraph before them. A table with many columns is continued in
    further `table` environments, and what is still too wide for a line is made smaller.
    """
    packages = r"\usepackage{booktabs}, \usepackage{graphicx} and \usepackage[T1]{fontenc}"
    parts = [f"% needs {packages}; written by edgeorbit report"]
    for results in all_results:
        parts += ["", f"% {' '.join(results.title.split())}", *_remarks(results)]
        if results.kind == STATISTICS:
            parts += _plain(results, _captions(results.title), statistics_table(results), together=1)
        if results.kind == TIME:
            captions = _captions(results.title, times_legend(results))
            parts += _plain(results, captions, times_table(results), together=2)
        for number, table in enumerate(make_tables(results), 1):
            parts += _environments(results, table, number)
    return "\n".join([*parts, ""])


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(escape_latex("hits@20, 5 % of a_b \\ c"))
    hits@20, 5 \% of a\_b \textbackslash{} c
    """
    return " ".join(text.split()).translate(_LATEX)


def _remarks(results: Results) -> list[str]:
    said = ("Remarks", results.remarks), ("Published figures", results.protocol)
    remarks = [f"{name}: {' '.join(text.split())}" for name, text in said if text]
    text = " ".join([*results.notes, *remarks])
    return ["", rf"\paragraph{{{escape_latex(results.title)}}} {escape_latex(text)}"] if text else []


def _plain(
    results: Results, captions: tuple[str, str], table: tuple[list[str], list[list[str]]], together: int
) -> list[str]:
    """Return a table whose columns belong together by so many."""
    head, body = table
    groups = [list(range(start, start + together)) for start in range(1, len(head), together)]
    lines = [[escape_latex(cell) for cell in line] for line in body]
    return _frames(results.title, captions, 0, [escape_latex(cell) for cell in head], lines, groups)


def _environments(results: Results, table: Table, number: int) -> list[str]:
    head, groups = ["model"], []
    for column in table.columns:
        shown = [f"{column.graph} ({column.seeds})", *(["published"] if column.has_published else [])]
        groups.append(list(range(len(head), len(head) + len(shown))))
        head += shown
    if table.ranking:
        groups.append([len(head)])
        head.append("rank")
    lines = [_line(table, model) for model in table.models]
    captions = _captions(f"{results.title}. {table.title}", MARKS, *table.notes)
    return _frames(results.title, captions, number, [escape_latex(cell) for cell in head], lines, groups)


def _frames(
    title: str,
    captions: tuple[str, str],
    number: int,
    head: list[str],
    lines: list[list[str]],
    groups: list[list[int]],
) -> list[str]:
    """Return the environments around cells that are escaped already; the columns of a group stay together."""
    slug = "-".join(letters for letters in "".join(c if c.isalnum() else " " for c in title).lower().split())
    parts = []
    for place, columns in enumerate(_pack(groups), 1):
        chosen = [[line[column] for column in (0, *columns)] for line in (head, *lines)]
        wide = sum(max(map(_width, cells)) + GAP for cells in zip(*chosen, strict=True)) > LINE
        parts += [
            "",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{captions[0] if place == 1 else captions[1]}}}",
            rf"\label{{tab:{slug}-{number}{f'-{place}' if place > 1 else ''}}}",
            *([r"\resizebox{\linewidth}{!}{%"] if wide else []),
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            " & ".join(chosen[0]) + r" \\",
            r"\midrule",
            *(" & ".join(line) + r" \\" for line in chosen[1:]),
            r"\bottomrule",
            r"\end{tabular}" + ("%" if wide else ""),
            *(["}"] if wide else []),
            r"\end{table}",
        ]
    return parts


def _pack(groups: list[list[int]]) -> list[list[int]]:
    """Return the columns of each table: few enough to be read, and about as many in all of them.

    >>> _pack([[1], [2, 3], [4], [5], [6], [7], [8]])
    [[1, 2, 3, 4], [5, 6, 7, 8]]
    """
    total = sum(map(len, groups))
    target = math.ceil(total / math.ceil(total / MOST_COLUMNS)) if total else 0
    packed: list[list[int]] = [[]]
    for group in groups:
        if packed[-1] and len(packed[-1]) + len(group) > target:
            packed.append([])
        packed[-1] += group
    return packed


def _captions(name: str, *notes: str) -> tuple[str, str]:
    """Return the caption of a table, and that of its continuations."""
    return escape_latex(". ".join([name, *notes]).replace("..", ".")), escape_latex(f"{name} (continued)")


def _width(cell: str) -> int:
    """Return about how many letters an escaped cell has in print."""
    return len(re.sub(r"\\[a-z]+|[{}$\\]", "", cell))


def _line(table: Table, model: str) -> list[str]:
    line = [escape_latex(model)]
    for column in table.columns:
        cell = table.cells.get((model, column.graph))
        line.append(_shown(cell, column.seeds) if cell else "")
        if column.has_published:
            line.append(escape_latex(published_text(cell.published)) if cell else "")
    if table.ranking:
        rank = table.ranking.ranks.get(model)
        line.append("" if rank is None else f"{rank:.2f}")
    return line


def _shown(cell: TableCell, seeds: int) -> str:
    text = escape_latex(number_text(cell, seeds))
    marked = {"best": rf"\textbf{{{text}}}", "not worse": rf"\textit{{{text}}}"}
    return marked.get(cell.mark, PREFIXES.get(cell.mark, "").translate(_LATEX) + text)


def to_csv(all_results: Sequence[Results], *, spreadsheet_safe: bool = False) -> str:
    """Return all tables of some experiments; what is unknown is empty.

    A spreadsheet would take text that begins with `=`, `+`, `-` or `@` for a formula; on demand it is escaped.

    Means and deviations are in percent, but for statistics of graphs, which stand as they are, and running times, of
    which the median replaces the mean.
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
