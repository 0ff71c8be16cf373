"""The part of the page that shows one experiment: what was run, filters, charts, legend and tables."""

from collections.abc import Sequence
from html import escape

from edgeorbit.experiments.plan import STATISTICS, TIME
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import METRICS, NEGATIVES, Table, make_tables, metric_title
from edgeorbit.report.results.chart_rows import chart_rows
from edgeorbit.report.results.charts import Spec
from edgeorbit.report.results.html_tables import facts_html, searches_html, statistics_html, table_html, times_html
from edgeorbit.report.results.look import BY_DAY, DASHES, SHAPES, choose_models
from edgeorbit.report.wording import count


def section_html(results: Results, number: int, specs: list[Spec]) -> str:
    """Return the section with a number; its charts are added to the list of specifications."""
    notes = "".join(
        f'<p class="note"><b>{name}:</b> {escape(text)}</p>'
        for name, text in (("Remarks", results.remarks), ("Published figures", results.protocol))
        if text
    )
    if results.kind == STATISTICS:
        head = f'<section id="e{number}"><h2>{escape(results.title)}</h2>'  # nothing for the script to filter
        return f"{head}{notes}{statistics_html(results)}</section>"
    tables = make_tables(results)
    models, picked = choose_models(results, tables)
    rows = chart_rows(results, tables, models, picked)
    drawn = [_legend(models, picked)] if any(row.has_models for row in rows) else []
    for row in rows:
        figures = []
        for place, (kind, spec) in enumerate(row.charts):
            graph = f' data-graph="{escape(row.graphs[place])}"' if row.graphs else ""
            figures.append(
                f'<figure class="chart" data-chart="{len(specs)}" data-negatives="{escape(kind)}"{graph} '
                f'aria-label="{escape(spec["description"])}"><div class="drawing"></div>'
                '<p class="nothing" hidden>Nothing was run for this choice.</p></figure>'
            )
            specs.append(spec)
        drawn.append(f'<div class="charts">{"".join(figures)}</div><p class="caption">{escape(row.caption)}</p>')
    times = [times_html(results)] if results.kind == TIME else []
    written = [
        *times,
        f'<div class="tables">{"".join(map(table_html, tables))}</div>',
        '<p class="nothing" hidden>No table fits this choice.</p>',
    ]
    versions = f"<p>{escape(results.versions)}</p>" if results.versions else ""
    failed = "".join(
        f"<li>{escape(f'{model} on {graph}, {features} features: {why}')}</li>"
        for model, graph, features, why in results.failures
    )
    return "\n".join(
        [
            f'<section id="e{number}" class="experiment"><h2>{escape(results.title)}</h2>',
            f"<p>{headline([results])}</p>{versions}{notes}",
            _filters(tables, number),
            *([*written, *drawn] if results.kind == "table" else [*drawn, *written]),
            facts_html(results),
            searches_html(results),
            f'<h3>Runs that failed</h3><ul class="failed">{failed}</ul>' if failed else "",
            "</section>",
        ]
    )


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
    return escape(" · ".join(said))


def _filters(tables: list[Table], number: int) -> str:
    """Return the boxes that choose what is shown; of metrics and features only the first is shown at the beginning.

    Of features all, if no graph has several: else the first would hide graphs and not only repetitions of them.
    """
    metrics = {name: metric_title(name) for name in [*METRICS, *(table.metric for table in tables)]}
    known = {table.metric for table in tables}
    choices = {
        "metric": {name: title for name, title in metrics.items() if name in known},
        "negatives": {table.negatives: NEGATIVES.get(table.negatives, table.negatives) for table in tables},
        "features": {table.features: table.features for table in tables},
        "graph": {column.graph: column.graph for table in tables for column in table.columns},
    }
    pairs = {(column.graph, table.features) for table in tables for column in table.columns}
    repeated = len({graph for graph, _ in pairs}) < len(pairs)
    boxes = []
    for name, options in choices.items():
        first = name == "metric" or (name == "features" and repeated)
        listed = "".join(
            f'<option value="{escape(value)}"{" selected" if first and place == 0 else ""}>{escape(title)}</option>'
            for place, (value, title) in enumerate(options.items())
        )
        boxes.append(
            f'<label for="{name}{number}">{name.capitalize()} <select id="{name}{number}" data-filter="{name}">'
            f'<option value="">all</option>{listed}</select></label>'
        )
    boxes.append(
        f'<label for="model{number}">Model <input id="model{number}" data-filter="model" type="search" '
        'placeholder="part of a name" autocomplete="off"></label>'
    )
    return (
        f'<form class="filters" aria-label="What is shown">{"".join(boxes)}<output aria-live="polite"></output></form>'
    )


def _legend(models: list[str], picked: list[str]) -> str:
    """Return a button for every model that makes it stand out in all charts of the section, or fade."""
    buttons = []
    for place, model in enumerate(models):
        dash = " ".join(str(4 * step / 6) for step in DASHES[place % len(DASHES)])
        drawn = "" if DASHES[place % len(DASHES)] == (1, 0) else f' stroke-dasharray="{dash}"'
        buttons.append(
            f'<button type="button" data-model="{escape(model)}" aria-pressed="{str(model in picked).lower()}" '
            f'style="--own: var(--c{place % len(BY_DAY)})"><svg width="26" height="12" aria-hidden="true">'
            f'<path class="line" d="M0 6H26"{drawn}/><path d="{_SHAPES[SHAPES[place % len(SHAPES)]]}"/></svg>'
            f"{escape(model)}</button>"
        )
    return f'<div class="legend" role="group" aria-label="Models that stand out in charts">{"".join(buttons)}</div>'


_SHAPES = {
    "circle": "M13 2a4 4 0 1 0 .01 0z",
    "square": "M9 2h8v8h-8z",
    "triangle-up": "M13 1l5 9h-10z",
    "triangle-down": "M13 11l5-9h-10z",
    "triangle-right": "M18 6l-9 5v-10z",
    "diamond": "M13 0l4 6-4 6-4-6z",
    "cross": "M11.5 1h3v3.500h3.500v3h-3.500v3.500h-3v-3.500h-3.500v-3h3.500z",
}
