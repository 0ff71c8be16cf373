"""The graphs that are measured: seeded generators, and real graphs where the data is."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel

SEED = 20_240_607
Edges = npt.NDArray[np.int32]


class UnavailableError(Exception):
    """The graph cannot be made here; the message says why."""


def random_edges(num_nodes: int, num_edges: int) -> Edges:
    """Return pairs of nodes drawn uniformly (the few that repeat or are loops are merged later)."""
    return np.random.default_rng(SEED).integers(0, num_nodes, (num_edges, 2), np.int32)


def barabasi_albert_edges(num_nodes: int, degree: int = 5) -> Edges:
    """Return a graph grown by preferential attachment: each new node picks `degree` distinct earlier ones."""
    edges = np.empty(((num_nodes - degree) * degree, 2), np.int32)
    _attach(edges, degree, SEED)
    return edges


@kernel
def _attach(edges, degree, seed):
    """Pick an end of a random earlier edge: nodes are picked in proportion to their degree."""
    np.random.seed(seed)
    for i in range(degree):
        edges[i, 0], edges[i, 1] = degree, i
    filled = degree
    for node in range(degree + 1, degree + len(edges) // degree):
        for j in range(degree):
            fresh = False
            while not fresh:
                target = edges[np.random.randint(0, filled), np.random.randint(0, 2)]
                fresh = True
                for i in range(j):
                    fresh &= edges[filled + i, 1] != target
            edges[filled + j, 0], edges[filled + j, 1] = node, target
        filled += degree


def path_edges(num_nodes: int) -> Edges:
    """Return a path in the order of its nodes."""
    nodes = np.arange(num_nodes, dtype=np.int32)
    return np.stack([nodes[:-1], nodes[1:]], axis=1)


def tree_edges(num_nodes: int) -> Edges:
    """Return a random recursive tree: each node hangs on a uniformly chosen earlier one."""
    nodes = np.arange(1, num_nodes, dtype=np.int32)
    parents = (np.random.default_rng(SEED).random(num_nodes - 1) * nodes).astype(np.int32)
    return np.stack([parents, nodes], axis=1)


def grid_edges(num_nodes: int) -> Edges:
    """Return a square grid of about `num_nodes` nodes, numbered row after row."""
    side = round(num_nodes**0.5)
    nodes = np.arange(side * side, dtype=np.int32).reshape(side, side)
    across = np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], axis=1)
    down = np.stack([nodes[:-1].ravel(), nodes[1:].ravel()], axis=1)
    return np.concatenate([across, down])


def shuffled(edges: Edges) -> Edges:
    """Return the graph with its nodes numbered at random and its edges in random order."""
    generator = np.random.default_rng(SEED)
    numbers = generator.permutation(int(edges.max()) + 1).astype(np.int32)
    renumbered: Edges = numbers[edges[generator.permutation(len(edges))]]
    return renumbered


def cora_edges() -> Edges:
    """Return Cora from the data directory."""
    return _dataset_edges("cora")


def pubmed_edges() -> Edges:
    """Return Pubmed from the data directory."""
    return _dataset_edges("pubmed")


def amazon_edges() -> Edges:
    """Return SNAP's amazon0601 from the data directory."""
    return _file_edges("snap/amazon-edges.csv.gz")


def ddi_edges() -> Edges:
    """Return the training edges of ogbl-ddi from the data directory."""
    return _file_edges("ogb/ogbl_ddi/raw/edge.csv.gz")


def _file_edges(name: str) -> Edges:
    directory = os.environ.get("EDGEORBIT_DATA")
    file = Path(directory or ".") / name
    if directory is None or not file.is_file():
        raise UnavailableError(f"needs $EDGEORBIT_DATA/{name}")
    return _dataset_edges(file)


def _dataset_edges(source: Any) -> Edges:
    from edgeorbit.data import load_graph
    from edgeorbit.errors import EdgeorbitError

    try:
        edges: Edges = load_graph(source, features=False).edges
        return edges
    except EdgeorbitError as error:
        raise UnavailableError(str(error)) from None


class Case(NamedTuple):
    """A graph of the suite: its title, and how to make its edges."""

    title: str
    build: Callable[[], Edges]


def cases(scale: float) -> dict[str, Case]:
    """Return all graphs by name, `scale` times as large as in the full suite."""

    def size(full: float) -> int:
        return round(full * scale)

    table = {
        "cora": Case("Cora", cora_edges),
        "random": Case("random graph", lambda: random_edges(size(1e6), size(5e6))),
        "ba": Case("Barabási-Albert", lambda: barabasi_albert_edges(size(1e6))),
        "path": Case("path", lambda: path_edges(size(1e6))),
        "tree": Case("random tree", lambda: tree_edges(size(1e6))),
        "grid": Case("grid", lambda: grid_edges(size(1e6))),
        "grid-shuffled": Case("grid, nodes shuffled", lambda: shuffled(grid_edges(size(1e6)))),
        "amazon": Case("amazon0601", amazon_edges),
        "pubmed": Case("Pubmed", pubmed_edges),
        "ddi": Case("ogbl-ddi, training edges", ddi_edges),
        "ppa": Case("size of ogbl-ppa", lambda: random_edges(size(576_289), size(21_231_931))),
        "citation2": Case("size of ogbl-citation2", lambda: random_edges(size(2_927_963), size(30_387_995))),
    }
    for name, maker in {"path": path_edges, "tree": tree_edges, "grid": grid_edges}.items():
        for full in DOUBLING:
            table[doubling_name(name, full)] = Case(table[name].title, partial(maker, size(full)))
    return table


DOUBLING = (250_000, 500_000, 1_000_000, 2_000_000)


def doubling_name(name: str, full: int) -> str:
    """Return the name of one graph of the series that doubles in size."""
    return f"{name}-{full}"
