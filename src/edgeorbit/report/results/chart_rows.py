"""Which charts an experiment has: rows of them, one chart for every kind of negatives side by side."""

from typing import NamedTuple

from edgeorbit.experiments.plan import TIME
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import Table
from edgeorbit.report.results.charts import Spec, ablation_chart, curve_chart, time_chart, unchecked
from edgeorbit.report.results.records import (
    Record,
    ablation_records,
    bound_records,
    bounds_apart,
    curve_records,
    ear_titles,
    time_records,
)

# What is drawn of an experiment, by what it is about; all that there is where that gives nothing, or is a table.
DRAWN = {"curve": ("curve",), "ablation": ("ablation",), "dropout": ("ablation", "curve"), "time": ("time",)}

BOUNDS_READ = "Dotted: the best AUC for models without features that tell links apart by what is named there."


class ChartRow(NamedTuple):
    """Charts of the same kind, by their kind of negatives; `has_models` if models stand out in them.

    `graphs` names for each chart the one graph that it shows; empty if charts show several, or one that is chosen.
    """

    caption: str
    charts: list[tuple[str, Spec]]
    has_models: bool
    graphs: tuple[str, ...] = ()


def chart_rows(results: Results, tables: list[Table], models: list[str], picked: list[str]) -> list[ChartRow]:
    """Return the charts that the results have something for, and that fit what they are about."""
    bounds = bound_records(results)
    draws = {
        "curve": lambda: _curves(results, tables, bounds, models, picked),
        "ablation": lambda: _ablation(results, tables),
        "time": lambda: _time(results, tables, bounds, models, picked),
    }
    with unchecked():
        fitting = [row for name in DRAWN.get(results.kind, ()) for row in draws[name]()]
        return fitting or [row for draw in draws.values() for row in draw()]


def _curves(
    results: Results, tables: list[Table], bounds: list[Record], models: list[str], picked: list[str]
) -> list[ChartRow]:
    rows, titles = [], ear_titles(results)
    for family, records in curve_records(results, tables).items():
        graphs = {record["g"] for record in records}
        limits = _by_kind([bound for bound in bounds if bound["g"] in graphs])
        charts = [
            (kind, curve_chart(family, titles[family], kind, own, limits.get(kind, []), models, picked))
            for kind, own in _by_kind(records).items()
        ]
        caption = (
            f"{family}: performance against {titles[family].split()[0]}; bands are one standard deviation over seeds."
        )
        caption += f" {BOUNDS_READ}" if limits else ""
        rows.append(ChartRow(caption, charts, True))
    return rows


def _ablation(results: Results, tables: list[Table]) -> list[ChartRow]:
    metrics = dict.fromkeys(table.metric for table in tables)
    return [
        ChartRow(
            f"Variants against the whole of {base}, seed by seed; lines are one standard deviation of the difference."
            + _one_at_a_time(records),
            [(kind, ablation_chart(base, kind, own)) for kind, own in _by_kind(records).items()],
            False,
        )
        for base, records in ablation_records(results, metrics).items()
    ]


def _time(
    results: Results, tables: list[Table], bounds: list[Record], models: list[str], picked: list[str]
) -> list[ChartRow]:
    limits = _by_kind(bounds_apart(bounds))
    records = time_records(results, tables)
    # What is about time shows all its graphs at once: they are few, and each may have features of its own.
    graphs = list(dict.fromkeys(record["g"] for record in records)) if results.kind == TIME else []
    shown = [
        (graph, kind, [record for record in own if graph in (None, record["g"])])
        for kind, own in _by_kind(records).items()
        for graph in graphs or [None]
    ]
    charts = [
        (
            kind,
            time_chart(kind, own, [one for one in limits.get(kind, []) if graph in (None, one["g"])], models, picked),
        )
        for graph, kind, own in shown
        if own
    ]
    caption = (
        "Quality against the time of training (logarithmic, median over seeds); lines are one standard deviation."
        + (f" {BOUNDS_READ}" if limits else "")
        + ("" if graphs else _one_at_a_time(records))
    )
    named = tuple(own[0]["g"] for _, _, own in shown if own) if graphs else ()
    return [ChartRow(caption, charts, True, named)] if charts else []


def _one_at_a_time(records: list[Record]) -> str:
    """Say that charts show one graph of several, as their titles do."""
    number = len({record["g"] for record in records})
    return f" One of {number} graphs at a time: choose it above, else the first is shown." if number > 1 else ""


def _by_kind(records: list[Record]) -> dict[str, list[Record]]:
    """Return records by their kind of negatives, and without it, which keeps the page small."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["k"], []).append({key: value for key, value in record.items() if key != "k"})
    return found
