"""Models that count: densities of orbits against naive colours, hidden links, and what 1-WL bounds."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeorbit as eo
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import make_model
from edgeorbit.orbits.density import hidden_censuses
from tests.oracles import graphs, naive_rounds, relabelled


def naive_classes(graph: Graph, rounds: int, initial: list | None = None) -> list[list]:
    """Degree octaves, and colours after every round."""
    history = naive_rounds(graph, rounds, initial)
    history += [history[-1]] * (rounds + 1 - len(history))
    return [[int(np.floor(np.log2(d + 1))) for d in graph.degree.tolist()], *history[1:]]


def naive_densities(graph: Graph, pairs: list, rounds: int, kappa: float) -> list[float]:
    """The formula of backed-off densities, by listing all pairs."""
    nodes = range(graph.num_nodes)
    density = [graph.num_edges / max(graph.num_nodes * (graph.num_nodes - 1) / 2, 1)] * len(pairs)
    for colours in naive_classes(graph, rounds):
        possible = Counter(frozenset([colours[u], colours[v]]) for u in nodes for v in range(u))
        links = Counter(frozenset([colours[u], colours[v]]) for u, v in graph.edges.tolist())
        orbits = [frozenset([colours[u], colours[v]]) for u, v in pairs]
        density = [
            (links[orbit] + kappa * before) / (possible[orbit] + kappa)
            for orbit, before in zip(orbits, density, strict=True)
        ]
    return density


@given(graph=graphs(), rounds=st.integers(0, 3), kappa=st.sampled_from([0.5, 10.0]))
def test_densities_are_those_of_the_formula(graph: Graph, rounds: int, kappa: float) -> None:
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    scores = make_model("orbit-density", rounds=rounds, kappa=kappa, folds=0).on(graph)(pairs)
    assert np.allclose(scores, naive_densities(graph, pairs.tolist(), rounds, kappa))


@given(graph=graphs(max_nodes=12, max_pairs=14), rounds=st.integers(0, 2))
def test_a_link_counts_in_the_orbit_that_it_is_in_when_it_is_hidden(graph: Graph, rounds: int) -> None:
    num_nodes, edges = graph.num_nodes, graph.edges
    pairs = np.argwhere(np.ones((num_nodes,) * 2))
    expected = [Counter() for _ in range(rounds + 1)]
    sizes = np.zeros((rounds + 1, num_nodes))  # of the colour that a node of the graph has, where links are hidden
    for i in range(len(edges)):
        left = np.delete(edges, i, axis=0)
        both = Graph.from_edges(np.concatenate([edges, left + num_nodes]), 2 * num_nodes)
        for level, (count, colours) in enumerate(zip(expected, naive_classes(both, rounds), strict=True)):
            sizes[level] += [colours[num_nodes:].count(colours[v]) / len(edges) for v in range(num_nodes)]
            hidden = frozenset(colours[v + num_nodes] for v in edges[i].tolist())
            for u, v in pairs.tolist():
                count[u, v] += frozenset([colours[u], colours[v]]) == hidden
    found = hidden_censuses(graph, rounds, folds=10**9)  # so many that no fold holds two links
    for census, count, size in zip(found, expected, sizes, strict=True):
        assert census.links(pairs.T).tolist() == [count[u, v] for u, v in pairs.tolist()]
        assert len(edges) == 0 or np.allclose(census.sizes[census.colours], size)


@pytest.mark.parametrize("folds", [0, 5])
def test_pairs_of_an_orbit_have_one_score(folds: int) -> None:
    graph = eo.from_networkx(nx.disjoint_union(*[nx.powerlaw_cluster_graph(400, 3, 0.5, seed=0)] * 2))
    rng = np.random.default_rng(0)
    pairs = np.concatenate([rng.integers(0, 400, (3000, 2)), graph.edges[:1000] % 400])
    score = make_model("orbit-density", folds=folds).on(graph)
    copies = (pairs + 400, np.stack([pairs[:, 0], pairs[:, 1] + 400], axis=1), pairs[:, ::-1])
    assert all(np.array_equal(score(pairs), score(copy)) for copy in copies)
    colours = np.sort(eo.refine(graph, 2).labels[pairs], axis=1)
    _, orbit = np.unique(colours, axis=0, return_inverse=True)
    scores = score(pairs)
    assert len(np.unique(orbit)) > 500
    assert np.array_equal(scores, scores[np.unique(orbit, return_index=True)[1]][orbit])


def test_scores_follow_the_nodes_if_all_links_are_in_sight() -> None:
    graph = eo.from_networkx(nx.powerlaw_cluster_graph(1000, 4, 0.5, seed=1))
    number = np.random.default_rng(0).permutation(1000)
    pairs = np.random.default_rng(1).integers(0, 1000, (2000, 2))
    for name in ("orbit-density", "orbit-density-cn"):
        scores = [make_model(name, folds=0).on(each) for each in (graph, relabelled(graph, number))]
        assert np.array_equal(scores[0](pairs), scores[1](number[pairs]))


def test_common_neighbours_are_weighed_by_the_clustering_of_their_orbit() -> None:
    graph = eo.load("karate")
    pairs = np.array([[0, 33], [4, 9], [14, 15]])
    network, kappa = eo.to_networkx(graph), 7.0
    closed = np.array([nx.triangles(network)[v] for v in range(34)], float)
    possible = graph.degree * (graph.degree - 1) / 2
    clustering = np.full(34, closed.sum() / possible.sum())
    for colours in map(np.array, naive_classes(graph, 2)):
        same = colours[:, None] == colours
        clustering = (same @ closed + kappa * clustering) / (same @ possible + kappa)

    def log_odds(p):
        return np.log(p / (1 - p))

    density = np.array(naive_densities(graph, pairs.tolist(), 2, kappa))
    weights = log_odds(clustering) - log_odds(78 / (34 * 33 / 2))
    sums = [sum(weights[w] for w in nx.common_neighbors(network, u, v)) for u, v in pairs.tolist()]
    scores = make_model("orbit-density-cn", kappa=kappa, folds=0).on(graph)(pairs)
    assert np.allclose(scores, log_odds(density) + sums)


def test_links_in_sight_rank_a_sparse_graph_worse_than_chance(data_dir) -> None:
    split = eo.split("power", seed=100, data_dir=data_dir)
    auc = {
        folds: eo.evaluate(make_model("orbit-density", folds=folds).on(split.graph), split, ["random"])["random"].valid[
            "auc"
        ]
        for folds in (0, 10)
    }
    assert auc[0] < 0.5 < 0.58 < auc[10]


@pytest.mark.parametrize("name", ["orbit-density", "orbit-density-cn"])
@pytest.mark.parametrize("graph", [Graph.empty(3), Graph.from_edges([[0, 1]]), Graph.from_edges([[0, 1], [2, 3]])])
def test_graphs_without_links_to_spare_get_finite_scores(name: str, graph: Graph) -> None:
    for folds in (0, 10):
        for kappa in (0, 100):
            scores = make_model(name, folds=folds, kappa=kappa).on(graph)([[0, 1], [1, 1]])
            assert np.isfinite(scores).all() and scores.shape == (2,)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": -1}, "orbit-density: rounds must be from 0 to 1000, not -1"),
        ({"kappa": -1}, "orbit-density: kappa must be from 0 to 1e\\+09, not -1.0"),
        ({"folds": 1}, "folds must be 2 or more, or 0 to count links in sight, not 1, which hides all links"),
        ({"folds": 10**6}, "orbit-density: folds must be from 0 to 1000, not 1000000"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        make_model("orbit-density", **settings)
