"""Search small coloured graphs for automorphisms and isomorphisms with bliss, by way of igraph.

A search cannot be interrupted from Python, and may take very long or very much memory. Unless the graphs are tiny it
therefore runs in a process of its own, which this module is the program of: arrays come in through standard input and
go out through standard output as npz files without pickled objects, and the process ends with the limit.
"""

import contextlib
import importlib.util
import io
import math
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._files import write_npz
from edgeorbit.errors import MissingExtraError

Ints = npt.NDArray[np.int64]

# A process takes 0.3 s to start. Hard graphs of this size (Latin squares, projective planes, CFI graphs) take 0.01 s.
NODES_SEARCHED_HERE = 100
TOTAL_SEARCHED_HERE = 3_000
NODES_COUNTED = 1_000  # counting a group is one more search, which is not worth its time for a larger graph
OUT_OF_MEMORY = 3  # exit code
NOT_LOADED = 4  # another one, if igraph cannot be loaded


class Patterns(NamedTuple):
    """Connected coloured graphs, one after the other.

    Attributes
    ----------
    size, num_edges
        Number of nodes and edges of every pattern.
    kind
        Only patterns of the same kind can be isomorphic; they have as many nodes of each colour.
    colour
        Colours of all nodes.
    edges : array of shape (m, 2)
        Edges of all patterns; nodes are numbered from 0 in each.
    """

    size: Ints
    num_edges: Ints
    kind: Ints
    colour: Ints
    edges: Ints


class Symmetries(NamedTuple):
    """What a search found.

    Attributes
    ----------
    form
        For every pattern a number that it shares with the isomorphic ones.
    position
        For all nodes a place in their pattern such that equal places of isomorphic patterns correspond.
    source, image, bounds
        Generators, as in `edgeorbit.orbits.exact._generators.Generators`, of places instead of nodes.
    generator_form
        The form that a generator belongs to.
    log10_order
        For every form the log10 of the size of its group; nan if it was not counted.
    """

    form: Ints
    position: Ints
    source: Ints
    image: Ints
    bounds: Ints
    generator_form: Ints
    log10_order: npt.NDArray[np.float64]


def search(patterns: Patterns, time_limit: float, memory_limit: int | None) -> Symmetries:
    """Find the generators of every pattern and the isomorphisms between patterns of the same kind.

    Raises
    ------
    MissingExtraError
        If igraph is not installed, or cannot be loaded.
    TimeoutError, MemoryError
        If the search needs more than it may have; its process is gone by then.
    """
    if not len(patterns.size):
        return _search_here(patterns, None)
    if importlib.util.find_spec("igraph") is None:
        raise _missing("is not installed")
    if patterns.size.max() <= NODES_SEARCHED_HERE and patterns.size.sum() <= TOTAL_SEARCHED_HERE:
        try:
            import igraph
        except ImportError as error:  # of another machine, or without a library that it needs
            raise _missing(f"cannot be loaded ({error})") from None
        return _search_here(patterns, igraph.Graph)
    return _search_elsewhere(patterns, time_limit, memory_limit)


def _missing(what: str) -> MissingExtraError:
    return MissingExtraError(
        f"exact orbits of this graph need igraph, which {what}; run: pip install 'edgeorbit[exact]'"
    )


def _search_elsewhere(patterns: Patterns, time_limit: float, memory_limit: int | None) -> Symmetries:
    if time_limit <= 0:
        raise TimeoutError
    # The child finds its modules where this process does, also if a program has changed the path.
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)  # noqa: PTH100
    command = [sys.executable, "-P", "-m", "edgeorbit.orbits.exact._bliss", str(memory_limit or 0)]
    environment = os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    try:
        child = subprocess.run(
            command, input=_pack(patterns), capture_output=True, timeout=time_limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    # A process that a signal ended was killed for want of memory, or aborted because an allocation failed.
    if child.returncode < 0 or child.returncode == OUT_OF_MEMORY:
        raise MemoryError
    if child.returncode == NOT_LOADED:
        raise _missing("cannot be loaded")
    if child.returncode:
        raise RuntimeError(f"the search for automorphisms failed: {child.stderr.decode(errors='replace')}")
    return Symmetries(*_unpack(child.stdout, Symmetries._fields))


def _pack(arrays: Patterns | Symmetries) -> bytes:
    buffer = io.BytesIO()
    write_npz(buffer, arrays._asdict())
    return buffer.getvalue()


def _unpack(data: bytes, fields: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return [file[field] for field in fields]


def _search_here(patterns: Patterns, new_graph: Callable[..., Any] | None) -> Symmetries:
    node_bounds = np.append(0, np.cumsum(patterns.size)).tolist()
    edge_bounds = np.append(0, np.cumsum(patterns.num_edges)).tolist()
    alone = np.bincount(patterns.kind, minlength=1) == 1
    form = np.zeros(len(patterns.size), np.int64)
    position = np.zeros(node_bounds[-1], np.int64)
    forms: dict[tuple[int, bytes], int] = {}
    sources: list[Ints] = []
    images: list[Ints] = []
    generator_form: list[int] = []
    log10_order: list[float] = []
    for i, (nodes, edges) in enumerate(zip(pairwise(node_bounds), pairwise(edge_bounds), strict=True)):
        size, colour = nodes[1] - nodes[0], patterns.colour[slice(*nodes)]
        pairs = patterns.edges[slice(*edges)]
        if size == 1 or new_graph is None:
            graph, place = None, np.zeros(size, np.int64)
        else:
            graph = new_graph(size, pairs)
            # Only a pattern that may have an isomorphic one needs a canonical order.
            place = np.arange(size) if alone[patterns.kind[i]] else _canonical_places(graph, colour)
        position[slice(*nodes)] = place
        key = (int(patterns.kind[i]), _canonical_form(place, colour, pairs))
        form[i] = forms.setdefault(key, len(forms))
        if form[i] < len(log10_order):
            continue
        order = 1
        if graph is not None:
            for permutation in graph.automorphism_group(color=colour):
                target = np.array(permutation, np.int64)
                moved = np.flatnonzero(target != np.arange(size))
                sources.append(place[moved])
                images.append(place[target[moved]])
                generator_form.append(int(form[i]))
            order = graph.count_automorphisms(color=colour) if size <= NODES_COUNTED else 0
        log10_order.append(math.log10(order) if order else math.nan)
    none = np.zeros(0, np.int64)
    return Symmetries(
        form,
        position,
        np.concatenate([none, *sources]),
        np.concatenate([none, *images]),
        np.cumsum([0, *(len(source) for source in sources)]),
        np.array(generator_form, np.int64),
        np.array(log10_order),
    )


def _canonical_places(graph: Any, colour: Ints) -> Ints:
    """Return a place for every node of an igraph graph such that isomorphic graphs become equal."""
    permutation = np.array(graph.canonical_permutation(color=colour), np.int64)
    # igraph 1.0 turned the meaning of a permutation round: it used to say where a node goes, now what comes to a place.
    probe = type(graph)(3, [(0, 1)]).permute_vertices([1, 2, 0])
    return permutation if sorted(probe.get_edgelist()[0]) == [1, 2] else np.argsort(permutation)


def _canonical_form(place: Ints, colour: Ints, edges: Ints) -> bytes:
    """Return the colours by place and the edges between places."""
    by_place = np.empty_like(colour)
    by_place[place] = colour
    pairs = np.sort(place[edges].reshape(-1, 2), axis=1)
    return by_place.tobytes() + np.sort(pairs[:, 0] * len(place) + pairs[:, 1]).tobytes()


def _main() -> int:
    sys.modules["matplotlib"] = None  # type: ignore[assignment]  # igraph would load it, which takes most of the start
    try:
        import igraph
    except ImportError:
        return NOT_LOADED
    limit = int(sys.argv[1])
    if limit:
        import resource

        with contextlib.suppress(ValueError, OSError):  # a lower limit that is already there stays
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        patterns = Patterns(*_unpack(sys.stdin.buffer.read(), Patterns._fields))
        sys.stdout.buffer.write(_pack(_search_here(patterns, igraph.Graph)))
    except MemoryError:
        return OUT_OF_MEMORY
    except igraph.InternalError as error:
        if "memory" not in str(error).lower():
            raise
        return OUT_OF_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(_main())
