"""The table of an experiment about running time: seconds of training by model, beside those of a plain network."""

from statistics import median
from typing import Any

from edgeorbit.experiments.tables.results import Results
from edgeorbit.models import resolve_model

PLAIN = "gcn"
LEGEND = (
    "Seconds of training with one thread: the median over seeds, as the first run of a model also compiles it. "
    f"In the next column, how many times that of {PLAIN} it is."
)


def legend(results: Results) -> str:
    """Return what has to be known of the seconds: what the file gives, and of how many machines they are."""
    hosts = {row.get("host") for row in results.rows if row.get("seconds")}
    machines = "All runs are of one machine." if len(hosts) == 1 else f"Runs are of {len(hosts)} machines."
    given = _given(results)
    said = [f"Settings of the file: {given}."] if given else []
    return " ".join([LEGEND, *said, *([machines] if hosts and None not in hosts else [])])


def _given(results: Results) -> str:
    """Return the settings that the file gives, those of most runs first, then those of models that have others."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for cell in results.cells:
        if resolve_model(cell.model).trainable:
            for name, value in {**cell.training, **cell.settings}.items():
                labels = found.setdefault(name, {}).setdefault(str(value), {})
                labels[cell.label] = labels.get(cell.label, 0) + 1
    told = []
    for name, values in found.items():
        usual, *others = sorted(values.items(), key=lambda pair: -sum(pair[1].values()))
        apart = [f"for {', '.join(labels)} {value}" for value, labels in others]
        told.append(", ".join([f"{name.replace('_', ' ')} {usual[0]}", *apart]))
    return "; ".join(told)


def times_table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines.

    >>> rows = [
    ...     {"data": "Cora", "features": "original", "model": model, "seed": seed, "seconds": seconds}
    ...     for model, *all_seconds in [("gcn", 9.0, 1.0, 2.0), ("eo-gnn", 5.0, 3.0, 4.0)]
    ...     for seed, seconds in enumerate(all_seconds)
    ... ]
    >>> times_table(Results("", rows, ("gcn", "eo-gnn")))
    (['model', 'Cora (3)', '/ gcn'], [['gcn', '2.0', '1.0 x'], ['eo-gnn', '4.0', '2.0 x']])
    """
    found = seconds_by_graph(results)
    several = len({graph for graph, _ in found}) < len(found)
    head, lines = ["model"], {model: [model] for model in results.order}
    for (graph, features), models in found.items():
        seeds = max(map(len, models.values()))
        head += [f"{graph}{f', {features} features' if several else ''} ({seeds})", f"/ {PLAIN}"]
        plain = median(models[PLAIN].values()) if PLAIN in models else None
        for model, line in lines.items():
            line.extend(_shown(list(models.get(model, {}).values()), seeds, plain))
    return head, [line for line in lines.values() if any(line[1:])]


def seconds_by_graph(results: Results) -> dict[tuple[str, str], dict[str, dict[Any, float]]]:
    """Return the seconds of training by graph and features, by model, and by seed."""
    found: dict[tuple[str, str], dict[str, dict[Any, float]]] = {}
    for row in results.rows:
        if row.get("seconds"):
            models = found.setdefault((row["data"], row["features"]), {})
            models.setdefault(row["model"], {})[row["seed"]] = row["seconds"]
    return found


def _shown(seconds: list[float], seeds: int, plain: float | None) -> list[str]:
    if not seconds:
        return ["", ""]
    typical = median(seconds)
    fewer = f" ({len(seconds)})" if len(seconds) < seeds else ""
    return [f"{typical:.1f}{fewer}", "" if plain is None else f"{typical / plain:.1f} x"]
