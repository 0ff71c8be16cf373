"""Your own scorer on orbit negatives, which message passing cannot distinguish from the links."""

import networkx as nx
import numpy as np

import edgeorbit as eo

split = eo.split(nx.powerlaw_cluster_graph(500, 4, 0.9, seed=0), "random", seed=0)
graph = split.graph  # the training links: all that a scorer may use
adjacency = eo.to_scipy(graph).astype(np.int64)


def degrees(pairs):
    """Score a pair by the product of its degrees, which colour refinement knows."""
    return graph.degree[pairs].prod(axis=1)


def common_neighbors(pairs):
    """Score a pair by its common neighbours, which colour refinement does not know."""
    return np.asarray(adjacency[pairs[:, 0]].multiply(adjacency[pairs[:, 1]]).sum(axis=1)).ravel()


# A scorer takes pairs of shape (k, 2) and returns k scores; it never sees the padding (-1, -1) of orbit negatives.
for scorer in (degrees, common_neighbors):
    result = eo.evaluate(scorer, split, ["random", "orbit"], rounds=1)  # what one layer of a network sees
    random, orbit = (result[kind].test["auc"] for kind in ("random", "orbit"))
    print(f"{result.model}: AUC {random:.3f} against random negatives, {orbit:.3f} against orbit negatives")
