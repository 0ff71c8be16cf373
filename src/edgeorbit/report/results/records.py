"""The numbers behind charts: performance against EAR, what parts contribute, time against quality.

A record is a dictionary: where it was measured (`features`, `negatives`, `metric`, `model`, `graph`), the `mean` in
percent, the ends of its band (`low`, `high`: one standard deviation) and the number of `seeds`.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from edgeorbit.experiments.statistics import deviation
from edgeorbit.experiments.tables.results import Results, Row
from edgeorbit.experiments.tables.table import FACTS, Table
from edgeorbit.report.style import ear_name

Record = dict[str, Any]
# What is drawn of an experiment, by what it is about; all that there is where that gives nothing, or is a table.
DRAWN = {"curve": ("curve",), "ablation": ("ablation",), "dropout": ("ablation", "curve"), "time": ("time",)}
BOUNDS = {name: said.removeprefix("bound: ") for name, said in FACTS.items() if name.startswith("bound_")}
BOUNDED = "constant"  # the features for which bounds hold: models that know more of nodes may pass them


class Subject(NamedTuple):
    """Records that are drawn together: `what` is curve, ablation or time, `name` the series or the base model."""

    what: str
    name: str
    across: str
    records: list[Record]


def subjects(results: Results, tables: list[Table]) -> list[Subject]:
    """Return what charts and figures show of the results, with the title of the x axis."""
    titles = ear_titles(results)
    metrics = dict.fromkeys(table.metric for table in tables)
    times = time_records(results, tables)
    found = [
        *(Subject("curve", name, titles[name], own) for name, own in curve_records(results, tables).items()),
        *(
            Subject("ablation", base, "difference (percentage points)", own)
            for base, own in ablation_records(results, metrics).items()
        ),
        *([Subject("time", "", "training time (seconds, one thread, median)", times)] if times else []),
    ]
    fitting = [one for what in DRAWN.get(results.kind, ()) for one in found if one.what == what]
    return fitting or found


def quality_records(tables: list[Table]) -> list[Record]:
    """Return a record for every cell of the tables."""
    return [
        {"features": table.features, "negatives": table.negatives, "metric": table.metric, "model": model}
        | {"graph": graph, "seeds": cell.number}
        | _band(cell.mean, cell.deviation)
        for table in tables
        for (model, graph), cell in table.cells.items()
    ]


def curve_records(results: Results, tables: list[Table]) -> dict[str, list[Record]]:
    """Return by series of graphs (`Results.series`) what models reach, with the `ear` of the graph as measured.

    A curve needs two graphs. EAR is that after the rounds of orbit negatives, if all rows of the series have it, else
    the stable one.
    """
    ears = _ears(results)
    curves: defaultdict[str, list[Record]] = defaultdict(list)
    for record in quality_records(tables):
        if record["graph"] in ears:
            series, ear = ears[record["graph"]]
            curves[series].append(record | {"ear": _short(ear)})
    return {series: sorted(records, key=lambda record: record["ear"]) for series, records in curves.items()}


def ear_titles(results: Results) -> dict[str, str]:
    """Return by series what the EAR of `curve_records` is called: EAR, or after how many rounds it is measured."""
    titles = {}
    for series, rows in _series(results).items():
        known: set[Any] = {results.orbit_rounds.get(row["data"], "unknown") for row in rows}
        stable = all(row[_ear_column(rows)] == row["train_ear"] for row in rows)
        if stable:
            titles[series] = f"{ear_name(None)} of the training graph"
        elif len(known) > 1 or "unknown" in known:
            titles[series] = "EAR after the rounds of orbit negatives"
        else:
            titles[series] = f"{ear_name(known.pop())} of the training graph"
    return titles


def bound_records(results: Results) -> list[Record]:
    """Return the bounds on AUC of every graph with orbit negatives, by name `bound`; with the `ear` if it is known.

    They hold for models without features, so that there are none where models have any.
    """
    ears = _ears(results)
    found: defaultdict[tuple[str, str, str], dict[Any, float]] = defaultdict(dict)
    for row in (row for row in results.rows if row["features"] == BOUNDED):
        for name in BOUNDS:
            if row.get(name) is not None:
                found[row["features"], row["data"], name][row["seed"]] = 100 * row[name]
    return [
        {"features": features, "negatives": "orbit", "metric": "auc", "graph": graph, "bound": BOUNDS[name]}
        | {"mean": _short(float(np.mean(list(values.values()))))}
        | ({"ear": _short(ears[graph][1])} if graph in ears else {})
        for (features, graph, name), values in found.items()
    ]


def ablation_records(results: Results, metrics: Iterable[str]) -> dict[str, list[Record]]:
    """Return by model how far each of its variants is above it, in percentage points, on the seeds that both have."""
    values: defaultdict[tuple[str, ...], dict[tuple[Any, Any], float]] = defaultdict(dict)
    bases: dict[str, str] = {}
    for row in results.rows:
        bases[row["model"]] = row["base"]
        for metric in metrics:
            if row.get(f"test_{metric}") is not None:
                place = row["features"], row["negatives"], metric, row["data"], row["model"]
                values[place][row["seed"], row.get("split_digest")] = 100 * row[f"test_{metric}"]
    found: defaultdict[str, list[Record]] = defaultdict(list)
    for (features, negatives, metric, graph, model), own in values.items():
        base = bases[model]
        full = values.get((features, negatives, metric, graph, base), {})
        differences = [value - full[seed] for seed, value in own.items() if seed in full]
        if model != base and differences:
            found[base].append(
                {"features": features, "negatives": negatives, "metric": metric, "graph": graph, "model": model}
                | {"seeds": len(differences)}
                | _band(float(np.mean(differences)), deviation(differences))
            )
    return dict(found)


def time_records(results: Results, tables: list[Table]) -> list[Record]:
    """Return what models reach, with the median `seconds` that they were trained for.

    The median, as in tables: the first run of a model also compiles it.
    """
    seconds: defaultdict[tuple[str, str, str], dict[Any, float]] = defaultdict(dict)
    for row in results.rows:
        if row.get("seconds"):
            seconds[row["features"], row["data"], row["model"]][row["seed"]] = row["seconds"]
    return [
        record | {"seconds": _short(float(np.median(list(found.values()))))}
        for record in quality_records(tables)
        if (found := seconds.get((record["features"], record["graph"], record["model"])))
    ]


def _ears(results: Results) -> dict[str, tuple[str, float]]:
    """Return series and EAR of the graphs that belong to a series."""
    found: dict[str, tuple[str, float]] = {}
    for series, rows in _series(results).items():
        column = _ear_column(rows)
        by_graph: defaultdict[str, dict[Any, float]] = defaultdict(dict)
        for row in rows:
            by_graph[row["data"]][row["seed"]] = row[column]
        found |= {graph: (series, float(np.mean(list(values.values())))) for graph, values in by_graph.items()}
    return found


def _series(results: Results) -> dict[str, list[Row]]:
    """Return the rows of every series of two graphs or more whose EAR is known."""
    series: defaultdict[str, list[Row]] = defaultdict(list)
    for row in results.rows:
        if row["data"] in results.series and row.get("train_ear") is not None:
            series[results.series[row["data"]]].append(row)
    return {series: rows for series, rows in series.items() if len({row["data"] for row in rows}) > 1}


def _ear_column(rows: list[Row]) -> str:
    return "colour_ear" if all(row.get("colour_ear") is not None for row in rows) else "train_ear"


def _band(mean: float, deviation: float | None) -> Record:
    reach = deviation or 0.0
    return {"mean": _short(mean), "low": _short(mean - reach), "high": _short(mean + reach)}


def _short(value: float) -> float:
    """Round to five digits, more than a chart shows."""
    return float(f"{value:.5g}")
