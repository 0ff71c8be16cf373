"""Clones: the same graph as cloning one thing at a time, and twins that no refinement tells apart."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, refine, to_networkx
from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Origin
from edgeorbit.synthetic import make
from edgeorbit.synthetic.moves import Clones, hanging_trees
from oracles import graphs, naive_rounds, tree_edges


def clones_of(graph: Graph, part: str, seed: int = 0) -> Clones:
    return Clones(graph, graph.origin or Origin.plain(graph.num_nodes, graph.num_edges), part, seed)


def with_clones(graph: Graph, part: str, seed: int, count: int) -> tuple[nx.Graph, list[int]]:
    """The cloned graph, and what every new node is a clone of."""
    cloned = clones_of(graph, part, seed).first(count)
    assert len(np.unique(np.sort(cloned.edges, axis=1), axis=0)) == len(cloned.edges)
    found = to_networkx(graph)
    found.add_nodes_from(range(graph.num_nodes, graph.num_nodes + len(cloned.twin_of)))
    assert not any(found.has_edge(*edge) for edge in cloned.edges.tolist())
    found.add_edges_from(cloned.edges.tolist())
    return found, cloned.twin_of.tolist()


def part_below(graph: nx.Graph, root: int, above: int) -> set[int]:
    """All nodes that only the edge between the two holds to the rest."""
    cut = graph.copy()
    cut.remove_edge(root, above)
    part = nx.node_connected_component(cut, root)
    assert above not in part
    return part


@st.composite
def forests(draw: st.DrawFn, max_nodes: int = 16) -> Graph:
    """Graphs with many hanging trees: a forest, and perhaps a few edges more."""
    num_nodes = draw(st.integers(2, max_nodes))
    parents = [draw(st.integers(-1, child - 1)) for child in range(1, num_nodes)]
    edges = [(parent, child) for child, parent in enumerate(parents, 1) if parent >= 0]
    node = st.integers(0, num_nodes - 1)
    edges += draw(st.lists(st.tuples(node, node), max_size=2))
    return Graph.from_edges(np.array(edges, np.int64).reshape(-1, 2), num_nodes)


@given(graph=graphs(max_nodes=10, max_pairs=15), seed=st.integers(0, 99), data=st.data())
def test_nodes_are_cloned_as_if_one_after_the_other(graph: Graph, seed: int, data: st.DataObject) -> None:
    room = clones_of(graph, "node", seed).room
    assert room == (graph.degree > 0).sum()
    found, twin_of = with_clones(graph, "node", seed, data.draw(st.integers(0, room)))
    neighbours = {node: set(graph.neighbours(node).tolist()) for node in range(graph.num_nodes)}
    for clone, node in enumerate(twin_of, graph.num_nodes):
        neighbours[clone] = set(neighbours[node])
        for other in neighbours[node]:
            neighbours[other].add(clone)
    assert {node: set(found[node]) for node in found} == neighbours
    assert len(set(twin_of)) == len(twin_of)


@given(graph=forests(), seed=st.integers(0, 99), data=st.data())
def test_parts_are_cloned_as_if_one_after_the_other(graph: Graph, seed: int, data: st.DataObject) -> None:
    clones, parent = clones_of(graph, "pendant", seed), hanging_trees(graph)
    found, twin_of = with_clones(graph, "pendant", seed, data.draw(st.integers(0, clones.room)))
    plain = to_networkx(graph)
    expected = plain.copy()
    new = {node: clone for clone, node in enumerate(twin_of, graph.num_nodes)}
    assert len(new) == len(twin_of)
    roots = [node for node in twin_of if parent[node] not in new]
    for root in roots:
        part = part_below(plain, root, parent[root])
        assert part <= set(new)
        expected.add_edges_from((new[u], new[v]) for u, v in plain.subgraph(part).edges)
        expected.add_edge(new[root], int(parent[root]))
    assert sum(len(part_below(plain, root, parent[root])) for root in roots) == len(twin_of)
    assert nx.utils.graphs_equal(nx.Graph(found.edges), nx.Graph(expected.edges))


@given(graph=forests() | graphs(), seed=st.integers(0, 99))
def test_parts_are_taken_in_the_order_of_the_seed_and_never_within_each_other(graph: Graph, seed: int) -> None:
    parent, plain = hanging_trees(graph), to_networkx(graph)
    taken: list[set[int]] = []
    expected = []
    for node in Random(seed, "twins").permutation(graph.num_nodes).tolist():
        if parent[node] < 0:
            continue
        part = part_below(plain, node, parent[node])
        if all(part.isdisjoint(other) for other in taken):
            taken.append(part)
            expected.append(node)
    clones = clones_of(graph, "pendant", seed)
    assert clones.room == len(expected)
    found = clones.first(clones.room).twin_of.tolist()
    assert [node for node in found if parent[node] not in found] == expected


@given(graph=forests() | graphs())
def test_what_hangs_is_what_lies_outside_the_2_core(graph: Graph) -> None:
    parent, plain = hanging_trees(graph).tolist(), to_networkx(graph)
    core = set(nx.k_core(plain, 2)) if graph.num_edges else set()
    for component in nx.connected_components(plain):
        staying = {node for node in component if parent[node] < 0}
        assert staying == core & component if core & component else len(staying) == 1
        for node in component - staying:
            assert plain.has_edge(node, parent[node])
            walk = [node]
            while parent[walk[-1]] >= 0:
                walk.append(parent[walk[-1]])
                assert len(walk) <= graph.num_nodes


def test_a_tree_keeps_its_middle_and_of_two_middles_the_smaller() -> None:
    assert hanging_trees(Graph.from_edges([[0, 1]])).tolist() == [-1, 0]
    assert hanging_trees(Graph.from_edges([[3, 1], [1, 0], [0, 2]])).tolist() == [-1, 0, 0, 1]
    assert hanging_trees(Graph.from_edges([[3, 1], [1, 2], [2, 0]])).tolist() == [2, -1, 1, 1]
    assert hanging_trees(Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])).tolist() == [1, 2, -1, 2, 3]


@given(graph=forests() | graphs(), seed=st.integers(0, 99), part=st.sampled_from(["node", "pendant"]), data=st.data())
def test_every_twin_shares_its_colour_whatever_else_is_added(graph, seed, part, data) -> None:
    if graph.num_edges == 0:
        return
    copies = data.draw(st.integers(1, 2))
    room = make("disjoint-copies", of=graph, copies=copies, seed=seed)
    free = room.num_nodes * (room.num_nodes - 1) // 2 - room.num_edges
    edges = data.draw(st.integers(0, min(4, free // (4 * copies))))
    try:
        made = make("disjoint-copies", of=graph, copies=copies, seed=seed, edges=edges, inter=0.0)
        twins = clones_of(made, part, seed).room
        made = make(
            "disjoint-copies",
            of=graph,
            copies=copies,
            seed=seed,
            edges=edges,
            inter=0.0,
            part=part,
            twins=data.draw(st.integers(0, twins)),
        )
    except InvalidParameterError as error:
        assert "has room for" in str(error)
        return
    assert_twins(made)


def assert_twins(graph: Graph) -> None:
    colours = naive_rounds(graph)[-1]
    for twin, node in enumerate(graph.origin.twin_of.tolist()):
        assert node < 0 or (colours[twin] == colours[node] and graph.degree[twin] == graph.degree[node])


@given(
    graph=forests(),
    seed=st.integers(0, 9),
    first=st.sampled_from(["node", "pendant"]),
    second=st.sampled_from(["node", "pendant"]),
    counts=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 3), st.integers(0, 3)),
)
def test_twins_of_the_source_stay_twins_whatever_move_follows(graph, seed, first, second, counts) -> None:
    if graph.num_edges == 0:
        return
    source = make("twins", of=graph, part=first, twins=min(counts[0], clones_of(graph, first, seed).room), seed=seed)
    assert_twins(source)
    for amounts in ({"twins": counts[1]}, {"edges": counts[2]}, {"swaps": counts[3]}):
        try:
            made = make("twins", of=source, part=second, seed=seed, **amounts)
        except InvalidParameterError as error:
            assert "ask for fewer" in str(error)
            continue
        assert_twins(made)


def test_an_edge_added_elsewhere_does_not_part_twins_of_a_large_graph() -> None:
    for part in ("node", "pendant"):
        made = make("random-tree", nodes=20_000, edges=50, twins=2000, part=part)
        colours = refine(made).labels
        twins = np.flatnonzero(made.origin.twin_of >= 0)
        assert len(twins) >= 2000
        assert np.array_equal(colours[twins], colours[made.origin.twin_of[twins]])


@given(graph=graphs(), part=st.sampled_from(["node", "pendant"]), seed=st.integers(0, 9), data=st.data())
def test_fewer_clones_are_the_first_of_more_and_skipped_ones_are_left_out(graph, part, seed, data) -> None:
    clones = clones_of(graph, part, seed)
    parent = hanging_trees(graph)

    def roots(count: int, skipped: set[int] = frozenset()) -> list[int]:
        found = clones.first(count, skipped).twin_of.tolist()
        return found if part == "node" else [node for node in found if parent[node] not in found]

    everything = roots(clones.room)
    total = data.draw(st.integers(0, clones.room))
    assert roots(total) == everything[:total]
    skipped = data.draw(st.sets(st.integers(0, total - 1))) if total else set()
    left = [root for place, root in enumerate(everything[:total]) if place not in skipped]
    assert roots(len(left), skipped) == left


def test_the_nodes_that_are_cloned_belong_to_the_seed_and_not_to_the_edges() -> None:
    first = make("syn-karate", seed=5, twins=10).origin
    second = make("syn-karate", seed=5, edges=200, twins=10).origin
    assert np.array_equal(first.twin_of, second.twin_of)
    assert not np.array_equal(first.twin_of, make("syn-karate", seed=6, twins=10).origin.twin_of)


@pytest.mark.parametrize(
    "edges",
    [
        np.stack([np.arange(99_999), np.arange(1, 100_000)], axis=1),
        tree_edges(100_000, 0),
        np.stack([np.minimum(np.arange(99_999), 49_999), np.arange(1, 100_000)], axis=1),
        np.stack([np.maximum(np.arange(1, 100_000) - 50_000, 0), np.arange(1, 100_000)], axis=1),
        np.concatenate(
            [
                np.stack([np.arange(49_999), np.arange(1, 50_000)], axis=1),
                np.stack([np.arange(50_000), np.arange(50_000, 100_000)], axis=1),
            ]
        ),
    ],
    ids=["path", "random tree", "broom", "spider", "caterpillar"],
)
def test_large_trees_are_taken_apart_in_linear_time(edges: np.ndarray) -> None:
    graph = Graph.from_edges(edges)
    parent = hanging_trees(graph)
    assert (parent >= 0).sum() == graph.num_nodes - 1
    clones = clones_of(graph, "pendant")
    cloned = clones.first(clones.room)
    assert len(cloned.edges) == len(cloned.twin_of) > 10_000


def test_more_clones_than_there_are_parts_are_refused() -> None:
    triangle = Graph.from_edges([[0, 1], [1, 2], [2, 0]], 9, name="triangle")
    with pytest.raises(
        InvalidParameterError, match=r"^triangle has 3 nodes with neighbours to clone, not 4; ask for fewer$"
    ):
        clones_of(triangle, "node").first(4)
    with pytest.raises(
        InvalidParameterError, match=r"^triangle has 0 parts that hang on one node to clone, not 1; ask for fewer$"
    ):
        clones_of(triangle, "pendant").first(1)
