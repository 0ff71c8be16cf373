"""Heuristics in graphs with weights, against networkx, formulas in Python and their forms without weights."""

import math

import networkx as nx
import numpy as np
import pytest

from edgeorbit.graph import Graph
from edgeorbit.models import make_model

NAMES = ("cn", "aa", "ra", "jaccard", "katz", "ppr")


def weighted(seed: int, nodes: int = 40, edges: int = 150) -> tuple[Graph, nx.Graph]:
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, nodes, (edges, 2))
    graph = Graph.from_edges(pairs, nodes + 1, edge_weight=np.round(rng.gamma(2, 3, edges), 3))
    other = nx.empty_graph(nodes + 1)
    other.add_weighted_edges_from(zip(*graph.edges.T.tolist(), graph.edge_weight.tolist(), strict=True))
    return graph, other


def all_pairs(graph: Graph) -> np.ndarray:
    return np.stack(np.triu_indices(graph.num_nodes, 1), axis=1)


def by_formula(name: str, graph: nx.Graph, u: int, v: int) -> float:
    def weight(a, b):
        return graph.edges[a, b]["weight"] if graph.has_edge(a, b) else 0.0

    common = [z for z in graph[u] if z in graph[v]]
    if name == "jaccard":
        both = set(graph[u]) | set(graph[v])
        most = sum(max(weight(u, z), weight(v, z)) for z in both)
        return sum(min(weight(u, z), weight(v, z)) for z in both) / most if most else 0.0
    worth = {"cn": lambda s: 1.0, "aa": lambda s: 1 / math.log(1 + s), "ra": lambda s: 1 / s}[name]
    return sum((weight(u, z) + weight(z, v)) / 2 * worth(graph.degree(z, weight="weight")) for z in common)


@pytest.mark.parametrize("name", ["cn", "aa", "ra", "jaccard"])
def test_sums_over_common_neighbours_follow_their_formulas(name, monkeypatch):
    monkeypatch.setattr("edgeorbit.pairwise.weighted.ENTRIES", 300)  # several parts
    graph, other = weighted(100)
    pairs = all_pairs(graph)
    expected = [by_formula(name, other, u, v) for u, v in pairs.tolist()]
    assert make_model(name).on(graph)(pairs) == pytest.approx(expected, abs=1e-12)


def test_walks_are_powers_of_the_matrix():
    graph, other = weighted(101)
    matrix = nx.to_numpy_array(other) / graph.edge_weight.mean()
    power = sum(0.05**length * np.linalg.matrix_power(matrix, length) for length in (1, 2, 3))
    pairs = all_pairs(graph)
    found = make_model("katz", beta=0.05).on(graph)(pairs)
    assert found == pytest.approx(power[pairs[:, 0], pairs[:, 1]])


def test_pagerank_is_that_of_networkx(monkeypatch):
    monkeypatch.setattr("edgeorbit.pairwise.weighted.CELLS", 200)  # several blocks of sources
    graph, other = weighted(102)
    other.remove_nodes_from([node for node, degree in list(other.degree) if degree == 0])
    pairs = np.array([[u, v] for u, v in all_pairs(graph).tolist() if u in other and v in other])[::7]
    ranks = {u: nx.pagerank(other, 0.85, personalization={u: 1}, tol=1e-13, max_iter=1000) for u in other}
    expected = [ranks[u][v] + ranks[v][u] for u, v in pairs.tolist()]
    assert make_model("ppr").on(graph)(pairs) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_one_give_the_scores_without_weights(name):
    graph, _ = weighted(103)
    pairs = all_pairs(graph)
    found = make_model(name).on(graph.with_attributes(edge_weight=np.ones(graph.num_edges)))(pairs)
    plain = make_model(name).on(graph.with_attributes(edge_weight=None))(pairs)
    if name == "aa":  # its logarithm is of 1 + degree; the order by RA's formula is another thing
        assert (found > 0).tolist() == (plain > 0).tolist()
    else:
        assert found == pytest.approx(plain, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_zero_and_isolated_nodes_are_no_trouble(name):
    graph = Graph.from_edges([[0, 1], [1, 2], [3, 4]], 6, edge_weight=[0, 0, 2])
    scores = make_model(name).on(graph)(all_pairs(graph))
    assert np.isfinite(scores).all() and (scores >= 0).all()
    assert make_model(name).on(graph)(np.zeros((0, 2), np.int64)).shape == (0,)
