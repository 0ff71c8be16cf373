"""Slow and obvious versions of what the package computes, and graphs to try both on."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from edgeorbit import Graph


def naive_rounds(graph: Graph, rounds: int | None = None, initial: Sequence[Any] | None = None) -> list[list[int]]:
    """Colours at the start and after each round, by the definition: signatures are tuples, compared whole."""
    neighbours = [graph.neighbours(v).tolist() for v in range(graph.num_nodes)]
    colours = _numbered([0] * graph.num_nodes if initial is None else list(initial))
    history = [colours]
    while rounds is None or len(history) <= rounds:
        refined = _numbered(
            [(colours[v], tuple(sorted(colours[u] for u in near))) for v, near in enumerate(neighbours)]
        )
        if len(set(refined)) == len(set(colours)):
            break
        colours = refined
        history.append(colours)
    return history


def naive_orbit_sizes(graph: Graph, colours: Sequence[int]) -> list[int]:
    """For every edge of `graph.edges`, how many edges have the same unordered pair of colours."""
    pairs = [frozenset([colours[u], colours[v]]) for u, v in graph.edges.tolist()]
    count = Counter(pairs)
    return [count[pair] for pair in pairs]


def same_partition(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Tell whether two colourings put the same nodes together."""
    return len(set(first)) == len(set(second)) == len(set(zip(first, second, strict=True)))


def relabelled(graph: Graph, permutation: Sequence[int]) -> Graph:
    """The same graph with node `v` called `permutation[v]`."""
    return Graph.from_edges(np.asarray(permutation)[graph.edges].reshape(-1, 2), graph.num_nodes)


def _numbered(signatures: Sequence[Any]) -> list[int]:
    number = {signature: i for i, signature in enumerate(sorted(set(signatures)))}
    return [number[signature] for signature in signatures]


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 20, max_pairs: int = 40) -> Graph:
    """Any small graph: pairs may repeat, be reversed or join a node to itself; nodes may be isolated."""
    num_nodes = draw(st.integers(1, max_nodes))
    node = st.integers(0, num_nodes - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=max_pairs))
    return Graph.from_edges(np.array(pairs, np.int64).reshape(-1, 2), num_nodes)


def grid_edges(rows: int, columns: int) -> np.ndarray:
    """The edges of a square grid."""
    node = np.arange(rows * columns).reshape(rows, columns)
    down = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    return np.concatenate([down, across])


def tree_edges(num_nodes: int, seed: int) -> np.ndarray:
    """A random recursive tree: every node hangs on an earlier one."""
    rng = np.random.default_rng(seed)
    child = np.arange(1, num_nodes)
    return np.stack([(rng.random(num_nodes - 1) * child).astype(np.int64), child], axis=1)
