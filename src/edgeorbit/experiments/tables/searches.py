"""How settings were chosen: by which searches, on which graphs, for how many of the models."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from edgeorbit.experiments.tables.results import Results

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import TunedEntry

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


@dataclass
class _Search:
    """Entries of one graph that were searched alike, by model, and the graphs that take them."""

    entries: "dict[str, TunedEntry]" = field(default_factory=dict)
    graphs: dict[str, None] = field(default_factory=dict)


def searches_said(results: Results) -> list[str]:
    """Return what has to be known of how settings were chosen, a paragraph each; none if nobody knows."""
    if results.searches is None:
        return []
    entries = [results.searches[row["key"]] for row in results.rows if row["key"] in results.searches]
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
    >>> searches_table(Results("", rows, (), searches=known))[1]
    [['all', 'constant', 'NS', '6', '9', 'auc', '2 of 3', '2', '1 for 60 epochs, 1 of them with defaults']]
    """
    searches: dict[tuple[str, ...], _Search] = {}
    models: dict[tuple[str, str], set[str]] = {}
    for row in results.rows:
        models.setdefault((row["data"], row["features"]), set()).add(row["base"])
        entry = (results.searches or {}).get(row["key"])
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
