"""Figures for papers: curves with bands, bars of an ablation, time against quality, as PNG and PDF."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import NEGATIVES, make_tables, metric_title
from edgeorbit.report.axes import prepare_axes
from edgeorbit.report.palette import DISTINGUISHABLE, FAINT_INK, INDISTINGUISHABLE, INK
from edgeorbit.report.results.chart_rows import DRAWN
from edgeorbit.report.results.figure_names import name_bounds
from edgeorbit.report.results.look import BY_DAY, DASHES, OTHERS, SHAPES, choose_models
from edgeorbit.report.results.records import (
    Record,
    ablation_records,
    bound_records,
    bounds_apart,
    curve_records,
    ear_titles,
    time_records,
)
from edgeorbit.report.saving import save_figure
from edgeorbit.report.wording import drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes", list[Record], list[Record]], None]

PRINT_RESOLUTION = 200  # dots per inch; the PDF beside it has no limit
ACROSS = {
    "ablation": "difference, percentage points",
    "time": "seconds of training, median over seeds",
}
_MARKERS = {
    **{"circle": "o", "square": "s", "triangle-up": "^", "diamond": "D", "cross": "P"},
    **{"triangle-down": "v", "triangle-right": ">"},
}


def save_figures(all_results: Sequence[Results], directory: Path) -> list[Path]:
    """Draw every figure that the results have something for, and return the files: a PNG and a PDF of each."""
    written = []
    names: set[str] = set()
    for results in all_results:
        for name, figure in _figures(results):
            stem = name
            while stem in names:
                stem += "-2"
            names.add(stem)
            for suffix in (".png", ".pdf"):
                path = directory / (stem + suffix)
                save_figure(figure, path, dpi=PRINT_RESOLUTION)
                written.append(path)
    return written


def _figures(results: Results) -> "Iterator[tuple[str, Figure]]":
    """Give name and figure, for every kind of features: metrics below each other, kinds of negatives side by side.

    Of a family of graphs there is the curve, and the first graph stands for it where time is drawn.
    """
    tables = make_tables(results)
    models, picked = choose_models(results, tables)
    bounds = bound_records(results)
    curves = curve_records(results, tables)
    known = {record["g"] for records in curves.values() for record in records}
    first = {records[-1]["g"] for records in curves.values()}  # that of the highest EAR
    metrics = list(dict.fromkeys(table.metric for table in tables))
    titles = ear_titles(results)
    found: dict[str, list[tuple[str, list[Record], Draw]]] = {
        "curve": [
            (family, records, lambda axes, own, ruled: _curve(axes, own, ruled, models, picked))
            for family, records in curves.items()
        ],
        "ablation": [
            (f"{base} on {graph}", own, lambda axes, own, _: _bars(axes, own))
            for base, records in ablation_records(results, metrics).items()
            for graph, own in _by_graph(records, set()).items()
        ],
        "time": [
            (graph, own, lambda axes, own, ruled: _time(axes, own, ruled, models, picked))
            for graph, own in _by_graph(time_records(results, tables), known - first).items()
        ],
    }
    fitting = [name for name in DRAWN.get(results.kind, found) if found[name]] or list(found)
    for what in fitting:
        for about, records, draw in found[what]:
            graphs = {record["g"] for record in records}
            for features in dict.fromkeys(record["f"] for record in records):
                own = [record for record in records if record["f"] == features]
                ruled = [bound for bound in bounds if bound["f"] == features and bound["g"] in graphs]
                across = titles[about] if what == "curve" else ACROSS[what]
                name = _file_name(f"{results.title} {what} {about} {features}")
                yield name, _panels(own, ruled, draw, across, f"{about}, {features} features")


def _by_graph(records: list[Record], left_out: set[str]) -> dict[str, list[Record]]:
    graphs = dict.fromkeys(record["g"] for record in records if record["g"] not in left_out)
    return {graph: [record for record in records if record["g"] == graph] for graph in graphs}


def _panels(records: list[Record], bounds: list[Record], draw: Draw, across: str, title: str) -> "Figure":
    from matplotlib.figure import Figure

    kinds, metrics = (list(dict.fromkeys(record[key] for record in records)) for key in "km")
    bars = across == ACROSS["ablation"]
    height = 1.0 + 0.24 * len({record["n"] for record in records}) if bars else 2.9
    size = 3.7 * len(kinds) + (1.2 if bars else 0), 0.9 + height * len(metrics)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(metrics), len(kinds), squeeze=False, sharey="row" if bars else False)
    named: list[tuple[Axes, list[Record]]] = []
    for metric, line in zip(metrics, grid, strict=True):
        for axes, kind in zip(line, kinds, strict=True):
            upper, lower = metric == metrics[0], metric == metrics[-1]
            name = metric_title(metric) + ("" if bars else ", per cent")
            prepare_axes(
                *(axes, NEGATIVES.get(kind, kind) if upper else "", across if lower else ""),
                name if axes is line[0] else "",
            )
            shown, ruled = (
                [one for one in some if (one["k"], one["m"]) == (kind, metric)] for some in (records, bounds)
            )
            draw(axes, shown, ruled)
            if ruled and not bars:
                named.append((axes, ruled))
    figure.suptitle(drawable(title), fontsize=12, fontweight="bold", color=INK)
    handles = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if handles:
        columns = min(len(handles), 1 + 2 * len(kinds))
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            fontsize=8.5,
        )
    figure.draw_without_rendering()  # which lays it out, once for both files
    figure.set_layout_engine("none")
    for axes, ruled in named:
        name_bounds(axes, ruled)
    return figure


def _curve(axes: "Axes", records: list[Record], bounds: list[Record], models: list[str], picked: list[str]) -> None:
    for model in [*(name for name in models if name not in picked), *picked]:
        own = [record for record in records if record["n"] == model]
        if not own:
            continue
        x, y, low, high = ([record[key] for record in own] for key in "xylh")
        if model not in picked:
            axes.plot(x, y, color=OTHERS, linewidth=0.8, alpha=0.5, zorder=1)
            continue
        look = _look(models.index(model))
        axes.fill_between(x, low, high, color=look["color"], alpha=0.13, linewidth=0)
        axes.plot(x, y, linewidth=1.7, markersize=5, label=drawable(model), zorder=3, **look)
    for name in dict.fromkeys(bound["b"] for bound in bounds):
        own = sorted((bound for bound in bounds if bound["b"] == name), key=lambda bound: bound["x"])
        # A bound that is known of one graph alone is a point, where a line would not be seen.
        marker: dict[str, Any] = {"marker": "d", "markersize": 4} if len(own) == 1 else {}
        x, y = [bound["x"] for bound in own], [bound["y"] for bound in own]
        axes.plot(x, y, color=FAINT_INK, linewidth=1, linestyle=":", zorder=2, **marker)


def _bars(axes: "Axes", records: list[Record]) -> None:
    for place, record in enumerate(records):
        colour = INDISTINGUISHABLE if record["y"] < 0 else DISTINGUISHABLE
        axes.barh(place, record["y"], height=0.6, color=colour)
        axes.plot([record["l"], record["h"]], [place, place], color=INK, linewidth=1.2)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(records)), [drawable(record["n"]) for record in records])
    axes.grid(visible=False, axis="y")
    if not axes.yaxis_inverted():  # the axes of several panels are one
        axes.invert_yaxis()


def _time(axes: "Axes", records: list[Record], bounds: list[Record], models: list[str], picked: list[str]) -> None:
    for record in records:
        if record["n"] not in picked:
            axes.plot(record["t"], record["y"], "o", color=OTHERS, markersize=4, alpha=0.6, zorder=1)
            continue
        look = _look(models.index(record["n"])) | {"linestyle": ""}
        axes.plot([record["t"]] * 2, [record["l"], record["h"]], color=look["color"], linewidth=1, alpha=0.6)
        axes.plot(record["t"], record["y"], markersize=7, label=drawable(record["n"]), zorder=3, **look)
    for bound in bounds_apart(bounds):
        axes.axhline(bound["y"], color=FAINT_INK, linewidth=1, linestyle=":", zorder=0)
    axes.set_xscale("log")


def _look(place: int) -> dict[str, Any]:
    dash = DASHES[place % len(DASHES)]
    return {
        "color": BY_DAY[place % len(BY_DAY)],
        "marker": _MARKERS[SHAPES[place % len(SHAPES)]],
        "linestyle": "-" if dash == (1, 0) else (0, tuple(step / 2 for step in dash)),
    }


def _file_name(text: str) -> str:
    """Return a name of a file that every system takes.

    >>> _file_name("Results: all models, curve <x>/.. hits@20")
    'results-all-models-curve-x-hits-20'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:120] or "figure"
