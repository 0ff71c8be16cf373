"""Tables as HTML that the page's script sorts and filters."""

from html import escape

from edgeorbit.experiments.tables.graphs import statistics_table
from edgeorbit.experiments.tables.markdown import DIFFERENCE, difference_text, number_text, published_text
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.searches import TITLE, searches_said, searches_table
from edgeorbit.experiments.tables.table import PREFIXES, Column, Table, TableCell, graph_facts
from edgeorbit.experiments.tables.times import legend, seconds_by_graph, times_table

_SPOKEN = {
    "best": "best",
    "ahead": "ahead of the best on the seeds that both have",
    "not worse": "not significantly worse",
    "worse": "significantly worse",
    "near": "near the best",
}


def table_html(table: Table) -> str:
    """Return a table in a box of its own, with what has to be known to read it.

    Attributes name what filters look at: `data-metric`, `data-negatives` and `data-features` of the box, `data-model`
    of rows, and `data-graph` of cells.
    """
    head = [_head("model", "")]
    for column in table.columns:
        head.append(_head(column.graph, column.graph, f"{column.seeds} seed{'s' if column.seeds != 1 else ''}"))
        if column.has_published:
            head += [_head("published", column.graph), _head(DIFFERENCE, column.graph, "in points")]
    head += [_head("rank", "", "mean")] if table.ranking else []
    body = "\n".join(_row(table, model) for model in table.models)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    attributes = " ".join(
        f'data-{name}="{escape(value)}"'
        for name, value in (("metric", table.metric), ("negatives", table.negatives), ("features", table.features))
    )
    return (
        f'<div class="table" {attributes}>\n<h3>{escape(table.title)}</h3>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">\n<table>\n'
        f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>\n"
        f'<div class="notes">{notes}</div>\n</div>'
    )


def facts_html(results: Results) -> str:
    """Return what is known of the graphs."""
    titles, facts = graph_facts(results)
    if not facts:
        return ""
    head = [_head("graph", ""), *(_head(title, "") for title in titles.values())]
    rows = [
        f'<tr data-graph="{escape(graph)}"><th scope="row">{escape(graph)}</th>'
        + "".join(_number(known.get(name), f"{known[name]:.3f}" if name in known else "") for name in titles)
        + "</tr>"
        for graph, known in facts.items()
    ]
    return (
        '<div class="table facts"><h3>The graphs, mean over seeds</h3>\n'
        '<div class="scroll" tabindex="0" role="region" aria-label="The graphs">\n<table>\n'
        f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>{''.join(rows)}</tbody>\n</table>\n</div></div>"
    )


def times_html(results: Results) -> str:
    """Return how long models were trained."""
    head, body = times_table(results)
    graphs = ["", *(graph for graph, _ in seconds_by_graph(results) for _ in range(2))]
    columns = "".join(_head(title, graph) for title, graph in zip(head, graphs, strict=True))
    rows = [
        f'<tr data-model="{escape(model)}"><th scope="row">{escape(model)}</th>'
        + "".join(
            _number(float(text.split()[0]) if text else None, text, graph)
            for text, graph in zip(texts, graphs[1:], strict=True)
        )
        + "</tr>"
        for model, *texts in body
    ]
    return (
        '<div class="table times"><h3>Seconds of training</h3>\n'
        '<div class="scroll" tabindex="0" role="region" aria-label="Seconds of training">\n<table>\n'
        f"<thead><tr>{columns}</tr></thead>\n<tbody>{''.join(rows)}</tbody>\n</table>\n</div>"
        f'<div class="notes"><p>{escape(legend(results))}</p></div></div>'
    )


def statistics_html(results: Results) -> str:
    """Return what was measured of graphs."""
    return f'<div class="table facts">{_plain(*statistics_table(results), results.title)}</div>'


def searches_html(results: Results) -> str:
    """Return how settings were chosen, folded away."""
    said = searches_said(results)
    if not said:
        return ""
    head, body = searches_table(results)
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence in said)
    table = f'<div class="table facts">{_plain(head, body, TITLE)}</div>' if body else ""
    return f"<details><summary>{TITLE}</summary>{told}{table}</details>"


def _plain(head: list[str], body: list[list[str]], label: str) -> str:
    """Return a table that is not sorted."""
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    rows = [
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(value)}</td>" for value in values)}</tr>'
        for first, *values in body
    ]
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table><thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _head(title: str, graph: str, below: str = "") -> str:
    small = f" <small>{escape(below)}</small>" if below else ""
    named = f' data-graph="{escape(graph)}"' if graph else ""
    button = f'<button type="button"><span>{escape(title)}</span>{small}</button>'
    return f'<th scope="col" aria-sort="none"{named}>{button}</th>'


def _row(table: Table, model: str) -> str:
    cells = []
    for column in table.columns:
        cell = table.cells.get((model, column.graph))
        cells.append(_cell(cell, column))
        if column.has_published:
            cells += _published(cell, column)
    if table.ranking:
        rank = table.ranking.ranks.get(model)
        cells.append(_number(rank, "" if rank is None else f"{rank:.2f}"))
    return f'<tr data-model="{escape(model)}"><th scope="row">{escape(model)}</th>{"".join(cells)}</tr>'


def _cell(cell: TableCell | None, column: Column) -> str:
    named = f' data-graph="{escape(column.graph)}"'
    if cell is None:
        return f"<td{named}></td>"
    mean, _, rest = number_text(cell, column.seeds).partition(" ")
    spoken = f'<span class="spoken">, {_SPOKEN[cell.mark]}</span>' if cell.mark else ""
    said = f"{cell.number} seed{'s' if cell.number != 1 else ''}"
    if cell.mark:
        said += f"; {_SPOKEN[cell.mark]}"
    if cell.p is not None:
        said += f"; p = {cell.p:.2g} on {cell.pairs} seeds in common with the best"
    css = cell.mark.replace(" ", "-") or "plain"
    return (
        f'<td{named} data-value="{cell.mean!r}" class="{css}" title="{escape(said)}">'
        f"{PREFIXES.get(cell.mark, '')}{mean} <small>{escape(rest)}</small>{spoken}</td>"
    )


def _published(cell: TableCell | None, column: Column) -> list[str]:
    values = cell.published if cell else ()
    return [
        _number(values[0] if values else None, published_text(values), column.graph, "published"),
        _number(
            cell.above_published if cell else None, difference_text(cell) if cell else "", column.graph, "published"
        ),
    ]


def _number(value: float | None, text: str, graph: str = "", css: str = "") -> str:
    named = f' data-graph="{escape(graph)}"' if graph else ""
    styled = f' class="{css}"' if css else ""
    sorted_by = "" if value is None else f' data-value="{value!r}"'
    return f"<td{named}{styled}{sorted_by}>{escape(text)}</td>"
