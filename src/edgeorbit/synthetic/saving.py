"""Synthetic graphs on disk: a directory for each, with a card that has its EAR by round."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from edgeorbit import __version__
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.files import atomic_directory
from edgeorbit.graph.directory import CARD, FILES, REQUEST, check_files, has_own_card, read_card, write_directory
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.measures.ear import measure

MEMBER = "ear-"  # what the directories of a sweep begin with


def make_card(graph: Graph, threads: int | None = None) -> dict[str, Any]:
    """Return what is known about a synthetic graph: how it was made, and its EAR by round as measured now."""
    origin = graph.origin or Origin.plain(graph.num_nodes, graph.num_edges)
    found = measure(graph, threads=threads)
    return {
        **origin.recipe,
        "package_version": __version__,
        "edge_kinds": origin.kind_counts(),
        "ear": found.ear,
        "ear_by_round": found.ear_by_round,
        "rounds": found.rounds,
        "num_node_orbits": found.num_node_orbits,
        "num_edge_orbits": found.num_edge_orbits,
    }


def save_graph(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    threads: int | None = None,
    request: str | None = None,
) -> dict[str, Any]:
    """Write a synthetic graph to a directory, whole or not at all, and return its card.

    Parameters
    ----------
    graph
        A graph that `make` made.
    path
        The directory; it must not exist, or be empty.
    force
        Write into a directory that is not empty: an older graph or sweep in it is replaced, other files stay.
    threads
        Number of threads; by default one per core.
    request
        A digest of what was asked for (`edgeorbit.synthetic.sweep_digest`), by which `stored_cards` knows the graph.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from edgeorbit import load_graph
    >>> from edgeorbit.synthetic import make
    >>> with TemporaryDirectory() as directory:
    ...     card = save_graph(make("syn-karate", edges=3), Path(directory, "graph"))
    ...     load_graph(Path(directory, "graph")).origin.kind_counts()
    {'original': 156, 'added': 3, 'twin': 0}
    """
    card = make_card(graph, threads)
    with atomic_directory(path, force=force, ours=_ours, last=CARD) as directory:
        write_directory(graph, directory, _requested(card, request))
    return card


def save_sweep(
    graphs: Sequence[Graph],
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    threads: int | None = None,
    request: str | None = None,
) -> list[dict[str, Any]]:
    """Write the graphs of a sweep to directories `ear-0.1`, `ear-0.2`, ... within one; as `save_graph`."""
    names = [member_name(graph) for graph in graphs]
    if len(set(names)) < len(names):
        raise InvalidParameterError(
            f"two graphs of the sweep are called {max(names, key=names.count)}; name targets once"
        )
    cards = [make_card(graph, threads) for graph in graphs]
    with atomic_directory(path, force=force, ours=_ours, last=CARD) as directory:
        for graph, name, card in zip(graphs, names, cards, strict=True):
            (directory / name).mkdir()
            write_directory(graph, directory / name, _requested(card, request))
    return cards


def stored_cards(
    path: str | os.PathLike[str], targets: Sequence[float | None], request: Callable[[], str]
) -> list[dict[str, Any]] | None:
    """Return the cards of a graph, or of a sweep of several targets, if it was saved with this very request.

    None if something else is there, or nothing, or if files were changed since.
    """
    where = Path(path)
    places = [where] if len(targets) == 1 else [where / f"{MEMBER}{target:g}" for target in targets]
    try:
        cards = [read_card(place) for place in places]
        for place, card in zip(places, cards, strict=True):
            check_files(place, card)
    except (GraphFormatError, OSError):
        return None
    if any(REQUEST not in card for card in cards):
        return None
    asked = request()
    return cards if all(card[REQUEST] == asked for card in cards) else None


def _requested(card: dict[str, Any], request: str | None) -> dict[str, Any]:
    return card if request is None else {**card, REQUEST: request}


def member_name(graph: Graph) -> str:
    """Return what the directory of a graph is called within a sweep."""
    recipe = graph.origin.recipe if graph.origin else {}
    if not recipe.get("target"):
        raise InvalidParameterError(
            f"{graph.name} has no target EAR, so it belongs to no sweep; save it with save_graph"
        )
    return f"{MEMBER}{recipe['target']['ear']:g}"


def _ours(entry: Path) -> bool:
    """Tell whether an entry of an older directory was written by us, as a card beside it or within it says."""
    if entry.name.startswith(MEMBER):
        return has_own_card(entry) and all(file.name in {CARD, *FILES} for file in entry.iterdir())
    return entry.name in {CARD, *FILES} and has_own_card(entry.parent)
