"""Tables of other shapes than models by graphs: running times, statistics of graphs, and how settings were searched."""

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from edgeorbit.experiments.tables.results import Results
from edgeorbit.measures.summary import SUMMARY_LABELS, show_number
from edgeorbit.models import resolve_model

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import TunedEntry

PLAIN = "gcn"
TIMES_LEGEND = (
    "Seconds of training with one thread: the median over seeds, as the first run of a model also compiles it. "
    f"In the next column, how many times that of {PLAIN} it is."
)
TITLE = "How settings were chosen"
SEARCHED = (
    "Settings that the experiment file does not give were searched on validation edges; the first trial has the "
    "defaults, which stay where no other is better. Models that were not searched have what their authors published "
    "for the data set, or defaults."
)
CONFIRMED = (
    "Short trials can mislead: where settings were confirmed, what was found and the defaults were trained for so many "
    "epochs, and the better of the two was kept."
)
NOT_SEARCHED = (
    "No settings were searched: those that the experiment file does not give are what the authors of a model published "
    "for the data set, or defaults."
)
HEAD = (
    *("graph", "features", "settings from", "trials", "epochs", "metric"),
    *("models searched", "of them with defaults", "confirmed"),
)


def times_legend(results: Results) -> str:
    """Return what has to be known of the seconds: what the file gives, and of how many machines they are."""
    hosts = {row.get("host") for row in results.rows if row.get("seconds")}
    machines = "All runs are of one machine." if len(hosts) == 1 else f"Runs are of {len(hosts)} machines."
    given = _given(results)
    said = [f"Settings of the file: {given}."] if given else []
    return " ".join([TIMES_LEGEND, *said, *([machines] if hosts and None not in hosts else [])])


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
            line.extend(_times_shown(list(models.get(model, {}).values()), seeds, plain))
    return head, [line for line in lines.values() if any(line[1:])]


def seconds_by_graph(results: Results) -> dict[tuple[str, str], dict[str, dict[Any, float]]]:
    """Return the seconds of training by graph and features, by model, and by seed."""
    found: dict[tuple[str, str], dict[str, dict[Any, float]]] = {}
    for row in results.rows:
        if row.get("seconds"):
            models = found.setdefault((row["data"], row["features"]), {})
            models.setdefault(row["model"], {})[row["seed"]] = row["seconds"]
    return found


def _times_shown(seconds: list[float], seeds: int, plain: float | None) -> list[str]:
    if not seconds:
        return ["", ""]
    typical = median(seconds)
    fewer = f" ({len(seconds)})" if len(seconds) < seeds else ""
    return [f"{typical:.1f}{fewer}", "" if plain is None else f"{typical / plain:.1f} x"]


def statistics_table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines; below a statistic stands what others say of it.

    >>> rows = [{"data": "C8", "num_nodes": 8, "ear": 1.0}]
    >>> statistics_table(Results("", rows, (), stated={"C8": {"ear": 0.9}}))
    (['', 'C8'], [['Nodes', '8'], ['EAR', '1.0000'], ['EAR, as published', '0.9000']])
    """
    graphs = {row["data"]: row for row in results.rows if not row.get("failed")}
    lines = []
    for name, label in SUMMARY_LABELS.items():
        if any(row.get(name) is not None for row in graphs.values()):
            lines.append([label, *(show_number(row.get(name)) for row in graphs.values())])
        stated = [results.stated.get(graph, {}).get(name) for graph in graphs]
        if any(value is not None for value in stated):
            lines.append([f"{label}, as published", *("" if value is None else show_number(value) for value in stated)])
    return ["", *graphs], lines


@dataclass
class _Search:
    """Entries of one graph that were searched alike, by model, and the graphs that take them."""

    entries: "dict[str, TunedEntry]" = field(default_factory=dict)
    graphs: dict[str, None] = field(default_factory=dict)


def searches_said(results: Results) -> list[str]:
    """Return what has to be known of how settings were chosen, a paragraph each; none if nobody knows."""
    if results.tuned is None:
        return []
    entries = [results.tuned[row["key"]] for row in results.rows if row["key"] in results.tuned]
    if not entries:
        return [NOT_SEARCHED]
    return [SEARCHED, CONFIRMED] if any(entry.confirmed for entry in entries) else [SEARCHED]


def searches_table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines: one for every search, with all graphs that take what it found.

    >>> from edgeorbit.experiments.schema import Confirmation, TunedEntry
    >>> found = TunedEntry(data="NS", features="constant", model="gcn", trials=6, epochs=9, metric="auc")
    >>> confirmed = found.model_copy(update={"model": "gin", "confirmed": Confirmation(epochs=60)})
    >>> rows = [
    ...     {"key": graph + model, "data": graph, "features": "constant", "model": model, "base": model}
    ...     for graph in ("NS", "Router")
    ...     for model in ("cn", "gcn", "gin")
    ... ]
    >>> known = {row["key"]: {"gcn": found, "gin": confirmed}[row["model"]] for row in rows if row["model"] != "cn"}
    >>> searches_table(Results("", rows, (), tuned=known))[1]
    [['all', 'constant', 'NS', '6', '9', 'auc', '2 of 3', '2', '1 for 60 epochs, 1 of them with defaults']]
    """
    searches: dict[tuple[str, ...], _Search] = {}
    models: dict[tuple[str, str], set[str]] = {}
    for row in results.rows:
        models.setdefault((row["data"], row["features"]), set()).add(row["base"])
        entry = (results.tuned or {}).get(row["key"])
        if entry is not None:
            how = ["" if said is None else str(said) for said in (entry.trials, entry.epochs, entry.metric)]
            place = row["features"], entry.data, *how
            search = searches.setdefault(place, _Search())
            search.entries[entry.model] = entry
            search.graphs[row["data"]] = None
    lines = []
    every = {graph for graph, _ in models}
    for (features, *found), search in searches.items():
        planned = set[str]().union(*(models[graph, features] for graph in search.graphs))
        graphs = "all" if search.graphs.keys() == every and len(every) > 1 else "; ".join(search.graphs)
        defaults = sum(entry.has_defaults for entry in search.entries.values())
        number = f"{len(search.entries)} of {len(planned)}"
        lines.append([graphs, features, *found, number, str(defaults), _confirmed(search)])
    return list(HEAD), lines


def _confirmed(search: _Search) -> str:
    confirmed = [entry for entry in search.entries.values() if entry.confirmed is not None]
    lengths = Counter(entry.confirmed.epochs for entry in confirmed if entry.confirmed is not None)
    if not lengths:
        return ""
    said = " and ".join(f"{number} for {epochs} epochs" for epochs, number in sorted(lengths.items()))
    return f"{said}, {sum(entry.has_defaults for entry in confirmed)} of them with defaults"
