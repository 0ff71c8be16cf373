"""The part of the page that shows one experiment: what was run, filters, rows of charts, legend and tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.markdown import DIFFERENCE, difference_text, number_text, published_text
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.special import (
    TITLE,
    searches_said,
    searches_table,
    seconds_by_graph,
    statistics_table,
    times_legend,
    times_table,
)
from edgeorbit.experiments.tables.table import (
    METRICS,
    NEGATIVES,
    PREFIXES,
    Column,
    Table,
    TableCell,
    graph_facts,
    make_tables,
    metric_title,
)
from edgeorbit.report.results.charts import (
    BOUND_DASHES,
    BY_DAY,
    DASHES,
    SHAPES,
    Spec,
    ablation_chart,
    choose_models,
    curve_chart,
    time_chart,
    unchecked,
)
from edgeorbit.report.results.records import BOUNDS, Record, Subject, bound_records, subjects
from edgeorbit.report.style import count

BOUNDS_READ = "Grey dashes: the best AUC of models without features that distinguish links by what the legend names."
_SPOKEN = {
    "best": "best",
    "ahead": "ahead of the best on the seeds that both have",
    "not worse": "not significantly worse",
    "worse": "significantly worse",
    "near": "near the best",
}


_SHAPES = {
    "circle": "M13 2a4 4 0 1 0 .01 0z",
    "square": "M9 2h8v8h-8z",
    "triangle-up": "M13 1l5 9h-10z",
    "triangle-down": "M13 11l5-9h-10z",
    "triangle-right": "M18 6l-9 5v-10z",
    "diamond": "M13 0l4 6-4 6-4-6z",
    "cross": "M11.5 1h3v3.500h3.500v3h-3.500v3.500h-3v-3.500h-3.500v-3h3.500z",
}


class ChartRow(NamedTuple):
    """Charts of the same kind, by their kind of negatives; `has_models` if models stand out in them.

    `graphs` names for each chart the one graph that it shows; empty if charts show several, or one that is chosen.
    """

    caption: str
    charts: list[tuple[str, Spec]]
    has_models: bool
    graphs: tuple[str, ...] = ()


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


def section(results: Results, specs: list[Spec]) -> dict[str, Any]:
    """Return what the template of the page shows of an experiment; its charts are added to the specifications."""
    shown: dict[str, Any] = {
        "title": results.title,
        "notes": {"Remarks": results.remarks, "Published figures": results.protocol},
        "statistics": statistics_table(results) if results.kind == STATISTICS else None,
    }
    if results.kind == STATISTICS:  # nothing for the script to filter
        return shown
    tables = make_tables(results)
    models, picked = choose_models(results, tables)
    rows = chart_rows(results, tables, models, picked)
    head, body = searches_table(results)
    said = searches_said(results)
    return shown | {
        "headline": headline([results]),
        "versions": results.notes,
        "filters": _filters(tables),
        "tables_first": results.kind == "table",
        "legend": _legend(models, picked) if any(row.has_models for row in rows) else [],
        "bounds": _bounds(rows),
        "charts": [_charts(row, specs) for row in rows],
        "times": times_grid(results) if results.kind == TIME else None,
        "tables": list(map(table_grid, tables)),
        "facts": facts_grid(results),
        "searches": {"title": TITLE, "said": said, "head": head, "body": body} if said else None,
        "failures": results.failures,
    }


def headline(all_results: Sequence[Results]) -> str:
    """Say what was run; of several experiments without the number of graphs, which may have other names in each."""
    rows = [row for results in all_results for row in results.rows if results.kind != STATISTICS]
    models = {row["base"] for row in rows}
    variants = {row["model"] for row in rows} - models
    said = [count(len(all_results), "experiment")] if len(all_results) > 1 else []
    said.append(count(len(models), "model") + (f" and {count(len(variants), 'variant')}" if variants else ""))
    if len(all_results) == 1:
        said.append(count(len({row["data"] for row in rows}), "graph"))
        said.append(count(len({row["seed"] for row in rows}), "seed"))
    said.append(count(len({row["key"] for row in rows}), "run"))
    failed = len({row["key"] for row in rows if row.get("failed")})
    versions = sorted({str(row["version"]) for row in rows if row.get("version")})
    said += [f"{failed} of them failed"] if failed else []
    said += [f"edgeorbit {', '.join(versions)}"] if versions else []
    return " · ".join(said)


def _charts(row: ChartRow, specs: list[Spec]) -> dict[str, Any]:
    charts = []
    for place, (kind, spec) in enumerate(row.charts):
        graph = row.graphs[place] if row.graphs else None
        charts.append({"number": len(specs), "negatives": kind, "graph": graph, "description": spec["description"]})
        specs.append(spec)
    return {"caption": row.caption, "charts": charts}


def _filters(tables: list[Table]) -> list[dict[str, Any]]:
    """Return the boxes that choose what is shown; of metrics and features only the first is shown at the beginning.

    Of features all, if no graph has several: else the first would hide graphs and not only repetitions of them.
    """
    metrics = {name: metric_title(name) for name in [*METRICS, *(table.metric for table in tables)]}
    known = {table.metric for table in tables}
    pairs = {(column.graph, table.features) for table in tables for column in table.columns}
    repeated = len({graph for graph, _ in pairs}) < len(pairs)
    choices = {
        "metric": {name: title for name, title in metrics.items() if name in known},
        "negatives": {table.negatives: NEGATIVES.get(table.negatives, table.negatives) for table in tables},
        "features": {table.features: table.features for table in tables},
        "graph": {column.graph: column.graph for table in tables for column in table.columns},
    }
    return [
        {"name": name, "options": options, "first": name == "metric" or (name == "features" and repeated)}
        for name, options in choices.items()
    ]


def _legend(models: list[str], picked: list[str]) -> list[dict[str, Any]]:
    """Return the looks of every model; its button makes it stand out in all charts of the section, or fade."""
    return [
        {
            "model": model,
            "picked": model in picked,
            "colour": place % len(BY_DAY),
            "dash": _dash(DASHES[place % len(DASHES)], 4 / 6) if place % len(DASHES) else None,
            "shape": _SHAPES[SHAPES[place % len(SHAPES)]],
        }
        for place, model in enumerate(models)
    ]


def _bounds(rows: list[ChartRow]) -> list[dict[str, str]]:
    """Return the dashes of the bounds that charts show."""
    known = {bound["bound"] for row in rows for _, spec in row.charts for bound in spec["datasets"].get("bounds", [])}
    return [
        {"name": name, "dash": _dash(dash)}
        for name, dash in zip(BOUNDS.values(), BOUND_DASHES, strict=True)
        if name in known
    ]


def _dash(steps: tuple[int, ...], scale: float = 1) -> str:
    return " ".join(f"{scale * step:.3g}" for step in steps)


def chart_rows(results: Results, tables: list[Table], models: list[str], picked: list[str]) -> list[ChartRow]:
    """Return the charts that the results have something for, and that fit what they are about."""
    bounds = bound_records(results)
    rows = []
    with unchecked():
        for subject in subjects(results, tables):
            if subject.what == "curve":
                rows.append(_curves(subject, bounds, models, picked))
            elif subject.what == "ablation":
                rows.append(_ablation(subject))
            else:
                rows.append(_time(subject, bounds, models, picked, apart=results.kind == TIME))
    return rows


def _curves(subject: Subject, bounds: list[Record], models: list[str], picked: list[str]) -> ChartRow:
    family, ear = subject.name, subject.across
    graphs = {record["graph"] for record in subject.records}
    limits = _by_kind([bound for bound in bounds if bound["graph"] in graphs])
    charts = [
        (kind, curve_chart(family, ear, kind, own, limits.get(kind, []), models, picked))
        for kind, own in _by_kind(subject.records).items()
    ]
    caption = f"{family}: performance against {ear.split()[0]}; bands are one standard deviation over seeds."
    return ChartRow(caption + (f" {BOUNDS_READ}" if limits else ""), charts, True)


def _ablation(subject: Subject) -> ChartRow:
    return ChartRow(
        f"Variants against {subject.name}, seed by seed; lines are one standard deviation of the difference."
        + _one_at_a_time(subject.records),
        [
            (kind, ablation_chart(subject.name, subject.across, kind, own))
            for kind, own in _by_kind(subject.records).items()
        ],
        False,
    )


def _time(subject: Subject, bounds: list[Record], models: list[str], picked: list[str], *, apart: bool) -> ChartRow:
    """Return charts of one graph at a time, or `apart`: one of every graph, whose features may differ."""
    limits = _by_kind(bounds)
    graphs = list(dict.fromkeys(record["graph"] for record in subject.records)) if apart else [None]
    charts, named = [], []
    for kind, records in _by_kind(subject.records).items():
        for graph in graphs:
            own, ruled = (
                [one for one in some if graph in (None, one["graph"])] for some in (records, limits.get(kind, []))
            )
            if own:
                charts.append((kind, time_chart(subject.across, kind, own, ruled, models, picked)))
                named.append(own[0]["graph"])
    caption = (
        "Quality against training time (logarithmic, median over seeds); lines are one standard deviation."
        + (f" {BOUNDS_READ}" if limits else "")
        + ("" if apart else _one_at_a_time(subject.records))
    )
    return ChartRow(caption, charts, True, tuple(named) if apart else ())


def _one_at_a_time(records: list[Record]) -> str:
    """Say that charts show one graph of several, as their titles do."""
    number = len({record["graph"] for record in records})
    return f" One of {number} graphs at a time: choose it above, else the first is shown." if number > 1 else ""


def _by_kind(records: list[Record]) -> dict[str, list[Record]]:
    """Return records by their kind of negatives, and without it, which keeps the page small."""
    found: dict[str, list[Record]] = {}
    for record in records:
        own = {key: value for key, value in record.items() if key != "negatives"}
        found.setdefault(record["negatives"], []).append(own)
    return found


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
    return Grid("Seconds of training", list(map(Head, head, ["", *graphs])), rows, (times_legend(results),))


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
