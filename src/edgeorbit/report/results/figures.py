"""Figures for papers, as PNG and PDF: the charts of the page side by side, with a legend."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edgeorbit._files import atomic_path
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import make_tables, metric_title
from edgeorbit.report.results.charts import (
    Shown,
    Spec,
    bar_height,
    bar_layers,
    chart_config,
    choose_models,
    curve_layers,
    negatives_title,
    time_layers,
    unchecked,
)
from edgeorbit.report.results.records import BOUNDS, Record, Subject, bound_records, subjects
from edgeorbit.report.style import shorten

PRINT_RESOLUTION = 200  # dots per inch; the PDF beside it has no limit
WIDTH, HEIGHT = 240, 180  # of a panel, in points
LEGEND_WIDTH = 90  # of an entry


def save_figures(all_results: Sequence[Results], directory: Path) -> list[Path]:
    """Draw every figure that the results have something for, and return the files: a PNG and a PDF of each."""
    import vl_convert

    written = []
    names: set[str] = set()
    for results in all_results:
        for name, spec in figures(results):
            stem = name
            while stem in names:
                stem += "-2"
            names.add(stem)
            made = {
                ".png": vl_convert.vegalite_to_png(spec, ppi=PRINT_RESOLUTION),
                ".pdf": vl_convert.vegalite_to_pdf(spec),
            }
            for suffix, content in made.items():
                path = directory / (stem + suffix)
                with atomic_path(path) as temporary:
                    temporary.write_bytes(content)
                written.append(path)
    return written


def figures(results: Results) -> Iterator[tuple[str, Spec]]:
    """Give name and specification, for every kind of features: metrics below each other, negatives side by side.

    Of a series of graphs there is the curve, and the graph of the highest EAR stands for it where time is drawn.
    """
    tables = make_tables(results)
    models, picked = choose_models(results, tables)
    bounds = bound_records(results)
    for subject in _by_graph(subjects(results, tables)):
        graphs = {record["graph"] for record in subject.records}
        for features in dict.fromkeys(record["features"] for record in subject.records):
            own = [record for record in subject.records if record["features"] == features]
            ruled = [bound for bound in bounds if bound["features"] == features and bound["graph"] in graphs]
            name = _file_name(f"{results.title} {subject.what} {subject.name} {features}")
            yield name, _figure(subject._replace(records=own), ruled, models, picked, features)


def _by_graph(drawn: list[Subject]) -> Iterator[Subject]:
    """Give curves as they are, and of all else a subject for every graph."""
    curves = [subject.records for subject in drawn if subject.what == "curve"]
    left_out = {record["graph"] for records in curves for record in records}
    left_out -= {records[-1]["graph"] for records in curves}  # that of the highest EAR
    for subject in drawn:
        if subject.what == "curve":
            yield subject
            continue
        for graph in dict.fromkeys(record["graph"] for record in subject.records):
            own = [record for record in subject.records if record["graph"] == graph]
            if subject.what == "ablation":
                yield subject._replace(name=f"{subject.name} on {graph}", records=own)
            elif graph not in left_out:
                yield subject._replace(name=graph, records=own)


def _figure(subject: Subject, bounds: list[Record], models: list[str], picked: list[str], features: str) -> Spec:
    import altair as alt

    records = subject.records
    kinds, metrics = (list(dict.fromkeys(record[key] for record in records)) for key in ("negatives", "metric"))
    known = {one.get("model", one.get("bound")) for one in [*records, *bounds]}
    legend = tuple(name for name in [*picked, *BOUNDS.values()] if name in known)
    rows = []
    with unchecked():
        for metric in metrics:
            row = []
            for kind in kinds:
                ruled = any((bound["negatives"], bound["metric"]) == (kind, metric) for bound in bounds)
                where = f"datum.negatives == {json.dumps(kind)} && datum.metric == {json.dumps(metric)}"
                up = metric_title(metric) + ("" if subject.what == "ablation" else " (%)")
                shown = Shown(where, models, ruled, legend, up if kind == kinds[0] else "")
                across = subject.across if metric == metrics[-1] else ""
                heading = negatives_title(kind) if metric == metrics[0] else ""
                row.append(_panel(subject, shown, across, heading))
            rows.append(alt.hconcat(*row))
        title = alt.Title(f"{shorten(subject.name)}, {features} features", anchor="middle", fontSize=14)
        spec: Spec = alt.vconcat(*rows, title=title).add_params(alt.param(name="picked", value=picked)).to_dict()
    config = chart_config(False) | {"background": "#ffffff"}
    config["legend"] = {
        **{"orient": "bottom", "columns": WIDTH * len(kinds) // LEGEND_WIDTH, "labelLimit": 0},
        **{"titleFontWeight": "normal", "rowPadding": 0, "layout": {"bottom": {"direction": "vertical"}}},
    }
    return spec | {"datasets": {"records": records, "bounds": bounds}, "config": config}


def _panel(subject: Subject, shown: Shown, across: str, heading: str) -> Any:
    """Return one panel; `shown.up` is empty in all but the first column, `across` and `heading` in all but one row."""
    import altair as alt

    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT}
    if subject.what == "ablation":
        names = list(dict.fromkeys(record["model"] for record in subject.records))
        size["height"] = bar_height(len(names))
        layers = bar_layers(shown, names, across)
    else:
        layers = (curve_layers if subject.what == "curve" else time_layers)(shown, across)
    if heading:  # a title would stand as far above the axes as their labels need, which differs from panel to panel
        style: dict[str, Any] = {"align": "left", "baseline": "bottom", "fontSize": 13, "fontWeight": 600}
        layers.append(alt.Chart(alt.Data(values=[{}])).mark_text(text=heading, x=0, y=-12, **style))
    return alt.layer(*layers).properties(**size)


def _file_name(text: str) -> str:
    """Return a name of a file that every system takes.

    >>> _file_name("Results: all models, curve <x>/.. hits@20")
    'results-all-models-curve-x-hits-20'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:120] or "figure"
