"""The charts of results as Vega-Lite specifications: layers for the page and for figures, and charts of the page.

A chart of the page has the parameters `metric` and `features` (and `graph`, where it shows one graph), which the page
sets by its filters. All have `picked`, the models that stand out, which the page sets by its legend.
"""

import json
from collections import defaultdict
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import NEGATIVES, Table, metric_title
from edgeorbit.report.results.records import BOUNDS, Record
from edgeorbit.report.style import FAINT_INK, GRID, INDISTINGUISHABLE, INK, MAX_LETTERS, ORBITS, shorten

HEIGHT = 320
PICKED = "indexof(picked, datum.model) >= 0"

Spec = dict[str, Any]
OURS = ("eo-gnn", "eo-gnn-paper")
OTHERS_SHOWN = 4  # models beside ours that stand out from the beginning

# Hues that people who do not see red or green can distinguish; every model has a shape and a dash besides its colour,
# and as 8, 7 and 5 have no common factor, the first 56 models differ in colour or shape.
BY_DAY = (INDISTINGUISHABLE, ORBITS[0], "#7a4fb5", "#a87400", "#0d8f8a", ORBITS[3], "#4f5b6b", ORBITS[7])
BY_NIGHT = ("#ff8a3d", "#62b0f0", "#b79cf0", "#f2c43d", "#4fd0c4", "#ee9fd2", "#b9c2cf", "#f08fa8")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (4, 4))
# Bounds are grey lines, each with a dash of its own, in the order of `records.BOUNDS`.
BOUND_DASHES = ((1, 3), (3, 3), (7, 3), (7, 3, 1, 3), (12, 4))
OTHERS = "#9aa1ab"  # models that do not stand out
NIGHT_INK, NIGHT_FAINT, NIGHT_GRID = "#e6e8eb", "#a3abb6", "#343a43"


@dataclass(frozen=True)
class Shown:
    """What layers show, and how.

    Attributes
    ----------
    where : str
        Which records and bounds are drawn, as an expression of Vega.
    models : list of str
        All models, in the order of their colours, shapes and dashes.
    has_bounds : bool
        Whether there are bounds to draw.
    legend : list of str
        The models and bounds of the chart's own legend; the page has one for all charts.
    up : str
        The title of the y axis; if it is empty, names of bars are left out, which stand in the first column.
    """

    where: str
    models: list[str]
    has_bounds: bool = False
    legend: tuple[str, ...] = ()
    up: str = "percent"


def unchecked() -> AbstractContextManager[None]:
    """Make charts without comparing every part with the schema, which takes longer than all the rest (a test does)."""
    from altair.utils.schemapi import debug_mode

    unchecking: AbstractContextManager[None] = debug_mode(False)
    return unchecking


def curve_layers(shown: Shown, ear: str) -> list[Any]:
    """Draw what models reach against EAR, with bands of one standard deviation, and the bounds on AUC.

    `ear` says which EAR that is: after how many rounds, of which graph.
    """
    import altair as alt

    base = _from("records", shown)
    across = alt.X("ear:Q", title=ear, scale=alt.Scale(zero=False, nice=False, padding=14), axis=alt.Axis(tickCount=5))
    up = alt.Y("mean:Q", title=shown.up, scale=alt.Scale(zero=False))
    colour, shape, dash = _channels(shown)
    tooltip = _tooltip(alt.Tooltip("ear:Q", title=ear.partition(" ")[0]))
    picked = base.transform_filter(PICKED)
    layers = [
        base.transform_filter(f"!({PICKED})")
        .mark_line(color=OTHERS, opacity=0.4, strokeWidth=1)
        .encode(across, up, detail="model:N", tooltip=tooltip),
        picked.mark_area(opacity=0.14).encode(across, alt.Y("low:Q"), alt.Y2("high:Q"), colour),
        picked.mark_line(strokeWidth=2.2).encode(across, up, colour, dash),
        picked.mark_point(filled=True, size=70, opacity=1).encode(across, up, colour, shape, tooltip=tooltip),
    ]
    if shown.has_bounds:
        ruled = _from("bounds", shown)
        *_, bound_dash = _channels(shown, "bound")
        named = [alt.Tooltip("bound:N"), alt.Tooltip("mean:Q", title="AUC", format=".2f")]
        layers += [
            ruled.mark_line(style="bound", strokeWidth=1.5).encode(across, up, bound_dash, tooltip=named),
            # A bound that is known of one graph alone is a point, where a line would not be seen.
            ruled.mark_point(style="bound", shape="diamond", size=40, strokeWidth=1.5)
            .encode(across, up, tooltip=named)
            .transform_joinaggregate(number="count()", groupby=["bound"])
            .transform_filter("datum.number == 1"),
        ]
    return layers


def bar_layers(shown: Shown, names: list[str], across: str) -> list[Any]:
    """Draw bars of how far variants are above or below the base model, with one standard deviation."""
    import altair as alt

    base = _from("records", shown)
    axis = alt.Axis(labelLimit=150, grid=False, domain=False, ticks=False, labels=bool(shown.up))
    side = alt.Y("model:N", title=shown.up, sort=names, scale=alt.Scale(domain=names), axis=axis)
    return [
        base.mark_bar(height={"band": 0.6}).encode(
            alt.X("mean:Q", title=across, axis=alt.Axis(tickCount=5)),
            side,
            color=alt.condition("datum.mean < 0", alt.value(INDISTINGUISHABLE), alt.value(ORBITS[0])),
            tooltip=_tooltip(),
        ),
        base.mark_rule(style="deviation").encode(alt.X("low:Q"), alt.X2("high:Q"), side),
        alt.Chart(alt.Data(values=[{}])).mark_rule(strokeWidth=1).encode(x=alt.datum(0)),
    ]


def time_layers(shown: Shown, seconds: str) -> list[Any]:
    """Draw quality against the time of training, on a logarithmic scale, and the bounds on AUC."""
    import altair as alt

    base = _from("records", shown)
    across = alt.X(
        "seconds:Q",
        title=seconds,
        scale=alt.Scale(type="log", nice=False, padding=18),
        axis=alt.Axis(tickCount=3, format="~g"),
    )
    up = alt.Y("mean:Q", title=shown.up, scale=alt.Scale(zero=False))
    colour, shape, _ = _channels(shown)
    tooltip = _tooltip(alt.Tooltip("seconds:Q", format=".3s"))
    picked = base.transform_filter(PICKED)
    layers = [
        base.transform_filter(f"!({PICKED})")
        .mark_point(filled=True, size=45, color=OTHERS, opacity=0.55)
        .encode(across, up, shape, tooltip=tooltip),
        picked.mark_rule(opacity=0.6).encode(across, alt.Y("low:Q"), alt.Y2("high:Q"), colour),
        picked.mark_point(filled=True, size=110, opacity=1).encode(across, up, colour, shape, tooltip=tooltip),
    ]
    if shown.has_bounds:
        named = [alt.Tooltip("bound:N"), alt.Tooltip("mean:Q", title="AUC", format=".2f")]
        *_, bound_dash = _channels(shown, "bound")
        rules = _from("bounds", shown).mark_rule(style="bound", strokeWidth=1.5)
        layers.insert(0, rules.encode(alt.Y("mean:Q"), bound_dash, tooltip=named))
    return layers


def curve_chart(
    family: str, ear: str, kind: str, records: list[Record], bounds: list[Record], models: list[str], picked: list[str]
) -> Spec:
    """Return the page's chart of curves against EAR."""
    layers = curve_layers(Shown(_where("metric", "features"), models, bool(bounds)), ear)
    title = _title(_quoted(shorten(family)), records, kind)
    described = f"Lines: what each model reaches on graphs of {family} against their EAR, {negatives_title(kind)}."
    return _page_chart(layers, title, described, records, bounds, picked)


def ablation_chart(base_model: str, across: str, kind: str, records: list[Record]) -> Spec:
    """Return the page's chart of variants against their base model."""
    names = list(dict.fromkeys(record["model"] for record in records))
    layers = bar_layers(Shown(_where("metric", "features", "graph"), [], up="variant"), names, across)
    title = _title(f"{_quoted(shorten(base_model, 24) + ' on ')} + truncate(graph, 24)", records, kind)
    described = f"Bars: how far each variant of {base_model} is above or below it, {negatives_title(kind)}."
    spec = _page_chart(layers, title, described, records, [], [], graph=records[0]["graph"])
    return spec | {"height": bar_height(len(names))}


def time_chart(
    seconds: str, kind: str, records: list[Record], bounds: list[Record], models: list[str], picked: list[str]
) -> Spec:
    """Return the page's chart of quality against time."""
    layers = time_layers(Shown(_where("metric", "features", "graph"), models, bool(bounds)), seconds)
    title = _title(f"truncate(graph, {MAX_LETTERS})", records, kind)
    described = f"Points: what each model reaches against the seconds that it was trained for, {negatives_title(kind)}."
    return _page_chart(layers, title, described, records, bounds, picked, graph=records[0]["graph"])


def bar_height(number: int) -> int:
    """Return the height of a chart of so many bars."""
    return 24 * number + 10


def negatives_title(kind: str) -> str:
    """Return what a kind of negatives is called."""
    return NEGATIVES.get(kind, f"{kind} negatives")


def _page_chart(
    layers: list[Any],
    title: str,
    description: str,
    records: list[Record],
    bounds: list[Record],
    picked: list[str],
    **parameters: str,
) -> Spec:
    """Lay the layers over each other; add data, parameters and a description for screen readers."""
    import altair as alt

    parameters |= {"metric": records[0]["metric"], "features": records[0]["features"]}
    chart = (
        alt.layer(*layers)
        .properties(width="container", height=HEIGHT, title=alt.Title(alt.expr(title)), description=description)
        .add_params(
            alt.param(name="picked", value=picked), *(alt.param(name=name, value=to) for name, to in parameters.items())
        )
    )
    spec: Spec = chart.to_dict()
    spec.pop("config", None)  # the page has its own, for day and night
    data = {"records": records, "bounds": bounds}
    return spec | {
        "datasets": {name: own for name, own in data.items() if own},
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def _from(name: str, shown: Shown) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(name=name)).transform_filter(shown.where)


def _where(*parameters: str) -> str:
    return " && ".join(f"datum.{name} == {name}" for name in parameters)


def _channels(shown: Shown, field: str = "model") -> tuple[Any, Any, Any]:
    """Return colour, shape and dash; bounds are distinguished by dashes alone, and have a legend of their own."""
    import altair as alt

    models, ruled = shown.models, list(BOUNDS.values())
    legends: list[Any] = [None, None]
    if shown.legend:
        legends[0] = alt.Legend(title=None, values=[name for name in shown.legend if name in models], symbolOpacity=1)
    if named := [name for name in shown.legend if name in ruled]:
        looks: dict[str, Any] = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 1.5}
        legends[1] = alt.Legend(title="bounds on AUC", values=named, **looks)
    dashes = [*BOUND_DASHES, *(DASHES[place % len(DASHES)] for place in range(len(models)))]
    return (
        alt.Color(f"{field}:N", scale=alt.Scale(domain=models, range="category"), legend=legends[0]),
        alt.Shape(f"{field}:N", scale=alt.Scale(domain=models, range="symbol"), legend=legends[0]),
        alt.StrokeDash(
            f"{field}:N",
            scale=alt.Scale(domain=[*ruled, *models], range=[list(dash) for dash in dashes]),
            legend=legends[1],
        ),
    )


def _tooltip(*more: Any) -> list[Any]:
    import altair as alt

    return [
        alt.Tooltip("model:N"),
        alt.Tooltip("graph:N"),
        *more,
        alt.Tooltip("mean:Q", format=".2f"),
        alt.Tooltip("low:Q", title="mean - std", format=".2f"),
        alt.Tooltip("high:Q", title="mean + std", format=".2f"),
        alt.Tooltip("seeds:Q"),
    ]


def _title(first: str, records: list[Record], kind: str) -> str:
    """Return an expression of Vega for two lines: the graphs; metric, negatives and features that are shown."""
    words = {record["metric"]: metric_title(record["metric"]) for record in records}
    metric = f"({{{', '.join(f'{_quoted(name)}: {_quoted(title)}' for name, title in words.items())}}})[metric]"
    return f"[{first}, {metric} + {_quoted(f', {negatives_title(kind)}, ')} + features + ' features']"


def _quoted(text: str) -> str:
    """Return text as a literal of Vega's expressions; names come from data, and must stay text."""
    return json.dumps(text)


def chart_config(night: bool) -> dict[str, Any]:
    """Return the configuration of Vega-Lite for one of both schemes."""
    ink, faint, grid = (NIGHT_INK, NIGHT_FAINT, NIGHT_GRID) if night else (INK, FAINT_INK, GRID)
    return {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": grid,
            "domainColor": faint,
            "tickColor": faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
        "title": {"color": ink, "anchor": "start", "fontSize": 13, "fontWeight": 600, "offset": 12},
        "rule": {"color": faint},
        "style": {
            "deviation": {"color": ink, "strokeWidth": 1.5},
            "bound": {"color": faint},
        },
        "range": {"category": list(BY_NIGHT if night else BY_DAY), "symbol": list(SHAPES)},
    }


def choose_models(results: Results, tables: list[Table]) -> tuple[list[str], list[str]]:
    """Return all models, those that stand out first, and those that stand out: ours, and the best few of the others.

    The best are those with the best mean place over all columns, of the models that are in at least half as many
    columns as any other.
    """
    places: defaultdict[str, list[float]] = defaultdict(list)
    for table in tables:
        for column in table.columns:
            means = {
                name: table.cells[name, column.graph].mean
                for name in table.models
                if (name, column.graph) in table.cells
            }
            for name, mean in means.items():
                places[name].append(sum(other > mean for other in means.values()) / len(means))
    enough = max(map(len, places.values()), default=0) / 2
    ours = [name for name in OURS if name in places]
    others = sorted(
        (name for name in results.order if name in places and name not in ours and len(places[name]) >= enough),
        key=lambda name: sum(places[name]) / len(places[name]),
    )
    picked = ours + others[:OTHERS_SHOWN]
    return picked + [name for name in results.order if name in places and name not in picked], picked
