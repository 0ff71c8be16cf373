"""The built-in graphs are the ones their names promise."""

import networkx as nx
import numpy as np
import pytest

from edgeorbit.graph import toys
from edgeorbit.graph.convert import to_networkx

NETWORKX = {
    "prism": nx.circular_ladder_graph(3),
    "petersen": nx.petersen_graph(),
    "frucht": nx.frucht_graph(),
    "cycle8": nx.cycle_graph(8),
    "path8": nx.path_graph(8),
    "grid": nx.grid_2d_graph(5, 5),
    "rook": nx.line_graph(nx.complete_bipartite_graph(4, 4)),
    "two-copies": nx.disjoint_union(nx.karate_club_graph(), nx.karate_club_graph()),
}


@pytest.mark.parametrize("name", toys.TOYS)
def test_the_table_tells_name_and_size(name):
    toy = toys.TOYS[name]
    graph = toy.build()
    assert (graph.name, graph.num_nodes, graph.num_edges) == (name, toy.num_nodes, toy.num_edges)
    assert graph.merged_edges == graph.self_loops == 0


@pytest.mark.parametrize("name", NETWORKX)
def test_it_is_isomorphic_to_the_one_of_networkx(name):
    assert nx.is_isomorphic(to_networkx(toys.TOYS[name].build()), NETWORKX[name])


def test_karate_has_the_node_numbers_of_networkx():
    expected = {tuple(sorted(edge)) for edge in nx.karate_club_graph().edges}
    assert {tuple(edge) for edge in toys.karate().edges.tolist()} == expected


def test_lobster_is_a_lobster_and_no_caterpillar():
    tree = to_networkx(toys.lobster())
    assert nx.is_tree(tree)
    caterpillar = tree.subgraph([node for node, degree in tree.degree if degree > 1])
    spine = caterpillar.subgraph([node for node, degree in caterpillar.degree if degree > 1])
    assert max(degree for _, degree in spine.degree) <= 2
    assert max(degree for _, degree in caterpillar.degree) > 2


def test_lobster_has_a_path_of_fixed_nodes_and_legs_that_can_be_exchanged():
    tree = to_networkx(toys.lobster())
    images = {node: set() for node in tree}
    for automorphism in nx.isomorphism.GraphMatcher(tree, tree).isomorphisms_iter():
        for node, image in automorphism.items():
            images[node].add(image)
    assert [len(images[node]) for node in range(10)] == [1, 1, 1, 3, 3, 3, 2, 2, 2, 2]


def test_shrikhande_and_rook_are_strongly_regular_alike_and_not_isomorphic():
    one, other = to_networkx(toys.shrikhande()), to_networkx(toys.rook())
    for graph in (one, other):
        adjacency = nx.to_numpy_array(graph)
        square = adjacency @ adjacency
        assert np.array_equal(square, 6 * np.eye(16) + 2 * adjacency + 2 * (1 - np.eye(16) - adjacency))
    assert not nx.is_isomorphic(one, other)


def test_the_joining_edge_lies_between_unlike_members_of_the_two_copies():
    joined, apart = to_networkx(toys.two_copies_joined()), to_networkx(toys.two_copies())
    (added,) = set(joined.edges) - set(apart.edges)
    assert nx.is_connected(joined)
    assert joined.degree[added[0]] != joined.degree[added[1]]
