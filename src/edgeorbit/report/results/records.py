"""The numbers behind charts and figures: performance against EAR, what parts carry, time against quality.

Every record is a dictionary with short keys, because pages hold thousands of them: `f` features, `k` kind of negatives,
`m` metric, `n` model, `g` graph, `y` mean in per cent, `l` and `h` the ends of its band, `s` number of seeds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from edgeorbit.experiments.statistics import deviation
from edgeorbit.experiments.tables.results import Results, Row
from edgeorbit.experiments.tables.table import FACTS, Table
from edgeorbit.report.wording import ear_name

Record = dict[str, Any]
BOUNDS = {name: said.removeprefix("bound: ") for name, said in FACTS.items() if name.startswith("bound_")}
BOUNDED = "constant"  # the features for which bounds hold: models that know more of nodes may pass them


def quality_records(tables: list[Table]) -> list[Record]:
    """Return a record for every cell of the tables."""
    return [
        {"f": table.features, "k": table.negatives, "m": table.metric, "n": model, "g": graph, "s": cell.number}
        | _band(cell.mean, cell.deviation)
        for table in tables
        for (model, graph), cell in table.cells.items()
    ]


def curve_records(results: Results, tables: list[Table]) -> dict[str, list[Record]]:
    """Return by family of graphs what models reach, with the EAR `x` of the graph.

    Graphs whose names begin alike, up to a comma, are a family; there are families of two graphs or more. EAR is that
    after the rounds of orbit negatives, if all rows of the family have it, else the stable one.
    """
    ears = _ears(results)
    curves: defaultdict[str, list[Record]] = defaultdict(list)
    for record in quality_records(tables):
        if record["g"] in ears:
            family, ear = ears[record["g"]]
            curves[family].append(record | {"x": _short(ear)})
    return {family: sorted(records, key=lambda record: record["x"]) for family, records in curves.items()}


def ear_titles(results: Results) -> dict[str, str]:
    """Return by family what the EAR of `curve_records` is called: EAR, or after how many rounds it is measured."""
    titles = {}
    for family, rows in _families(results).items():
        known: set[Any] = {results.orbit_rounds.get(row["data"], "unknown") for row in rows}
        stable = all(row[_ear_column(rows)] == row["train_ear"] for row in rows)
        if stable:
            titles[family] = f"{ear_name(None)} of the training graph"
        elif len(known) > 1 or "unknown" in known:
            titles[family] = "EAR after the rounds of orbit negatives"
        else:
            titles[family] = f"{ear_name(known.pop())} of the training graph"
    return titles


def bound_records(results: Results) -> list[Record]:
    """Return for every graph with orbit negatives the bounds on AUC: `b` its name, `y` per cent, `x` EAR if known.

    They hold for models without features, so that there are none where models have any.
    """
    ears = _ears(results)
    found: defaultdict[tuple[str, str, str], dict[Any, float]] = defaultdict(dict)
    for row in (row for row in results.rows if row["features"] == BOUNDED):
        for name in BOUNDS:
            if row.get(name) is not None:
                found[row["features"], row["data"], name][row["seed"]] = 100 * row[name]
    return [
        {"f": features, "k": "orbit", "m": "auc", "g": graph, "b": BOUNDS[name]}
        | {"y": _short(float(np.mean(list(values.values()))))}
        | ({"x": _short(ears[graph][1])} if graph in ears else {})
        for (features, graph, name), values in found.items()
    ]


def bounds_apart(bounds: list[Record]) -> list[Record]:
    """Return the bounds whose names can be written beside each other: of two that are close, that of who knows more.

    >>> known = ("cn", 70), ("components", 89), ("both", 89.4)
    >>> close = [{"f": "", "g": "two Coras", "b": name, "y": y} for name, y in known]
    >>> [bound["b"] for bound in bounds_apart(close)]
    ['cn', 'both']
    """
    kept: list[Record] = []
    for bound in reversed(bounds):
        if all((bound["f"], bound["g"]) != (one["f"], one["g"]) or abs(bound["y"] - one["y"]) >= 2 for one in kept):
            kept.append(bound)
    return kept[::-1]


def bounds_named(bounds: list[Record], at: Callable[..., Record]) -> list[Record]:
    """Return where the lines of bounds against EAR are named: at their highest EAR (`max`) or their lowest (`min`)."""
    lines: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for bound in bounds:
        lines[bound["f"], bound["b"]].append(bound)
    return bounds_apart([at(line, key=lambda bound: bound["x"]) for line in lines.values()])


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
    for (features, kind, metric, graph, model), own in values.items():
        base = bases[model]
        full = values.get((features, kind, metric, graph, base), {})
        differences = [value - full[seed] for seed, value in own.items() if seed in full]
        if model != base and differences:
            found[base].append(
                {"f": features, "k": kind, "m": metric, "g": graph, "n": model, "s": len(differences)}
                | _band(float(np.mean(differences)), deviation(differences))
            )
    return dict(found)


def time_records(results: Results, tables: list[Table]) -> list[Record]:
    """Return what models reach, with the median seconds `t` that they were trained for.

    The median, as in tables: the first run of a model also compiles it.
    """
    seconds: defaultdict[tuple[str, str, str], dict[Any, float]] = defaultdict(dict)
    for row in results.rows:
        if row.get("seconds"):
            seconds[row["features"], row["data"], row["model"]][row["seed"]] = row["seconds"]
    return [
        record | {"t": _short(float(np.median(list(found.values()))))}
        for record in quality_records(tables)
        if (found := seconds.get((record["f"], record["g"], record["n"])))
    ]


def _ears(results: Results) -> dict[str, tuple[str, float]]:
    """Return family and EAR of the graphs that belong to a family."""
    found: dict[str, tuple[str, float]] = {}
    for family, rows in _families(results).items():
        column = _ear_column(rows)
        by_graph: defaultdict[str, dict[Any, float]] = defaultdict(dict)
        for row in rows:
            by_graph[row["data"]][row["seed"]] = row[column]
        found |= {graph: (family, float(np.mean(list(values.values())))) for graph, values in by_graph.items()}
    return found


def _families(results: Results) -> dict[str, list[Row]]:
    """Return the rows of every family of two graphs or more whose EAR is known."""
    families: defaultdict[str, list[Row]] = defaultdict(list)
    for row in results.rows:
        if "," in row["data"] and row.get("train_ear") is not None:
            families[row["data"].split(",")[0]].append(row)
    return {family: rows for family, rows in families.items() if len({row["data"] for row in rows}) > 1}


def _ear_column(rows: list[Row]) -> str:
    return "colour_ear" if all(row.get("colour_ear") is not None for row in rows) else "train_ear"


def _band(mean: float, deviation: float | None) -> Record:
    reach = deviation or 0.0
    return {"y": _short(mean), "l": _short(mean - reach), "h": _short(mean + reach)}


def _short(value: float) -> float:
    """Round a number for a chart, where the sixth digit cannot be seen."""
    return float(f"{value:.5g}")
