"""Tables as a page of Markdown, and the page that compares one model with all others."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import STATISTICS, TIME, Experiment
from edgeorbit.experiments.statistics import LEVEL, Values, deviation, holm, paired_p, smallest_p
from edgeorbit.experiments.tables.results import Results, Row, gather_results
from edgeorbit.experiments.tables.special import (
    TITLE,
    searches_said,
    searches_table,
    statistics_table,
    times_legend,
    times_table,
)
from edgeorbit.experiments.tables.table import PREFIXES, Table, TableCell, graph_facts, make_tables

LEGEND = (
    "Per cent: mean and standard deviation over seeds, each with weights of its own and, unless it comes with the "
    "data, a split of its own; in brackets the number of seeds where it is not that of the column's head. The weights "
    "are chosen by the validation metric on random negatives, on validation edges alone."
)
DIFFERENCE = "ours - published"
MARKS = (
    "Best mean in {best} (all that have it), of models with all seeds of the column. In {not_worse}: not "
    "significantly worse than the best (Wilcoxon's signed-rank test over the seeds that both have, two-sided, level "
    f"{LEVEL:g} after Holm's correction within the column). A model with fewer seeds is never the best, as its mean is "
    "one of other splits; it is held against the best on the seeds that both have, and ↑ marks it if its mean is "
    "higher there. Where a model shares too few seeds with the best for a test to find a difference, it does not count "
    "as worse, and {near} marks it if on those seeds its mean is within one standard deviation of the best one's (its "
    "own deviation or the best one's)."
)
_LETTERS = str.maketrans({letter: "\\" + letter for letter in "\\|<>*_`["})
AGAINST_LEGEND = (
    "Percentage points by which a model is ahead of {model}: the mean difference over the seeds that both have, its "
    "standard deviation, and how many seeds these are. In bold: significant by Wilcoxon's signed-rank test (two-sided, "
    f"level {LEVEL:g} after Holm's correction for all models of the row); five seeds are too few for it. On the right "
    "the model that comes next. Rows without a model on the left are those where {model} is first."
)


def to_markdown(experiment: Experiment, rows: list[Row], command: str) -> str:
    """Return all tables of an experiment as a page, which says by which command it was written."""
    return results_to_markdown(gather_results(experiment, rows), command)


def results_to_markdown(results: Results, command: str) -> str:
    """Return all tables as a page: one for every kind of features and negatives and every metric."""
    marks = MARKS.format(best="bold", not_worse="italics", near="≈")
    parts = [f"# {results.title}", "", f"This page is written by `{command}`; do not edit it.", ""]
    if results.kind == STATISTICS:
        lines = _plain(statistics_table(results))
        return "\n".join([*parts, *_notes(results), *lines, *_failures(results), ""])
    parts += [f"{LEGEND} {marks}", ""]
    parts += [line for note in results.notes for line in (note, "")]
    parts += [*_notes(results), *_facts(results), *_searches(results)]
    if results.kind == TIME:
        parts += ["", "## Time", "", escape(times_legend(results)), "", *_plain(times_table(results))]
    for table in make_tables(results):
        parts += ["", f"## {escape(table.title)}", "", *_table(table)]
        parts += [line for note in table.notes for line in ("", escape(note))]
    return "\n".join([*parts, *_failures(results), ""])


def _plain(table: tuple[list[str], list[list[str]]]) -> list[str]:
    head, body = table
    return table_lines([escape(cell) for cell in head], [[escape(cell) for cell in line] for line in body])


def _notes(results: Results) -> list[str]:
    protocol = results.protocol
    if protocol and results.published:
        protocol = f"{protocol.rstrip().rstrip('.')}. In the tables, {DIFFERENCE} is in percentage points."
    notes = ("Remarks", results.remarks), ("Published figures", protocol)
    return [line for name, text in notes if text for line in (f"{name}: {escape(text)}", "")]


def _searches(results: Results) -> list[str]:
    told = searches_said(results)
    if not told:
        return []
    head, lines = searches_table(results)
    parts = [line for sentence in told for line in ("", sentence)]
    return ["", f"## {TITLE}", *parts, *(["", *_plain((head, lines))] if lines else [])]


def _failures(results: Results) -> list[str]:
    told = [
        f"- {escape(model)} on {escape(graph)}, {escape(features)} features: {escape(why)}"
        for model, graph, features, why in results.failures
    ]
    return ["", "## Runs that failed", "", *told] if told else []


def _facts(results: Results) -> list[str]:
    titles, facts = graph_facts(results)
    body = [
        [escape(graph), *(f"{known[name]:.3f}" if name in known else "" for name in titles)]
        for graph, known in facts.items()
    ]
    return table_lines(["graph, mean over seeds", *titles.values()], body) if body else []


def _table(table: Table) -> list[str]:
    head = ["model"]
    for column in table.columns:
        head.append(f"{escape(column.graph)} ({column.seeds})")
        head += ["published", DIFFERENCE] if column.has_published else []
    head += ["rank"] if table.ranking else []
    body = []
    for model in table.models:
        line = [escape(model)]
        for column in table.columns:
            cell = table.cells.get((model, column.graph))
            line.append(_shown(cell, column.seeds) if cell else "")
            line += _published(cell) if column.has_published else []
        if table.ranking:
            rank = table.ranking.ranks.get(model)
            line.append("" if rank is None else f"{rank:.2f}")
        body.append(line)
    return table_lines(head, body)


def _shown(cell: TableCell, seeds: int) -> str:
    text = number_text(cell, seeds)
    return {"best": f"**{text}**", "not worse": f"*{text}*"}.get(cell.mark, PREFIXES.get(cell.mark, "") + text)


def number_text(cell: TableCell, seeds: int) -> str:
    """Return mean, deviation, and the number of seeds if it is not that of the column.

    >>> number_text(TableCell(84.0, 1.5, 4), seeds=5)
    '84.00 ± 1.50 (4)'
    """
    text = f"{cell.mean:.2f}" + ("" if cell.deviation is None else f" ± {cell.deviation:.2f}")
    return text + (f" ({cell.number})" if cell.number < seeds else "")


def published_text(values: Sequence[float]) -> str:
    """Return what was published.

    >>> published_text([50.01, 6.04]), published_text([28.34]), published_text([])
    ('50.01 ± 6.04', '28.34', '')
    """
    return " ± ".join(f"{value:.2f}" for value in values)


def _published(cell: TableCell | None) -> list[str]:
    if cell is None:
        return ["", ""]
    return [published_text(cell.published), difference_text(cell)]


def difference_text(cell: TableCell) -> str:
    """Return how far ours is above what was published.

    >>> [difference_text(TableCell(mean, 1.5, 4, published=[85.25])) for mean in (84.0, 85.249)]
    ['-1.25', '+0.00']
    """
    if cell.above_published is None:
        return ""
    return f"{round(cell.above_published, 2) + 0.0:+.2f}"  # no -0.00


def escape(text: str) -> str:
    """Return text that means itself, on one line."""
    return " ".join(text.split()).translate(_LETTERS)


def table_lines(head: list[str], body: list[list[str]], *, numbers: bool = True) -> list[str]:
    """Return the lines of a table, all but the first column to the right if they are numbers; cells are Markdown."""
    rule = ["---", *["--:" if numbers else "---"] * (len(head) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *body)]


class Difference(NamedTuple):
    """How far a model is ahead of another: mean over the seeds that both have, deviation, and whether it is proved."""

    model: str
    points: float
    deviation: float | None
    seeds: int
    proved: bool

    def __str__(self) -> str:
        """Write it down."""
        spread = "" if self.deviation is None else f" ± {self.deviation:.1f}"
        points = round(self.points, 1) or 0.0  # which has no sign
        return f"{self.model} {points:+.1f}{spread} ({self.seeds})"


def differences(found: Mapping[str, Values], model: str) -> list[Difference]:
    """Return how far each other model is ahead of one, the furthest first, of those that share a seed with it.

    Parameters
    ----------
    found
        By model, what it reached by seed.
    model
        The one that the others are compared with.

    Examples
    --------
    >>> seeds = range(7)
    >>> found = {"gcn": {s: 70.0 + s for s in seeds}, "eo-gnn": {s: 90.0 for s in seeds}, "ncn": {0: 90.5}}
    >>> [str(one) for one in differences(found, "eo-gnn")]
    ['ncn +0.5 (1)', 'gcn -17.0 ± 2.2 (7)']
    >>> differences(found, "eo-gnn")[1].proved
    True
    """
    own = found[model]
    both = {
        name: np.array([[values[seed], own[seed]] for seed in values if seed in own]).reshape(-1, 2).T
        for name, values in found.items()
        if name != model
    }
    tested = [name for name, (theirs, _) in both.items() if smallest_p(len(theirs)) <= LEVEL]
    p = dict(zip(tested, holm([paired_p(*both[name]) for name in tested]).tolist(), strict=True))
    compared = [
        Difference(name, float(gaps.mean()), deviation(gaps), len(gaps), p.get(name, 1.0) <= LEVEL)
        for name, (theirs, ours) in both.items()
        if len(gaps := theirs - ours)
    ]
    return sorted(compared, key=lambda one: -one.points)


def against_to_markdown(all_results: Sequence[Results], model: str, command: str) -> str:
    """Return a page that compares one model with all others, in all tables of some experiments.

    Raises
    ------
    InvalidParameterError
        If no experiment has that model.
    """
    parts = [f"# {escape(model)} against all others", "", f"This page is written by `{command}`; do not edit it."]
    parts += ["", AGAINST_LEGEND.format(model=escape(model))]
    known = list(dict.fromkeys(name for results in all_results for name in results.order))
    if model not in known:
        raise InvalidParameterError(f"there are no results of {model!r}; choose from {', '.join(known)}")
    for results in all_results:
        if model not in results.order:
            continue
        parts += ["", f"## {escape(results.title)}"]
        parts += [line for note in results.notes for line in ("", note)]
        for table in make_tables(results):
            body = []
            for graph, found in results.values(table.features, table.negatives, table.metric).items():
                if model in found:
                    own = np.mean(list(found[model].values()))
                    body.append([escape(graph), f"{own:.2f}", *_sides(differences(found, model))])
            if body:
                head = ["graph", escape(model), "ahead of it", "next behind it"]
                parts += ["", f"### {escape(table.title)}", "", *table_lines(head, body, numbers=False)]
    return "\n".join([*parts, ""])


def _sides(compared: Sequence[Difference]) -> tuple[str, str]:
    """Return who is ahead, and the first who is not."""
    ahead = [one for one in compared if one.points > 0]
    behind = compared[len(ahead) : len(ahead) + 1]
    shown = [f"**{escape(str(one))}**" if one.proved else escape(str(one)) for one in (*ahead, *behind)]
    return "; ".join(shown[: len(ahead)]), "".join(shown[len(ahead) :])
