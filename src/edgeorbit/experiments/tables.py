"""The tables of an experiment: mean and standard deviation over seeds, models by graphs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from edgeorbit.experiments.plan import Experiment
from edgeorbit.models import MODELS

TITLES = {"random": "random negatives", "heart": "HeaRT's negatives", "orbit": "orbit negatives"}
METRICS = {"auc": "AUC", "mrr": "MRR", "hits@20": "Hits@20"}

Row = dict[str, Any]
Published = Mapping[str, Sequence[float]]


def to_markdown(experiment: Experiment, rows: list[Row], command: str) -> str:
    """Return all tables as a page of Markdown: one for every kind of negatives, features and metric."""
    labels = experiment.labels
    rows = [row | {"model": labels[row["key"]]} for row in rows if row["key"] in labels]
    order = list(dict.fromkeys([*(name for name in MODELS if name in labels.values()), *labels.values()]))
    parts = [
        f"# {experiment.title}",
        "",
        f"This page is written by `{command}`; do not edit it.",
        "",
        "Per cent: mean and standard deviation over seeds, each with weights of its own and, unless it comes with the",
        "data, a split of its own; in brackets the number of seeds where it is not that of the column's head. The",
        "weights are chosen by the validation metric on random negatives, on validation edges alone. Best mean in",
        "bold; what is within one standard deviation of the best (its own or the best one's) in italics.",
        "",
        *_graph_table(rows),
    ]
    for features in dict.fromkeys(row["features"] for row in rows):
        for kind in (name for name in TITLES if any(row["negatives"] == name for row in rows)):
            for metric, title in METRICS.items():
                chosen = [row for row in rows if row["features"] == features and row["negatives"] == kind]
                table = _table(chosen, metric, order, experiment.published.get(metric, {}).get(kind, {}))
                if table:
                    parts += ["", f"## {title}, {TITLES[kind]}, {features} features", "", *table]
    failed = {(row["model"], row["data"], row["features"], row["failed"]) for row in rows if row.get("failed")}
    if failed:
        parts += ["", "## Runs that failed", ""]
        parts += [
            f"- {model} on {data}, {features} features: {_line(why)}" for model, data, features, why in sorted(failed)
        ]
    return "\n".join([*parts, ""])


def _graph_table(rows: list[Row]) -> list[str]:
    """Return what is known of the graphs: EAR of the training graph, coverage and bounds of orbit negatives."""
    found: defaultdict[str, dict[str, dict[Any, float]]] = defaultdict(lambda: defaultdict(dict))
    columns = {
        "train_ear": "EAR of the training graph",
        "covered": "positives with orbit negatives",
        "bound_common_neighbours": "bound: common neighbours",
        "bound_walks": "bound: walks",
        "bound_components": "bound: components",
    }
    for row in rows:
        for name in columns:
            if row.get(name) is not None:
                found[row["data"]][name][row["seed"]] = row[name]
    columns = {name: title for name, title in columns.items() if any(values.get(name) for values in found.values())}
    body = [
        [data, *(f"{np.mean(list(values[name].values())):.3f}" if values.get(name) else "" for name in columns)]
        for data, values in found.items()
    ]
    return _markdown(["graph, mean over seeds", *columns.values()], body) if body else []


def _table(rows: list[Row], metric: str, order: list[str], published: Published) -> list[str]:
    """Return a table with a row for every model and a column for every graph; none if there is nothing to show.

    What others published for the graph stands beside ours, and how many of its deviations ours is off.
    """
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        value = row.get(f"test_{metric}")
        if value is not None:
            found[row["model"], row["data"]].append(100 * value)
    graphs = list(dict.fromkeys(row["data"] for row in rows if any(data == row["data"] for _, data in found)))
    models = [name for name in order if any(model == name for model, _ in found)]
    if not graphs:
        return []
    seeds = {data: max(len(values) for (_, other), values in found.items() if other == data) for data in graphs}
    body = [[model, *(_cell(found, model, data, seeds[data]) for data in graphs)] for model in models]
    columns = ["model", *(f"{data} ({seeds[data]})" for data in graphs)]
    if published:
        columns += ["published", "deviations off"]
        for model, line in zip(models, body, strict=True):
            line.extend(_compare(float(np.mean(found[model, graphs[0]])), published.get(model, [])))
    return _markdown(columns, body)


def _compare(ours: float, published: Sequence[float]) -> list[str]:
    """Return what was published, and how many of its deviations ours is above it."""
    if len(published) < 2:
        return [f"{value:.2f}" for value in published] + [""] * (2 - len(published))
    mean, deviation = published
    return [f"{mean:.2f} ± {deviation:.2f}", f"{(ours - mean) / deviation:+.1f}"]


def _cell(found: dict[tuple[str, str], list[float]], model: str, data: str, seeds: int) -> str:
    values = found.get((model, data))
    if not values:
        return ""
    means = {name: float(np.mean(one)) for (name, other), one in found.items() if other == data}
    best = max(means, key=lambda name: means[name])
    shown = f"{means[model]:.2f}" + (f" ± {_deviation(values):.2f}" if len(values) > 1 else "")
    shown += f" ({len(values)})" if len(values) < seeds else ""
    if model == best:
        return f"**{shown}**"
    near = means[best] - means[model] <= max(_deviation(values), _deviation(found[best, data]))
    return f"*{shown}*" if near else shown


def _deviation(values: list[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def _line(text: str) -> str:
    return " ".join(text.split())


def _markdown(columns: list[str], body: list[list[str]]) -> list[str]:
    rule = ["---", *["--:"] * (len(columns) - 1)]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (columns, rule, *body)]
