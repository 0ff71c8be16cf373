"""Graph statistics against networkx, against sparse matrix products, and by their definitions."""

import math
import statistics as plain
from dataclasses import fields
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.data import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.measures.statistics import LABELS, Statistics, gini, statistics
from edgeorbit.pairwise import triangles
from edgeorbit.pairwise.triangles import core_numbers, sums_over_neighbours, triangles_per_node
from oracles import graphs, relabelled


def to_networkx(graph: Graph) -> nx.Graph:
    other = nx.empty_graph(graph.num_nodes)
    other.add_edges_from(graph.edges.tolist())
    return other


def in_order(values: dict[int, float]) -> list[float]:
    return [values[v] for v in sorted(values)]


def gini_by_pairs(values: list[int]) -> float:
    return sum(abs(a - b) for a, b in product(values, values)) / (2 * len(values) * sum(values))


@given(graph=graphs(max_nodes=15, max_pairs=60))
def test_values_are_those_of_networkx(graph: Graph) -> None:
    found, other = statistics(graph), to_networkx(graph)
    assert (found.num_nodes, found.num_edges) == (len(other), other.number_of_edges())
    assert found.density == pytest.approx(nx.density(other))
    assert found.isolated_nodes == nx.number_of_isolates(other)
    assert found.num_components == nx.number_connected_components(other)
    assert found.largest_component == max(map(len, nx.connected_components(other))) / len(other)
    assert found.avg_degree == pytest.approx(plain.mean(d for _, d in other.degree()))
    assert found.max_degree == max(d for _, d in other.degree())
    assert found.triangles == sum(nx.triangles(other).values()) // 3
    assert found.clustering == pytest.approx(nx.average_clustering(other))
    assert found.transitivity == pytest.approx(nx.transitivity(other))
    assert found.max_core == max(nx.core_number(other).values())
    assert triangles_per_node(graph).tolist() == in_order(nx.triangles(other))
    assert core_numbers(graph).tolist() == in_order(nx.core_number(other))


@given(graph=graphs(max_nodes=15, max_pairs=40))
def test_degrees_of_neighbours_are_averaged_once_and_twice(graph: Graph) -> None:
    found, other = statistics(graph), to_networkx(graph)
    once = nx.average_neighbor_degree(other)
    twice = [plain.mean(once[u] for u in other[v]) if other[v] else 0 for v in other]
    assert found.avg_degree_g == pytest.approx(plain.mean(once.values()))
    assert found.avg_degree_g2 == pytest.approx(plain.mean(twice))


@given(graph=graphs(max_nodes=15, max_pairs=40))
def test_inequality_of_degrees_is_as_defined(graph: Graph) -> None:
    found = statistics(graph)
    degree = graph.degree.tolist()
    if not any(degree):
        assert found.degree_gini is found.coreness_gini is None
    else:
        assert found.degree_gini == pytest.approx(gini_by_pairs(degree))
        assert found.coreness_gini == pytest.approx(gini_by_pairs(core_numbers(graph).tolist()))
    if len(set(degree)) == 1:
        assert found.heterogeneity is found.power_law_alpha is None
    else:
        spread = plain.pstdev(degree) / plain.mean(degree)
        logarithms = [math.log((d + 1) / (min(degree) + 1)) for d in degree]
        assert found.heterogeneity == pytest.approx(math.log10(spread))
        assert found.power_law_alpha == pytest.approx(1 + len(degree) / sum(logarithms))


@given(graph=graphs(max_nodes=15, max_pairs=60), data=st.data())
def test_values_depend_neither_on_node_numbers_nor_on_threads(graph: Graph, data: st.DataObject) -> None:
    permutation = data.draw(st.permutations(range(graph.num_nodes)))
    found = statistics(graph, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangles, "ENTRIES_PER_THREAD", 1)
        assert statistics(graph, threads=3) == found
    for name, value in statistics(relabelled(graph, permutation)).as_dict().items():
        assert value == pytest.approx(getattr(found, name)), name


def test_a_large_graph_has_the_values_of_sparse_matrix_products() -> None:
    rng = np.random.default_rng(0)
    # Some nodes are far more popular than others, so that hubs and a dense core are there.
    ends = np.minimum(rng.pareto(1.0, (100_000, 2)) * 300, 19_999).astype(np.int64)
    graph = Graph.from_edges(ends, 20_000)
    adjacency = scipy.sparse.csr_array(
        (np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(20_000, 20_000)
    )
    expected = ((adjacency @ adjacency).multiply(adjacency)).sum(axis=1) / 2
    for threads in (1, 2, 5):
        assert np.array_equal(triangles_per_node(graph, threads), expected.astype(np.int64))

    degree = graph.degree
    average = adjacency @ degree / np.maximum(degree, 1)
    found = statistics(graph)
    assert found.triangles == expected.sum() / 3 > 10_000
    assert found.avg_degree_g == pytest.approx(average.mean())
    assert found.avg_degree_g2 == pytest.approx((adjacency @ average / np.maximum(degree, 1)).mean())
    assert found.num_components == scipy.sparse.csgraph.connected_components(adjacency)[0]
    assert core_numbers(graph).tolist() == in_order(nx.core_number(to_networkx(graph)))
    ascending = np.sort(degree)
    lorenz = np.cumsum(ascending) / ascending.sum()
    assert found.degree_gini == pytest.approx(1 - (2 * lorenz.sum() - 1) / len(degree))


def test_a_hub_costs_no_more_than_its_edges() -> None:
    # Every node knows the hub and the next node: a scan of all pairs at the hub would be 10^11 steps.
    node = np.arange(1, 300_001)
    rim = np.stack([node, np.roll(node, 1)], axis=1)
    spokes = np.stack([np.zeros_like(node), node], axis=1)
    found = statistics(Graph.from_edges(np.concatenate([rim, spokes])))
    assert (found.triangles, found.max_degree, found.max_core) == (300_000, 300_000, 3)


@pytest.mark.parametrize("num_nodes", [0, 1, 3])
def test_a_graph_without_edges_has_no_values_that_would_divide_by_zero(num_nodes: int) -> None:
    found = statistics(Graph.empty(num_nodes))
    mean = 0.0 if num_nodes else None
    assert found == Statistics(
        num_nodes=num_nodes,
        num_edges=0,
        density=0.0,
        isolated_nodes=num_nodes,
        num_components=num_nodes,
        largest_component=1 / num_nodes if num_nodes else None,
        avg_degree=mean,
        max_degree=0,
        avg_degree_g=mean,
        avg_degree_g2=mean,
        triangles=0,
        clustering=mean,
        transitivity=0.0,
        degree_gini=None,
        max_core=0,
        coreness_gini=None,
        heterogeneity=None,
        power_law_alpha=None,
    )


@pytest.mark.filterwarnings("error")
def test_a_regular_graph_has_no_heterogeneity_and_no_exponent() -> None:
    found = statistics(Graph.from_edges([[0, 1], [1, 2], [2, 0]]))
    assert (found.degree_gini, found.coreness_gini) == (0.0, 0.0)
    assert found.heterogeneity is None
    assert found.power_law_alpha is None


def test_every_value_has_a_label_and_a_plain_type() -> None:
    values = statistics(Graph.from_edges([[0, 1], [1, 2]])).as_dict()
    assert list(values) == list(LABELS) == [field.name for field in fields(Statistics)]
    assert len(set(LABELS.values())) == len(LABELS)
    assert {type(value) for value in values.values()} <= {int, float}


def test_sums_and_gini_of_small_cases() -> None:
    star = Graph.from_edges([[0, 1], [0, 2], [0, 3]])
    assert sums_over_neighbours(star, np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [9.0, 1.0, 1.0, 1.0]
    assert gini(np.array([1, 1, 1])) == 0.0
    assert gini(np.array([0, 0])) is None
    assert gini(np.array([], np.int64)) is None


def test_a_wrong_number_of_threads_is_named() -> None:
    with pytest.raises(InvalidParameterError, match="threads must be at least 1, not 0"):
        statistics(Graph.from_edges([[0, 1]]), threads=0)


# Avg Deg (G), clustering, transitivity, degree Gini, coreness Gini, heterogeneity, power law alpha
COLUMNS = [
    "avg_degree_g",
    "clustering",
    "transitivity",
    "degree_gini",
    "coreness_gini",
    "heterogeneity",
    "power_law_alpha",
]


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("cora", [7.85, 0.12, 0.06, 0.45, 0.27, 0.14, 1.89]),
        ("citeseer", [3.62, 0.07, 0.09, 0.50, 0.36, 0.11, 2.13]),
        ("pubmed", [11.55, 0.03, 0.04, 0.63, 0.45, 0.23, 1.97]),
    ],
)
def test_the_published_table_describes_graphs_of_70_percent_of_the_edges(
    name: str, published: list[float], data_dir: Path
) -> None:
    # Its numbers of edges (7392, 6374, 62056, both directions) are 70 % of the edges there are.
    graph = load_graph(name, data_dir=data_dir, features=False)
    found = []
    for seed in range(5):
        kept = np.random.default_rng(seed).permutation(graph.num_edges)[: round(0.7 * graph.num_edges)]
        values = statistics(Graph.from_edges(graph.edges[kept], graph.num_nodes)).as_dict()
        found.append([values[column] for column in COLUMNS])
    assert np.mean(found, axis=0) == pytest.approx(np.array(published), rel=0.02, abs=0.015)


def test_ogbl_ddi_has_the_published_values(data_dir: Path) -> None:
    edges = np.loadtxt(data_dir / "ogb" / "ogbl_ddi" / "raw" / "edge.csv.gz", delimiter=",", dtype=np.int64)
    found = statistics(Graph.from_edges(edges)).as_dict()
    published = [804.51, 0.51, 0.47, 0.47, 0.35, -0.08, 1.21]
    assert [round(found[column], 2) for column in COLUMNS] == published
    assert round(found["avg_degree_g2"]) == 796
