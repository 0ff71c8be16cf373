"""The results as tables: on the screen, and as the page of the documentation."""

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.goals import Goal, Results, judge
from benchmarks.measure import Measurement
from benchmarks.methods import METHODS

COLUMNS = ["method", "threads", "time", "x edgeorbit", "x gather", "conversion", "memory", "rounds", "colours"]
BUSY = 0.5  # load average from which on others disturb the times
UPDATED = (
    "Since the run of everything, some methods were measured again on some graphs (`--update`), with others beside."
)
VERDICTS = {True: "met", False: "not met", None: "not measured"}
STYLES = {True: "green", False: "red", None: "dim"}


def title_of(graph: dict[str, Any]) -> str:
    """Return the graph's title with its size, or why it was not measured."""
    if "num_nodes" not in graph:
        return f"{graph['title']}: skipped ({graph['note']})"
    return f"{graph['title']}: {graph['num_nodes']:,} nodes, {graph['num_edges']:,} edges"


def rows_of(graph: dict[str, Any]) -> list[list[str]]:
    """Return the rows of the graph's table, as text."""
    results = Results({"graphs": [graph]})
    name = graph["name"]
    found = [Measurement(**stored) for stored in graph["measurements"]]
    exact = results.get(name, "worklist") or results.get(name, "edgeorbit", 1)
    reference = exact.colours if exact else None
    rows = []
    for m in found:
        method = METHODS[m.method]
        ours, gather = results.seconds(name, method.beside, m.threads), results.seconds(name, "gather", m.threads)
        row = [method.title, str(m.threads), _time_of(m), _ratio(m, ours)]
        row += [_ratio(m, gather if method.beside == "edgeorbit" else None)]
        row += [_time(m.conversion) if method.converts else "", _size(m.memory)]
        rows.append([*row, _count(m.rounds), _colours(m, reference)])
    return rows


def goal_rows(goals: list[Goal]) -> list[list[str]]:
    """Return the rows of the table of goals."""
    return [[goal.title, goal.bound, goal.measured, VERDICTS[goal.met]] for goal in goals]


def print_graph(console: Console, graph: dict[str, Any]) -> None:
    """Print the table of one graph."""
    if "num_nodes" not in graph:
        console.print(title_of(graph), style="dim")
        return
    table = Table(title=title_of(graph), title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "method" else "right")
    for row in rows_of(graph):
        table.add_row(*row, style="bold" if row[0] == METHODS["edgeorbit"].title else "")
    console.print(table)


def print_goals(console: Console, stored: dict[str, Any]) -> None:
    """Print which goals are met."""
    goals = judge(Results(stored))
    table = Table(title="Goals" + (" (at the sizes of --quick they say little)" if stored["quick"] else ""))
    for column in ("goal", "bound", "measured", "verdict"):
        table.add_column(column)
    for goal, row in zip(goals, goal_rows(goals), strict=True):
        table.add_row(*row[:3], f"[{STYLES[goal.met]}]{row[3]}[/]")
    console.print(table)


def busy_note(machine: dict[str, Any]) -> str:
    """Return a sentence that warns of other processes, if there were any when the run began."""
    if machine["load"] < BUSY:
        return ""
    return f"The machine was busy when this run began (load {machine['load']:g}): times are upper bounds."


def to_markdown(stored: dict[str, Any]) -> str:
    """Return the page of the documentation."""
    machine = stored["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    parts = [
        "# Benchmarks",
        "",
        "This page is written by `python -m benchmarks --write docs/benchmarks.md` from the results of",
        "`python -m benchmarks`; do not edit it.",
        "",
        f"Measured on {stored['date']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}, {versions}" + (", at the small sizes of `--quick`." if stored["quick"] else "."),
        "",
        "Every measurement ran in a process of its own. Time is the best of several repeats with the graph in memory;",
        "conversion is what a peer needs first to bring the graph into its own form. Ratios compare with edgeorbit and",
        "with gather at the same number of threads, scipy's way from edges to CSR with ours from edges to EAR, and",
        "scipy's sums over common neighbours with ours.",
        f"Memory is the peak beside the graph. A measurement was stopped after {stored['limit']:g} s, conversion",
        "included. Colours are checked against the exact worklist.",
        *filter(None, [busy_note(machine), UPDATED if stored.get("updated") else ""]),
        "",
        "## Goals",
        "",
        *markdown_table(["goal", "bound", "measured", "verdict"], goal_rows(judge(Results(stored))), right=[]),
        "",
        "## What is timed",
        "",
        *markdown_table(["method", "what is timed"], [[m.title, m.measures] for m in METHODS.values()], right=[]),
    ]
    for graph in stored["graphs"]:
        parts += ["", f"## {title_of(graph)}"]
        if graph["measurements"]:
            parts += ["", *markdown_table(COLUMNS, rows_of(graph), right=range(1, len(COLUMNS)))]
    return "\n".join([*parts, ""])


def markdown_table(columns: list[str], rows: list[list[str]], right: Any) -> list[str]:
    """Return the lines of a table; columns of these numbers are aligned to the right."""
    rule = ["--:" if i in right else "---" for i in range(len(columns))]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (columns, rule, *rows)]


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{_three(seconds * 1000)} ms" if seconds < 1 else f"{_three(seconds)} s"


def _three(value: float) -> str:
    """Return a number with about three digits, and never with an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _time_of(m: Measurement) -> str:
    if m.status == "ok":
        return _time(m.seconds)
    if m.status == "time":
        return f"> {_time(m.stopped_after)}" if m.stopped_after else f"conversion > {m.limit:g} s"
    texts = {"memory": "out of memory", "unavailable": "not installed"}
    return texts.get(m.status, f"failed: {m.note}")


def _ratio(m: Measurement, other: float | None) -> str:
    mine = m.at_least
    if mine is None or not other:
        return ""
    ratio = mine / other
    return ("> " if m.status == "time" else "") + _three(ratio)


def _size(memory: int | None) -> str:
    return "" if memory is None else f"{memory / 1e6:,.1f} MB"


def _count(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _colours(m: Measurement, reference: int | None) -> str:
    if m.colours is None or reference in (None, m.colours):
        return _count(m.colours)
    return f"WRONG: {m.colours:,}, not {reference:,}"
