"""Enclosing subgraphs are those of networkx and of PyG, in whatever order, direction or company pairs come."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, to_networkx
from edgeorbit.data import load_graph
from edgeorbit.data.files import resolve_data_dir
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.pairwise import enclosing_subgraphs as module
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs, count_enclosing, enclosing_subgraphs
from oracles import graphs
from pairwise.test_drnl import expected_labels


def one_by_one(found: Subgraphs) -> list[tuple[list[int], set[tuple[int, int]], list[int]]]:
    """For every pair its nodes, its edges as pairs of nodes of the graph, and its labels."""
    batch, nodes = found.batch, found.nodes
    rows, columns = found.edge_index
    assert (batch[rows] == batch[columns]).all(), "an edge leads into another subgraph"
    result = []
    for pair in range(len(found.offsets) - 1):
        part = slice(*found.offsets[pair : pair + 2].tolist())
        chosen = batch[rows] == pair
        ends = np.stack([nodes[rows[chosen]], nodes[columns[chosen]]], axis=1).tolist()
        edges = {(u, v) for u, v in ends}
        assert len(edges) == len(ends)
        result.append((nodes[part].tolist(), edges, found.labels[part].tolist()))
    return result


def expected(graph: nx.Graph, u: int, v: int, hops: int) -> tuple[set[int], set[tuple[int, int]], dict[int, int]]:
    near = set()
    for end in (u, v):
        near |= set(nx.single_source_shortest_path_length(graph, end, cutoff=hops))
    inside = nx.Graph(graph.subgraph(near))
    inside.remove_edges_from([(u, v)])
    edges = {(a, b) for a, b in inside.edges} | {(b, a) for a, b in inside.edges}
    return near, edges, expected_labels(inside, u, v)


def draw_pairs(graph: Graph, data: st.DataObject) -> np.ndarray:
    node = st.integers(0, graph.num_nodes - 1)
    return np.array(data.draw(st.lists(st.tuples(node, node), max_size=12)), np.int64).reshape(-1, 2)


@given(graph=graphs(), hops=st.integers(1, 4), data=st.data())
def test_subgraphs_are_those_of_networkx(graph: Graph, hops: int, data: st.DataObject) -> None:
    pairs = draw_pairs(graph, data)
    found = enclosing_subgraphs(graph, pairs, hops=hops)
    whole = to_networkx(graph)
    for (u, v), (nodes, edges, labels) in zip(pairs.tolist(), one_by_one(found), strict=True):
        near, links, numbers = expected(whole, u, v, hops)
        assert nodes[: 1 + (u != v)] == [u, v][: 1 + (u != v)]
        assert len(nodes) == len(near) and set(nodes) == near
        assert edges == links
        assert labels == [numbers[node] for node in nodes]
    sizes, entries = count_enclosing(graph, pairs, hops=hops)
    assert np.array_equal(sizes, np.diff(found.offsets))
    assert np.array_equal(entries, np.diff(found.indptr[found.offsets]))


@given(graph=graphs(), hops=st.integers(1, 3), most=st.integers(1, 5), data=st.data())
def test_a_sample_belongs_to_its_pair(graph: Graph, hops: int, most: int, data: st.DataObject) -> None:
    """It is the same alone and in company, and both ways round; and every hop has as many nodes as it may."""
    pairs = draw_pairs(graph, data)
    options = {"hops": hops, "max_nodes_per_hop": most, "seed": 3}
    together = one_by_one(enclosing_subgraphs(graph, pairs, **options))
    whole = to_networkx(graph)
    for pair, (nodes, edges, labels) in zip(pairs.tolist(), together, strict=True):
        ((alone, other_edges, other_labels),) = one_by_one(enclosing_subgraphs(graph, [pair[::-1]], **options))
        ends = len(set(pair))
        assert alone[:ends] == nodes[:ends][::-1] and alone[ends:] == nodes[ends:]
        assert other_edges == edges and other_labels == labels
        assert set(pair) <= set(nodes)
        inside = nx.Graph(whole.subgraph(nodes))
        inside.remove_edges_from([pair])
        assert {frozenset(edge) for edge in edges} == {frozenset(edge) for edge in inside.edges}
        assert labels == [expected_labels(inside, *pair)[node] for node in nodes]
        fringe, visited, left = set(pair), set(pair), nodes[ends:]
        for _ in range(hops):
            reached = {other for node in fringe for other in whole[node]} - visited
            fringe, left = set(left[: min(most, len(reached))]), left[min(most, len(reached)) :]
            assert fringe <= reached
            visited |= reached
        assert not left


def test_a_sample_is_even_and_another_seed_gives_another_one() -> None:
    """Each of the 40 leaves of a star is taken as often as chance has it: 5 of 40, over many pairs of hub and leaf."""
    star = Graph.from_edges([[0, leaf] for leaf in range(1, 41)])
    counts = np.zeros(41)
    for seed in range(400):
        counts[enclosing_subgraphs(star, [[0, 1 + seed % 40]], hops=1, max_nodes_per_hop=5, seed=seed).nodes[2:]] += 1
    assert counts[0] == 0 and counts.sum() == 2000
    assert counts[1:].min() > 25 and counts[1:].max() < 80  # 50 +- 6.6


def test_subgraphs_are_those_of_pyg() -> None:
    pytest.importorskip("torch_geometric")
    import torch
    from torch_geometric.utils import k_hop_subgraph

    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 300, (700, 2)), 300)
    pairs = np.concatenate([graph.edges[:30], rng.integers(0, 300, (30, 2))])
    edge_index = torch.from_numpy(graph.edge_index)
    for hops in (1, 2, 3):
        for (u, v), (nodes, edges, _) in zip(
            pairs.tolist(), one_by_one(enclosing_subgraphs(graph, pairs, hops=hops)), strict=True
        ):
            subset, inside, _, _ = k_hop_subgraph([u, v], hops, edge_index, num_nodes=300)
            assert set(subset.tolist()) == set(nodes)
            links = {(a, b) for a, b in inside.T.tolist() if {a, b} != {u, v}}
            assert edges == links


def some_pairs(graph: Graph, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    edges = graph.edges[rng.choice(graph.num_edges, count // 2)]
    return rng.permutation(np.concatenate([edges, rng.integers(0, graph.num_nodes, (count - count // 2, 2))]))


def large_graph() -> Graph:
    if (resolve_data_dir() / "planetoid").is_dir():
        return load_graph("pubmed")
    rng = np.random.default_rng(0)
    return Graph.from_edges((rng.random((80_000, 2)) ** 2 * 20_000).astype(np.int64), 20_000)


@pytest.mark.parametrize("most", [None, 20])
def test_on_a_large_graph_nothing_depends_on_threads(most: int | None) -> None:
    graph = large_graph()
    pairs = some_pairs(graph, 3000)
    single = enclosing_subgraphs(graph, pairs, hops=2, max_nodes_per_hop=most, threads=1)
    for threads in (2, 3, 7):
        several = enclosing_subgraphs(graph, pairs, hops=2, max_nodes_per_hop=most, threads=threads)
        assert all(
            np.array_equal(one, other) and one.dtype == other.dtype for one, other in zip(single, several, strict=True)
        )
    whole = to_networkx(graph)
    for number in (0, 1234, 2999) if most is None else ():
        low, high = single.offsets[number : number + 2].tolist()
        near, links, labels = expected(whole, *pairs[number].tolist(), 2)
        assert set(single.nodes[low:high].tolist()) == near
        assert single.indptr[high] - single.indptr[low] == len(links)
        assert single.labels[low:high].tolist() == [labels[node] for node in single.nodes[low:high].tolist()]


def test_the_link_of_a_pair_makes_no_difference() -> None:
    graph = Graph.from_edges(np.random.default_rng(2).integers(0, 60, (200, 2)), 60)
    for edge in graph.edges[:40]:
        left = Graph.from_edges([other for other in graph.edges.tolist() if other != edge.tolist()], 60)
        for most in (None, 4):
            options = {"hops": 2, "max_nodes_per_hop": most}
            there, here = (enclosing_subgraphs(one, [edge], **options) for one in (graph, left))
            assert all(np.array_equal(one, other) for one, other in zip(there, here, strict=True))


def test_no_pairs_and_isolated_nodes() -> None:
    graph = Graph.from_edges([[0, 1]], 4)
    nothing = enclosing_subgraphs(graph, [], hops=2)
    assert nothing.offsets.tolist() == [0] and nothing.indptr.tolist() == [0] and not len(nothing.nodes)
    assert [count.tolist() for count in count_enclosing(graph, [], hops=2)] == [[], []]
    found = one_by_one(enclosing_subgraphs(graph, [[2, 3], [2, 2], [0, 1]], hops=2))
    assert found == [([2, 3], set(), [1, 1]), ([2], set(), [1]), ([0, 1], set(), [1, 1])]


@pytest.mark.parametrize(
    ("pairs", "options", "sentence"),
    [
        ([[0, 9]], {}, "pairs name node 9; graph has 4 nodes"),
        ([[0, 1]], {"hops": 0}, "hops must be at least 1, not 0"),
        ([[0, 1]], {"max_nodes_per_hop": 0}, "max_nodes_per_hop must be at least 1, not 0; leave it out"),
        ([[0, 1]], {"seed": -1}, "a seed is a whole number from 0 to 2"),
        ([[0, 1]], {"threads": 0}, "threads must be at least 1"),
    ],
)
def test_what_makes_no_subgraph_is_refused(pairs, options, sentence) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        enclosing_subgraphs(Graph.from_edges([[0, 1]], 4), pairs, **options)


def test_more_nodes_than_can_be_numbered_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 5)
    with pytest.raises(LimitExceededError, match=r"subgraphs of 3 pairs of graph have 6 nodes.*fewer pairs at a time"):
        enclosing_subgraphs(Graph.from_edges([[0, 1]], 4), [[0, 1]] * 3, hops=1)
