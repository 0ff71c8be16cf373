"""The part of the page that shows one experiment: what was run, filters, charts, legend and tables."""

from collections.abc import Sequence
from typing import Any

from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.graphs import statistics_table
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.searches import TITLE, searches_said, searches_table
from edgeorbit.experiments.tables.table import METRICS, NEGATIVES, Table, make_tables, metric_title
from edgeorbit.report.results.chart_rows import ChartRow, chart_rows
from edgeorbit.report.results.charts import Spec
from edgeorbit.report.results.grids import facts_grid, table_grid, times_grid
from edgeorbit.report.results.look import BOUND_DASHES, BY_DAY, DASHES, SHAPES, choose_models
from edgeorbit.report.results.records import BOUNDS
from edgeorbit.report.wording import count


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


_SHAPES = {
    "circle": "M13 2a4 4 0 1 0 .01 0z",
    "square": "M9 2h8v8h-8z",
    "triangle-up": "M13 1l5 9h-10z",
    "triangle-down": "M13 11l5-9h-10z",
    "triangle-right": "M18 6l-9 5v-10z",
    "diamond": "M13 0l4 6-4 6-4-6z",
    "cross": "M11.5 1h3v3.500h3.500v3h-3.500v3.500h-3v-3.500h-3.500v-3h3.500z",
}
