"""Automorphisms without any code of the package."""

import networkx as nx
import numpy as np

from edgeorbit import Graph


def from_networkx(graph: nx.Graph, seed: int | None = None) -> Graph:
    """Convert a graph, with its nodes shuffled if a seed is given."""
    number = np.arange(len(graph)) if seed is None else np.random.default_rng(seed).permutation(len(graph))
    place = {node: number[i] for i, node in enumerate(graph)}
    edges = np.array([(place[u], place[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    return Graph.from_edges(edges, len(graph))


def all_automorphisms(graph: Graph) -> list[list[int]]:
    """Extend partial maps node by node; only degrees are used to cut branches off."""
    near = [set(graph.neighbours(v).tolist()) for v in range(graph.num_nodes)]
    found: list[list[int]] = []

    def extend(image: list[int]) -> None:
        v = len(image)
        if v == graph.num_nodes:
            found.append(image)
            return
        for w in range(graph.num_nodes):
            if w in image or len(near[w]) != len(near[v]):
                continue
            if all((u in near[v]) == (image[u] in near[w]) for u in range(v)):
                extend([*image, w])

    extend([])
    return found
