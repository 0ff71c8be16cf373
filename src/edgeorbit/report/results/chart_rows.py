"""Which charts an experiment has: rows of them, one chart for every kind of negatives side by side."""

from typing import NamedTuple

from edgeorbit.experiments.plan import TIME
from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import Table
from edgeorbit.report.results.charts import Spec, ablation_chart, curve_chart, time_chart, unchecked
from edgeorbit.report.results.records import Record, Subject, bound_records, subjects

BOUNDS_READ = "Grey dashes: the best AUC of models without features that distinguish links by what the legend names."


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
