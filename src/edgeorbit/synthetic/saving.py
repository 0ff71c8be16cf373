"""Synthetic graphs on disk: a directory for each, with a card that has its EAR by round.

`sweep_digest` covers everything that a sweep depends on, so that stored graphs are only ever those that were asked for.
"""

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from edgeorbit import __version__
from edgeorbit._files import atomic_directory
from edgeorbit.data.files import resolve_data_dir
from edgeorbit.data.loading import named_dataset
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.directory import CARD, FILES, REQUEST, check_files, has_own_card, read_card, write_directory
from edgeorbit.graph.graph import Graph, Origin
from edgeorbit.measures.ear import measure

MEMBER = "ear-"  # what the directories of a sweep begin with
FORMAT = 2  # raise it when generators make other graphs, or the attributes of the stored ones change


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
        A digest of what was asked for (`edgeorbit.synthetic.saving`), by which `stored_cards` knows the graph.

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


def sweep_digest(
    settings: Mapping[str, Any],
    source: Graph | str | os.PathLike[str] | None,
    data_dir: str | os.PathLike[str] | None,
    functions: Mapping[str, bytes | None],
) -> str:
    """Return a digest of the settings of a sweep, the content of its source, and the version of the package.

    Parameters
    ----------
    settings
        Names and values that JSON can hold.
    source
        The graph that synthetic ones are made from; what counts is its content, not its place.
    data_dir
        Where data sets are.
    functions
        The pickles of functions that change the stored graphs, as `pickled` gives them.

    Examples
    --------
    >>> digests = [sweep_digest({"seed": seed}, "karate", None, {}) for seed in (0, 0, 1)]
    >>> digests[0] == digests[1] != digests[2]
    True
    """
    described = {
        "format": FORMAT,
        "settings": settings,
        "source": _source_digests(source, data_dir),
        "functions": {name: _sha256(value) if value is not None else None for name, value in functions.items()},
    }
    return _sha256(json.dumps(described, sort_keys=True, default=_plain).encode())


def pickled(function: Any) -> bytes | None:
    """Return the pickle of a function or transform, its settings included; None if it has none, as lambdas do.

    >>> pickled(len) is None, pickled(lambda data: data) is None
    (False, True)
    """
    try:
        return pickle.dumps(function, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _source_digests(source: Graph | str | os.PathLike[str] | None, data_dir: Any) -> dict[str, str] | None:
    """Return the digests of the parts of a source, by their names."""
    if source is None:
        return None
    if isinstance(source, Graph):
        return _graph_digests(source)
    path, dataset = Path(source), named_dataset(source)
    if dataset is None and not path.exists():
        return {"generator": os.fspath(source).lower()}
    if dataset is None:
        # The names count, because the suffix of a file says how it is read.
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return _file_digests({file.relative_to(path.parent).as_posix(): file for file in files})
    # Digests that the registry knows serve without the files.
    unknown = {key: file for key, file in dataset.files.items() if key not in dataset.digests}
    directory = resolve_data_dir(data_dir)
    found = _file_digests({key: directory / file for key, file in unknown.items()})
    return {"dataset": dataset.name, **dataset.digests, **found}


def _file_digests(files: Mapping[str, Path]) -> dict[str, str]:
    digests = {}
    for name, path in files.items():
        with suppress(OSError), path.open("rb") as file:  # an unreadable file is reported where it is needed
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _graph_digests(graph: Graph) -> dict[str, str]:
    parts = {"indptr": graph.indptr, "indices": graph.indices, "y": graph.y, "x": graph.x}
    if graph.x is not None and not isinstance(graph.x, np.ndarray):
        parts |= {"x": graph.x.data, "x_indices": graph.x.indices, "x_indptr": graph.x.indptr}
        parts["x_shape"] = np.array(graph.x.shape)
    if graph.origin is not None:
        parts |= {name: getattr(graph.origin, name) for name in ("edge_kind", "copy", "original", "twin_of")}
    return {
        name: _sha256(f"{array.dtype} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes())
        for name, array in parts.items()
        if array is not None and array.dtype != object  # labels that are objects are not stored
    }


def _plain(value: Any) -> Any:
    """Return numpy's numbers as Python's, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise InvalidParameterError(
        f"parameters of a sweep are numbers, texts and lists of them, not {type(value).__name__}"
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
