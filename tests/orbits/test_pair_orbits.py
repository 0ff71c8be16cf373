"""Exact orbits of node pairs against all permutations, on graphs with known groups, and on two copies of a real graph."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, exact_orbits, pair_orbits, refine, to_networkx
from edgeorbit.data import load_graph
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.toys import karate
from oracles import graphs, relabelled, same_partition
from orbits.automorphisms import all_automorphisms, from_networkx

pytest.importorskip("igraph", reason="exact orbits are searched with igraph (extra 'exact')")


def all_pairs(num_nodes: int) -> np.ndarray:
    return np.stack(np.triu_indices(num_nodes, 1), axis=1)


def two_of(graph: Graph) -> Graph:
    return Graph.from_edges(np.concatenate([graph.edges, graph.edges + graph.num_nodes]), 2 * graph.num_nodes)


def assert_labels_are_orbits(graph: Graph) -> None:
    pairs = all_pairs(graph.num_nodes)
    joined = nx.utils.UnionFind(map(tuple, pairs.tolist()))
    for image in all_automorphisms(graph):
        for u, v in pairs.tolist():
            joined.union((u, v), (min(image[u], image[v]), max(image[u], image[v])))
    assert same_partition(pair_orbits(graph, pairs).tolist(), [joined[u, v] for u, v in pairs.tolist()])


def test_every_graph_of_up_to_six_nodes_has_the_pair_orbits_of_all_its_permutations() -> None:
    for atlas_graph in nx.graph_atlas_g()[2:209]:
        assert_labels_are_orbits(from_networkx(atlas_graph, seed=len(atlas_graph.edges)))


@given(graphs(max_nodes=4, max_pairs=6))
def test_two_copies_have_the_pair_orbits_of_all_their_permutations(graph: Graph) -> None:
    assert_labels_are_orbits(two_of(graph))


@pytest.mark.parametrize(
    ("graph", "orbits"),
    [
        (nx.petersen_graph(), 2),  # edges and non-edges: it is distance-transitive
        (nx.cycle_graph(100), 50),  # one for each distance
        (nx.hypercube_graph(6), 6),
        (nx.empty_graph(300), 1),
        (nx.disjoint_union(nx.cycle_graph(6), nx.cycle_graph(6)), 4),  # three distances, and across
        (nx.path_graph(51), 25 * 25 + 25),  # a pair and its mirror image
    ],
)
def test_known_groups_have_their_pair_orbits(graph: nx.Graph, orbits: int) -> None:
    shuffled = from_networkx(nx.convert_node_labels_to_integers(graph), seed=1)
    assert len(np.unique(pair_orbits(shuffled, all_pairs(shuffled.num_nodes)))) == orbits


@given(graphs(max_nodes=12, max_pairs=24), st.randoms())
def test_pair_orbits_do_not_depend_on_the_order_of_nodes_or_pairs(graph: Graph, random) -> None:
    pairs = all_pairs(graph.num_nodes)
    image = list(range(graph.num_nodes))
    random.shuffle(image)
    turned = np.array(image, np.int64)[pairs][:, ::-1]
    other = pair_orbits(relabelled(graph, image), turned)
    assert same_partition(pair_orbits(graph, pairs).tolist(), other.tolist())


def test_edges_among_the_pairs_have_the_exact_edge_orbits() -> None:
    graph = two_of(karate())
    labels = pair_orbits(graph, graph.edges.astype(np.int64))
    assert same_partition(labels.tolist(), exact_orbits(graph).edge_labels.tolist())


def test_in_two_coras_a_connected_pair_is_like_its_twin_and_never_like_one_across(data_dir) -> None:
    cora = load_graph("cora", data_dir=data_dir)
    n, rng = cora.num_nodes, np.random.default_rng(0)
    connected = np.array(sorted(max(nx.connected_components(to_networkx(cora)), key=len)))
    within = np.stack([rng.permutation(connected)[:300] for _ in range(2)], axis=1)
    within = within[within[:, 0] != within[:, 1]]
    twin, across = within + n, np.add(within, [0, n])
    graph = two_of(cora)
    labels = pair_orbits(graph, np.concatenate([within, twin, across])).reshape(3, -1)
    assert (labels[0] == labels[1]).all()
    colour = refine(graph).labels
    assert (colour[within] == colour[across]).all() and not (labels[0] == labels[2]).any()


def test_no_pairs_have_no_labels() -> None:
    assert pair_orbits(karate(), np.empty((0, 2), np.int64)).shape == (0,)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [([[0, 34]], "karate has the nodes 0 to 33"), ([[-1, 0]], "0 to 33"), ([[0, 1, 2]], r"shape \(k, 2\)")],
)
def test_what_are_no_pairs_of_the_graph_is_refused(pairs, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        pair_orbits(karate(), np.array(pairs))


def test_when_time_is_up_it_says_how_far_it_came(monkeypatch) -> None:
    now = iter(range(1000))
    monkeypatch.setattr("edgeorbit.orbits.exact.pairs.time.monotonic", lambda: next(now))
    with pytest.raises(LimitExceededError, match=r"time_limit=40 s, \d+ of \d+ searches done; raise time_limit"):
        pair_orbits(two_of(karate()), all_pairs(68), time_limit=40)
