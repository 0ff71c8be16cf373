"""Tables as LaTeX for papers, with the rules of booktabs."""

from collections.abc import Sequence

from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables import times
from edgeorbit.experiments.tables.graphs import statistics_table
from edgeorbit.experiments.tables.markdown import number_text, published_text
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import PREFIXES, Table, TableCell, make_tables

_LETTERS = str.maketrans(
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


MARKS = (
    "Best mean (of models with all seeds) in bold; not significantly worse (Wilcoxon's test over the seeds in common, "
    "Holm's correction) in italics; ↑ has fewer seeds, and on those a higher mean than the best; where seeds in common "
    "are too few for a test, ≈ is on those within one standard deviation of the best"
)


def to_latex(all_results: Sequence[Results]) -> str:
    r"""Return all tables of some experiments, one `table` environment each, to be taken in by `\input`."""
    parts = [r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}; written by edgeorbit report"]
    for results in all_results:
        parts += ["", f"% {' '.join(results.title.split())}"]
        if results.kind == STATISTICS:
            parts += ["", *_plain(results, results.title, statistics_table(results))]
        if results.kind == TIME:
            parts += ["", *_plain(results, f"{results.title}. {times.LEGEND}", times.times_table(results))]
        for number, table in enumerate(make_tables(results), 1):
            parts += ["", *_environment(results, table, number)]
    return "\n".join([*parts, ""])


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(escape_latex("hits@20, 5 % of a_b \\ c"))
    hits@20, 5 \% of a\_b \textbackslash{} c
    """
    return " ".join(text.split()).translate(_LETTERS)


def _plain(results: Results, caption: str, table: tuple[list[str], list[list[str]]]) -> list[str]:
    head, body = table
    return _frame(results.title, caption, 0, head, [" & ".join(map(escape_latex, line)) for line in body])


def _environment(results: Results, table: Table, number: int) -> list[str]:
    head = ["model"]
    for column in table.columns:
        head += [f"{column.graph} ({column.seeds})", *(["published"] if column.has_published else [])]
    head += ["rank"] if table.ranking else []
    notes = [results.remarks] if results.remarks else []
    notes += [results.protocol] if results.protocol and any(column.has_published for column in table.columns) else []
    caption = ". ".join([results.title, table.title, MARKS, *notes, *table.notes]).replace("..", ".")
    return _frame(results.title, caption, number, head, [" & ".join(_line(table, model)) for model in table.models])


def _frame(title: str, caption: str, number: int, head: list[str], body: list[str]) -> list[str]:
    """Return the environment around lines that are escaped already."""
    slug = "-".join(letters for letters in "".join(c if c.isalnum() else " " for c in title).lower().split())
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}}}",
        rf"\label{{tab:{slug}-{number}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        r"\toprule",
        " & ".join(map(escape_latex, head)) + r" \\",
        r"\midrule",
        *(line + r" \\" for line in body),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


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
    return marked.get(cell.mark, PREFIXES.get(cell.mark, "").translate(_LETTERS) + text)
