"""Tables as the page's template shows them and its script sorts and filters them."""

from typing import Any, NamedTuple

from edgeorbit.experiments.tables.markdown import DIFFERENCE, difference_text, number_text, published_text
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import PREFIXES, Column, Table, TableCell, graph_facts
from edgeorbit.experiments.tables.times import legend, seconds_by_graph, times_table
from edgeorbit.report.wording import count

_SPOKEN = {
    "best": "best",
    "ahead": "ahead of the best on the seeds that both have",
    "not worse": "not significantly worse",
    "worse": "significantly worse",
    "near": "near the best",
}


class Head(NamedTuple):
    """The head of a column, the graph that it is about, and a small line below."""

    title: str
    graph: str = ""
    below: str = ""


class Cell(NamedTuple):
    """A cell: text, HTML attributes (None: left out), what stands beside it in small, what screen readers add."""

    text: str
    attributes: dict[str, Any]
    rest: str | None = None
    spoken: str = ""


class Row(NamedTuple):
    """A row; `kind` is the attribute that filters look at, `data-model` or `data-graph`."""

    kind: str
    name: str
    cells: list[Cell]


class Grid(NamedTuple):
    """A table; its attributes and those of rows and cells are what filters look at."""

    label: str
    heads: list[Head]
    rows: list[Row]
    notes: tuple[str, ...] = ()
    attributes: dict[str, str] = {}  # noqa: RUF012


def table_grid(table: Table) -> Grid:
    """Return a table of results, with what has to be known to read it."""
    heads = [Head("model")]
    for column in table.columns:
        heads.append(Head(column.graph, column.graph, count(column.seeds, "seed")))
        if column.has_published:
            heads += [Head("published", column.graph), Head(DIFFERENCE, column.graph, "in points")]
    heads += [Head("rank", below="mean")] if table.ranking else []
    names = ("metric", "negatives", "features")
    attributes = {f"data-{name}": getattr(table, name) for name in names}
    rows = [Row("data-model", model, _cells(table, model)) for model in table.models]
    return Grid(table.title, heads, rows, tuple(table.notes), attributes)


def facts_grid(results: Results) -> Grid | None:
    """Return what is known of the graphs."""
    titles, facts = graph_facts(results)
    rows = [
        Row(
            "data-graph",
            graph,
            [_number(known.get(name), f"{known[name]:.3f}" if name in known else "") for name in titles],
        )
        for graph, known in facts.items()
    ]
    return Grid("The graphs", [Head("graph"), *map(Head, titles.values())], rows) if facts else None


def times_grid(results: Results) -> Grid:
    """Return how long models were trained."""
    head, body = times_table(results)
    graphs = [graph for graph, _ in seconds_by_graph(results) for _ in range(2)]
    rows = [
        Row(
            "data-model",
            model,
            [
                _number(float(text.split()[0]) if text else None, text, graph)
                for text, graph in zip(texts, graphs, strict=True)
            ],
        )
        for model, *texts in body
    ]
    return Grid("Seconds of training", list(map(Head, head, ["", *graphs])), rows, (legend(results),))


def _cells(table: Table, model: str) -> list[Cell]:
    cells = []
    for column in table.columns:
        cell = table.cells.get((model, column.graph))
        cells.append(_cell(cell, column) if cell else _number(None, "", column.graph))
        if column.has_published:
            values = cell.published if cell else ()
            above, said = (cell.above_published, difference_text(cell)) if cell else (None, "")
            first = values[0] if values else None
            cells.append(_number(first, published_text(values), column.graph, "published"))
            cells.append(_number(above, said, column.graph, "published"))
    if table.ranking:
        rank = table.ranking.ranks.get(model)
        cells.append(_number(rank, "" if rank is None else f"{rank:.2f}"))
    return cells


def _cell(cell: TableCell, column: Column) -> Cell:
    mean, _, rest = number_text(cell, column.seeds).partition(" ")
    spoken = _SPOKEN[cell.mark] if cell.mark else ""
    said = count(cell.number, "seed") + (f"; {spoken}" if spoken else "")
    if cell.p is not None:
        said += f"; p = {cell.p:.2g} on {cell.pairs} seeds in common with the best"
    attributes = {
        "data-graph": column.graph,
        "data-value": repr(cell.mean),
        "class": cell.mark.replace(" ", "-") or "plain",
        "title": said,
    }
    return Cell(f"{PREFIXES.get(cell.mark, '')}{mean}", attributes, rest, spoken)


def _number(value: float | None, text: str, graph: str = "", css: str = "") -> Cell:
    sorted_by = None if value is None else repr(value)
    return Cell(text, {"data-graph": graph or None, "class": css or None, "data-value": sorted_by})
