"""Small splits to try negatives on, and pairs as sets."""

import numpy as np
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.data.splits import LinkSplit
from oracles import graphs


@st.composite
def splits(draw: st.DrawFn, max_nodes: int = 12, max_pairs: int = 25) -> LinkSplit:
    """Any small graph whose edges fall into any of the three parts; parts may be empty, held-out edges turned around."""
    graph = draw(graphs(max_nodes, max_pairs))
    part = np.array(draw(st.lists(st.integers(0, 2), min_size=graph.num_edges, max_size=graph.num_edges)), int)
    turned = draw(st.booleans())
    edges = graph.edges.astype(np.int64)
    held_out = edges[:, ::-1] if turned else edges
    return LinkSplit(Graph.from_edges(edges[part == 0], graph.num_nodes), held_out[part == 1], held_out[part == 2])


def as_sets(pairs: np.ndarray) -> list[frozenset[int]]:
    """Return pairs without their order."""
    return [frozenset(pair) for pair in np.asarray(pairs).reshape(-1, 2).tolist()]


def non_edges(graph: Graph) -> set[frozenset[int]]:
    """Return all pairs of different nodes that are no edges, by trying each."""
    edges = set(as_sets(graph.edges))
    nodes = range(graph.num_nodes)
    return {frozenset([u, v]) for u in nodes for v in nodes if u < v} - edges


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """Return how many standard deviations chi-square lies above what uniform draws give."""
    statistic = ((counts - expected) ** 2 / expected).sum()
    freedom = len(counts) - 1
    return float((statistic - freedom) / np.sqrt(2 * freedom))
