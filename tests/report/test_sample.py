"""Which nodes of a large graph are drawn."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, refine
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import to_networkx
from edgeorbit.graph.families import cycle, path
from edgeorbit.report.sample import sample_nodes
from oracles import graphs, naive_rounds, tree_edges


@given(graphs(max_nodes=60, max_pairs=90), st.integers(2, 60))
def test_a_sample_is_small_enough_and_shows_the_largest_orbit_that_has_links(graph, max_nodes) -> None:
    nodes, sentence = sample_nodes(graph, refine(graph), max_nodes)
    assert nodes.tolist() == sorted(set(nodes.tolist()))
    assert 1 <= len(nodes) <= max_nodes
    if graph.num_nodes <= max_nodes:
        assert len(nodes) == graph.num_nodes and sentence is None
        return
    assert sentence.startswith(f"{len(nodes)} of {graph.num_nodes} nodes: the neighbourhood")
    colours = naive_rounds(graph)[-1]
    sizes = Counter(colour for colour, degree in zip(colours, graph.degree, strict=True) if degree > 0)
    shown = {colours[node] for node in nodes}
    if sizes:
        assert any(sizes[colour] == max(sizes.values()) for colour in shown)


@settings(max_examples=25)
@given(graphs(max_nodes=60, max_pairs=90), st.integers(2, 60))
def test_the_same_graph_gives_the_same_sample(graph, max_nodes) -> None:
    first, second = (sample_nodes(graph, refine(graph), max_nodes) for _ in range(2))
    assert first.nodes.tolist() == second.nodes.tolist() and first.sentence == second.sentence


def test_the_neighbourhood_of_one_node_grows_in_all_directions() -> None:
    nodes, sentence = sample_nodes(cycle(100), refine(cycle(100)), 21)
    assert sorted((nodes + 50) % 100) == list(range(40, 61))
    assert sentence == "21 of 100 nodes: the neighbourhood of 1 node of the only orbit, breadth-first"


def test_all_drawn_nodes_lie_near_a_member_of_a_largest_orbit() -> None:
    graph = Graph.from_edges(tree_edges(3000, seed=1))
    colouring = refine(graph)
    nodes, sentence = sample_nodes(graph, colouring, 200)
    assert "3 nodes of each of the 5 largest orbits" in sentence
    largest = np.argsort(-colouring.sizes, kind="stable")
    # Of equally large orbits any may have been taken.
    may_start = np.flatnonzero(colouring.sizes[colouring.labels] >= colouring.sizes[largest[4]])
    drawn = to_networkx(graph).subgraph(nodes.tolist())
    assert all(set(part) & set(may_start.tolist()) for part in nx.connected_components(drawn))


def test_a_hub_does_not_crowd_out_other_orbits() -> None:
    stars = [(0, 1000)]
    start = 1000
    for leaves in range(20, 40):
        stars.append((start, leaves))
        start += leaves + 1
    hub = [(0, leaf) for leaf in range(1, 1000)]
    others = [(centre, centre + leaf) for centre, leaves in stars[1:] for leaf in range(1, leaves + 1)]
    graph = Graph.from_edges(hub + others)
    colouring = refine(graph)
    nodes, sentence = sample_nodes(graph, colouring, 500)
    assert len(nodes) == 500 and "12 largest orbits" in sentence
    largest = np.argsort(-colouring.sizes, kind="stable")[:12]
    drawn = Counter(colouring.labels[nodes].tolist())
    assert all(drawn[orbit] >= 3 for orbit in largest.tolist())
    assert np.count_nonzero(nodes < 1000) < 250


def test_members_of_an_orbit_are_drawn_with_surroundings_that_look_alike() -> None:
    # A hub with six leaves and eight tails of different lengths: of its neighbours only some have room.
    spider = [(0, leaf) for leaf in range(1, 7)]
    last = 6
    for length in range(2, 10):
        spider += [(0, last + 1), *((last + step, last + step + 1) for step in range(1, length))]
        last += length
    rng = np.random.default_rng(1)
    copies = [rng.permutation(last + 1)[np.array(spider)] + (last + 1) * copy for copy in range(40)]
    graph = Graph.from_edges(np.concatenate(copies))
    colouring = refine(graph)
    nodes, _ = sample_nodes(graph, colouring, 36)
    copy_of = nodes // (last + 1)
    drawn = [sorted(colouring.labels[nodes[copy_of == copy]].tolist()) for copy in np.unique(copy_of)]
    assert len(drawn) == 3 and len(drawn[0]) == 12
    assert drawn[0] == drawn[1] == drawn[2]


def test_orbits_are_added_when_the_components_of_the_first_are_drawn() -> None:
    pairs = np.array([(2 * i, 2 * i + 1) for i in range(50)])
    lines = np.concatenate([path(k).edges + 100 + 25 * k for k in range(3, 25)])
    graph = Graph.from_edges(np.concatenate([pairs, lines]))
    nodes, sentence = sample_nodes(graph, refine(graph), 200)
    assert len(nodes) > 195
    assert int(sentence.split("each of the ")[1].split()[0]) > 12
    assert "up to 3 nodes" in sentence


def test_members_are_added_when_there_is_no_other_orbit() -> None:
    graph = Graph.from_edges(np.concatenate([cycle(3).edges + 3 * copy for copy in range(1000)]))
    nodes, sentence = sample_nodes(graph, refine(graph), 500)
    assert len(nodes) == 500
    assert set(Counter((nodes // 3).tolist()).values()) <= {3, 2}
    assert sentence.endswith("of the only orbit, breadth-first")
    assert int(sentence.split("neighbourhoods of ")[1].split()[0]) >= 166


def test_nodes_without_links_come_last_and_the_sentence_says_so() -> None:
    graph = Graph.from_edges(cycle(40).edges, num_nodes=140)
    nodes, sentence = sample_nodes(graph, refine(graph), 30)
    assert nodes.max() < 40
    assert "the neighbourhoods of 2 nodes of the largest orbit that has links" in sentence
    assert len(sample_nodes(Graph.empty(50), refine(Graph.empty(50)), 10).nodes) == 10


def test_where_no_two_nodes_share_an_orbit_nodes_of_high_degree_are_taken() -> None:
    graph = Graph.from_edges(tree_edges(400, seed=5))
    colouring = refine(graph, initial=np.arange(400))
    nodes, sentence = sample_nodes(graph, colouring, 100)
    assert int(np.argmax(graph.degree)) in nodes
    assert sentence.endswith("nodes of largest degree, breadth-first, as no two nodes share an orbit")


def test_a_sample_of_a_large_graph_is_taken_from_its_largest_orbits() -> None:
    graph = Graph.from_edges(tree_edges(300_000, seed=2))
    colouring = refine(graph)
    nodes, sentence = sample_nodes(graph, colouring, 500)
    assert len(nodes) == 500 and "3 nodes of each of the 12 largest orbits" in sentence
    largest = np.argsort(-colouring.sizes, kind="stable")[:11]
    assert all((colouring.labels[nodes] == orbit).sum() >= 3 for orbit in largest)


@pytest.mark.parametrize("max_nodes", [1, 0, -3])
def test_a_sample_has_room_for_a_link(max_nodes) -> None:
    with pytest.raises(InvalidParameterError, match=f"at least 2, not {max_nodes}"):
        sample_nodes(cycle(8), refine(cycle(8)), max_nodes)
