"""The charts of the page, as specifications of Vega-Lite.

Each has the parameters `metric` and `features` (and `graph`, where it shows one graph), which the page sets by its
filters, and `picked`, the models that stand out, which it sets by its legend.
"""

import json
from contextlib import AbstractContextManager
from typing import Any

from edgeorbit.experiments.tables.table import NEGATIVES, metric_title
from edgeorbit.report.palette import INDISTINGUISHABLE, ORBITS
from edgeorbit.report.results.chart_names import HEIGHT, LETTERS, NARROW, name_bounds, name_points
from edgeorbit.report.results.look import DASHES, OTHERS
from edgeorbit.report.results.records import Record
from edgeorbit.report.wording import MAX_LETTERS, shorten

PICKED = "indexof(picked, datum.n) >= 0"
CHOSEN = "datum.m == metric && datum.f == features"
PLACE = f"(width < {NARROW} ? datum.p : datum.q)"  # of a name, which `chart_names` chose

Spec = dict[str, Any]


def unchecked() -> AbstractContextManager[None]:
    """Make charts without comparing every part with the schema, which takes longer than all the rest (a test does)."""
    from altair.utils.schemapi import debug_mode

    unchecking: AbstractContextManager[None] = debug_mode(False)
    return unchecking


def curve_chart(
    family: str, ear: str, kind: str, records: list[Record], bounds: list[Record], models: list[str], picked: list[str]
) -> Spec:
    """Draw what models reach against EAR, with bands of one deviation; on orbit negatives with the bounds on AUC.

    `ear` says which EAR that is: after how many rounds, of which graph.
    """
    import altair as alt

    base = alt.Chart(alt.Data(name="records")).transform_filter(CHOSEN)
    across = alt.X(
        "x:Q",
        title=ear,
        scale=alt.Scale(zero=False, nice=False, padding=14),
        axis=alt.Axis(tickCount=5),
    )
    up = alt.Y("y:Q", title="per cent", scale=alt.Scale(zero=False))
    of_graph = alt.Tooltip("x:Q", title=ear.split(maxsplit=1)[0])
    grey = base.transform_filter(f"!({PICKED})").mark_line(color=OTHERS, opacity=0.4, strokeWidth=1)
    layers: list[Any] = [
        grey.encode(across, up, detail="n:N", tooltip=_tooltip(alt, of_graph)),
        base.transform_filter(PICKED)
        .mark_area(opacity=0.14)
        .encode(across, alt.Y("l:Q"), alt.Y2("h:Q"), _colour(alt, models)),
        base.transform_filter(PICKED)
        .mark_line(strokeWidth=2.2)
        .encode(across, up, _colour(alt, models), _dash(alt, models)),
        base.transform_filter(PICKED)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            *(across, up, _colour(alt, models), _shape(alt, models)),
            tooltip=_tooltip(alt, of_graph),
        ),
    ]
    if bounds:
        ruled, named = (alt.Chart(alt.Data(name=name)).transform_filter(CHOSEN) for name in ("bounds", "named"))
        layers += [
            ruled.mark_line(style="bound", strokeDash=[3, 3], strokeWidth=1.5).encode(across, up, detail="b:N"),
            # A bound that is known of one graph alone is a point, where a line would not be seen.
            ruled.mark_point(style="bound", shape="diamond", size=40, strokeWidth=1.5)
            .encode(across, up)
            .transform_joinaggregate(number="count()", groupby=["b"])
            .transform_filter("datum.number == 1"),
        ]
        placed = named.transform_calculate(x=f"{PLACE}[3]", y=f"{PLACE}[4]")
        layers += [text.encode(across, up, text="b:N") for text in _bound_names(placed)]
    title = _title(_quoted(shorten(family)), records, kind)
    described = f"Lines: what each model reaches on graphs of {family} against their EAR, {_negatives(kind)}."
    data = {"records": records, "bounds": bounds, "named": name_bounds(records, bounds, picked)}
    return _finish(alt, layers, title, described, data, picked)


def ablation_chart(base_model: str, kind: str, records: list[Record]) -> Spec:
    """Draw bars of how far variants are above or below the whole model, with one deviation of the differences."""
    import altair as alt

    names = list(dict.fromkeys(record["n"] for record in records))
    base = alt.Chart(alt.Data(name="records")).transform_filter(f"{CHOSEN} && datum.g == graph")
    side = alt.Y("n:N", title=None, sort=names, axis=alt.Axis(labelLimit=150, grid=False, domain=False, ticks=False))
    layers = [
        base.mark_bar(height={"band": 0.6}).encode(
            alt.X("y:Q", title="difference, percentage points", axis=alt.Axis(tickCount=5)),
            side,
            color=alt.condition("datum.y < 0", alt.value(INDISTINGUISHABLE), alt.value(ORBITS[0])),
            tooltip=_tooltip(alt),
        ),
        base.mark_rule(style="deviation").encode(alt.X("l:Q"), alt.X2("h:Q"), side),
        alt.Chart(alt.Data(values=[{}])).mark_rule(strokeWidth=1).encode(x=alt.datum(0)),
    ]
    title = _title(f"{_quoted(shorten(base_model, 24) + ' on ')} + truncate(graph, 24)", records, kind)
    described = f"Bars: how far each variant of {base_model} is above or below it, {_negatives(kind)}."
    spec = _finish(alt, layers, title, described, {"records": records}, [], graph=records[0]["g"])
    return spec | {"height": 24 * len(names) + 10}


def time_chart(kind: str, records: list[Record], bounds: list[Record], models: list[str], picked: list[str]) -> Spec:
    """Draw quality against the time of training, on a logarithmic scale; on orbit negatives with the bounds on AUC."""
    import altair as alt

    records, bounds = name_points(records, bounds, picked)
    base = alt.Chart(alt.Data(name="records")).transform_filter(f"{CHOSEN} && datum.g == graph")
    across = alt.X(
        "t:Q",
        title="seconds of training, one thread, median",
        scale=alt.Scale(type="log", nice=False, padding=18),
        axis=alt.Axis(tickCount=5, format="~g"),
    )
    up = alt.Y("y:Q", title="per cent", scale=alt.Scale(zero=False))
    tooltip = _tooltip(alt, alt.Tooltip("t:Q", title="seconds", format=".3s"))
    shown = base.transform_filter(PICKED)
    layers: list[Any] = [
        base.transform_filter(f"!({PICKED})")
        .mark_point(filled=True, size=45, color=OTHERS, opacity=0.55)
        .encode(across, up, _shape(alt, models), tooltip=tooltip),
        shown.mark_rule(opacity=0.6).encode(across, alt.Y("l:Q"), alt.Y2("h:Q"), _colour(alt, models)),
        shown.mark_point(filled=True, size=110, opacity=1).encode(
            across, up, _colour(alt, models), _shape(alt, models), tooltip=tooltip
        ),
    ]
    named = shown.transform_calculate(short=f"truncate(datum.n, {LETTERS})")
    names = [
        shown.transform_filter(f"{PLACE}[3]")
        .mark_rule(strokeWidth=0.8, x2Offset=_shift(alt, 0), y2Offset=_shift(alt, 1))
        .encode(across, up, alt.X2("t:Q"), alt.Y2("y:Q")),
        *(text.encode(across, up, text="short:N") for text in _texts(named)),
    ]
    if bounds:
        ruled = alt.Chart(alt.Data(name="bounds")).transform_filter(f"{CHOSEN} && datum.g == graph")
        layers.insert(0, ruled.mark_rule(strokeDash=[3, 3], strokeWidth=1.5).encode(alt.Y("y:Q")))
        at = alt.value(alt.expr(f"{PLACE}[3] * width"))
        layers += [text.encode(alt.Y("y:Q"), x=at, text="b:N") for text in _bound_names(ruled)]
    layers += names
    title = _title(f"truncate(graph, {MAX_LETTERS})", records, kind)
    described = f"Points: what each model reaches against the seconds that it was trained for, {_negatives(kind)}."
    data = {"records": records, "bounds": bounds}
    return _finish(alt, layers, title, described, data, picked, graph=records[0]["g"])


def _finish(
    alt: Any,
    layers: list[Any],
    title: str,
    description: str,
    data: dict[str, list[Record]],
    picked: list[str],
    **parameters: str,
) -> Spec:
    """Lay the layers over each other, and add data, parameters and what readers of screens are told."""
    first = data["records"][0]
    parameters |= {"metric": first["m"], "features": first["f"]}
    chart = (
        alt.layer(*layers)
        .properties(
            width="container",
            height=HEIGHT,
            title=alt.Title(alt.expr(title)),
            description=description,
        )
        .add_params(
            alt.param(name="picked", value=picked), *(alt.param(name=name, value=to) for name, to in parameters.items())
        )
    )
    spec: Spec = chart.to_dict()
    spec.pop("config", None)  # the page has its own, for day and night
    return spec | {
        "datasets": {name: records for name, records in data.items() if records},
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def _texts(chart: Any, **style: Any) -> list[Any]:
    """Return names at their places twice: as a ground that no line strikes through, and upon it as text."""
    import altair as alt

    align = alt.expr(f"{PLACE}[2]")
    where = {"align": align, "dx": _shift(alt, 0), "dy": _shift(alt, 1), "baseline": "middle"}
    return [chart.mark_text(**where, **style, **ground) for ground in ({"style": "halo"}, {})]


def _bound_names(chart: Any) -> list[Any]:
    return _texts(chart, fontStyle="italic", fontSize=11)


def _shift(alt: Any, number: int) -> Any:
    return alt.expr(f"{PLACE}[{number}]")


def _colour(alt: Any, models: list[str]) -> Any:
    return alt.Color("n:N", scale=alt.Scale(domain=models, range="category"), legend=None)


def _shape(alt: Any, models: list[str]) -> Any:
    return alt.Shape("n:N", scale=alt.Scale(domain=models, range="symbol"), legend=None)


def _dash(alt: Any, models: list[str]) -> Any:
    dashes = [list(DASHES[place % len(DASHES)]) for place in range(len(models))]
    return alt.StrokeDash("n:N", scale=alt.Scale(domain=models, range=dashes), legend=None)


def _tooltip(alt: Any, *more: Any) -> list[Any]:
    return [
        alt.Tooltip("n:N", title="model"),
        alt.Tooltip("g:N", title="graph"),
        *more,
        alt.Tooltip("y:Q", title="mean", format=".2f"),
        alt.Tooltip("l:Q", title="less one deviation", format=".2f"),
        alt.Tooltip("h:Q", title="plus one deviation", format=".2f"),
        alt.Tooltip("s:Q", title="seeds"),
    ]


def _negatives(kind: str) -> str:
    return NEGATIVES.get(kind, f"{kind} negatives")


def _title(first: str, records: list[Record], kind: str) -> str:
    """Return an expression of Vega for two lines: the graphs; metric, negatives and features that are shown."""
    words = {record["m"]: metric_title(record["m"]) for record in records}
    metric = f"({{{', '.join(f'{_quoted(name)}: {_quoted(title)}' for name, title in words.items())}}})[metric]"
    return f"[{first}, {metric} + {_quoted(f', {_negatives(kind)}, ')} + features + ' features']"


def _quoted(text: str) -> str:
    """Return text as a literal of Vega's expressions; names come from data, and must stay text."""
    return json.dumps(text)
