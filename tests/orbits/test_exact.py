"""Exact orbits against all permutations, against a search without any reduction, and on graphs with known groups."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.data import load_graph
from edgeorbit.errors import InvalidParameterError, LimitExceededError, MissingExtraError
from edgeorbit.orbits.exact import ExactOrbits, exact_orbits
from edgeorbit.orbits.exact import _bliss as bliss
from edgeorbit.orbits.exact import _generators as generators
from edgeorbit.orbits.refine import refine
from oracles import graphs, relabelled, same_partition, tree_edges
from orbits.automorphisms import all_automorphisms, from_networkx

igraph = pytest.importorskip("igraph", reason="exact orbits are searched with igraph (extra 'exact')")


def cycle(num_nodes: int) -> Graph:
    node = np.arange(num_nodes)
    return Graph.from_edges(np.stack([node, (node + 1) % num_nodes], axis=1))


def rook_graph(n: int = 4) -> nx.Graph:
    return nx.line_graph(nx.complete_bipartite_graph(n, n))


def shrikhande_graph() -> nx.Graph:
    steps = [(0, 1), (1, 0), (1, 1)]
    graph = nx.Graph()
    for i in range(4):
        for j in range(4):
            graph.add_edges_from(((i, j), ((i + a) % 4, (j + b) % 4)) for a, b in steps)
    return graph


def assert_orbits_are(graph: Graph, orbits: ExactOrbits, permutations: list[list[int]], group_size: int) -> None:
    """Compare with the orbits under permutations that generate the group, found without any code of the package."""
    edges = [tuple(edge) for edge in graph.edges.tolist()]
    nodes, pairs = nx.utils.UnionFind(range(graph.num_nodes)), nx.utils.UnionFind(edges)
    for p in permutations:
        for v, w in enumerate(p):
            nodes.union(v, w)
        for u, v in edges:
            pairs.union((u, v), (min(p[u], p[v]), max(p[u], p[v])))
    assert same_partition(orbits.node_labels.tolist(), [nodes[v] for v in range(graph.num_nodes)])
    assert same_partition(orbits.edge_labels.tolist(), [pairs[edge] for edge in edges])
    assert orbits.num_node_orbits == len(set(orbits.node_labels.tolist()))
    assert orbits.num_edge_orbits == len(set(orbits.edge_labels.tolist()))
    assert orbits.log10_group_size == pytest.approx(math.log10(group_size), abs=1e-9)


def test_every_graph_of_up_to_seven_nodes_has_the_orbits_of_all_its_permutations() -> None:
    for atlas_graph in nx.graph_atlas_g():
        graph = from_networkx(atlas_graph)
        automorphisms = all_automorphisms(graph)
        assert_orbits_are(graph, exact_orbits(graph), automorphisms, len(automorphisms))


@given(graph=graphs(max_nodes=12, max_pairs=24))
def test_exact_orbits_are_at_least_as_fine_as_colours(graph: Graph) -> None:
    colour = refine(graph).labels
    orbits = exact_orbits(graph)
    pairs = np.sort(colour[graph.edges], axis=1).reshape(-1, 2)
    for labels, coarse in (
        (orbits.node_labels, colour.tolist()),
        (orbits.edge_labels, [tuple(pair) for pair in pairs.tolist()]),
    ):
        colour_of = dict(zip(labels.tolist(), coarse, strict=True))
        assert [colour_of[label] for label in labels.tolist()] == coarse
        # Numbers ascend with the colour, then with the first member.
        first = {label: labels.tolist().index(label) for label in colour_of}
        assert sorted(colour_of) == list(range(len(colour_of)))
        assert sorted(colour_of) == sorted(colour_of, key=lambda label: (colour_of[label], first[label]))


SMALL = [
    *(nx.cycle_graph(n) for n in (3, 4, 5, 6, 7)),
    *(nx.circular_ladder_graph(n) for n in (3, 4)),
    *(nx.complete_graph(n) for n in (1, 2, 4)),
    *(nx.circulant_graph(n, [1, 2]) for n in (7, 8)),
    nx.path_graph(3),
    nx.star_graph(3),
    nx.petersen_graph(),
    nx.complete_bipartite_graph(2, 3),
    nx.moebius_kantor_graph(),
    rook_graph(3),
    nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
]


STEPS = ["copies", "beside", "complement", "twins", "true twins", "cone", "trees", "leaf and triangle", "known leaf"]


@st.composite
def built(draw: st.DrawFn) -> nx.Graph:
    """A graph with much symmetry that colour refinement cannot resolve: built from regular ones in several steps."""
    graph = nx.convert_node_labels_to_integers(draw(st.sampled_from(SMALL)))
    for _ in range(draw(st.integers(0, 4))):
        step = draw(st.sampled_from(STEPS))
        if step == "complement":
            graph = nx.complement(graph)
        elif len(graph) > 40:
            continue
        elif step == "copies":
            graph = nx.disjoint_union_all([graph] * draw(st.integers(2, 3)))
        elif step == "beside":
            graph = nx.disjoint_union(graph, nx.convert_node_labels_to_integers(draw(st.sampled_from(SMALL))))
        elif step in ("twins", "true twins"):
            pair = nx.empty_graph(2) if step == "twins" else nx.complete_graph(2)
            graph = nx.convert_node_labels_to_integers(nx.lexicographic_product(graph, pair))
        elif step == "cone":
            graph.add_edges_from([(len(graph), v) for v in list(graph)])
        else:
            first, every = len(graph), draw(st.sampled_from([1, 1, 2]))
            for v in list(graph)[::every]:
                new = len(graph)
                graph.add_edges_from([(v, new), (v, new + 1)])
                if step == "trees":
                    graph.add_edges_from([(new, new + 2), (new, new + 3)])
                elif step == "leaf and triangle":
                    graph.add_edges_from([(v, new + 2), (new + 1, new + 2)])
            if step == "known leaf":  # one of two leaves that have the same neighbours once the hub is taken away
                graph.add_edges_from([(-1, leaf) for leaf in range(first, len(graph), 2)])
                graph = nx.convert_node_labels_to_integers(graph)
    return graph


@settings(max_examples=200)
@given(source=built(), seed=st.integers(0, 1000), data=st.data())
def test_reduction_finds_what_a_search_of_the_whole_graph_finds(
    source: nx.Graph, seed: int, data: st.DataObject
) -> None:
    graph = from_networkx(source, seed)
    marked = data.draw(st.none() | st.integers(0, graph.num_nodes - 1))
    initial = np.zeros(graph.num_nodes, np.int64)
    colouring = None
    if marked is not None:
        initial[marked] = 1
        colouring = refine(graph, data.draw(st.sampled_from([None, 0, 1])), initial)
    whole = igraph.Graph(graph.num_nodes, graph.edges.tolist())
    permutations = whole.automorphism_group(color=initial.tolist())
    group_size = whole.count_automorphisms(color=initial.tolist())
    assert_orbits_are(graph, exact_orbits(graph, colouring), permutations, group_size)


@given(source=built(), seed=st.integers(0, 1000))
def test_renumbering_nodes_moves_the_orbits_with_them(source: nx.Graph, seed: int) -> None:
    graph = from_networkx(source)
    permutation = np.random.default_rng(seed).permutation(graph.num_nodes)
    renumbered = exact_orbits(relabelled(graph, permutation.tolist()))
    assert same_partition(exact_orbits(graph).node_labels.tolist(), renumbered.node_labels[permutation].tolist())


@pytest.mark.parametrize(
    ("graph", "num_node_orbits", "num_edge_orbits", "group_size"),
    [
        (nx.circular_ladder_graph(3), 1, 2, 12),
        (nx.petersen_graph(), 1, 1, 120),
        (nx.cycle_graph(8), 1, 1, 16),
        (nx.path_graph(8), 4, 4, 2),
        (nx.hypercube_graph(5), 1, 1, 32 * 120),
        (nx.frucht_graph(), 12, 18, 1),
        (rook_graph(), 1, 1, 1152),
        (shrikhande_graph(), 1, 1, 192),
        (nx.disjoint_union_all([nx.petersen_graph()] * 3), 1, 1, 120**3 * 6),
        (nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(6)), 2, 2, 6 * 12),
        (nx.complement(nx.from_edgelist([(2 * i, 2 * i + 1) for i in range(30)])), 1, 1, math.factorial(30) * 2**30),
        (nx.empty_graph(5), 1, 0, 120),
        (nx.empty_graph(0), 0, 0, 1),
    ],
)
def test_graphs_whose_group_is_known(
    graph: nx.Graph, num_node_orbits: int, num_edge_orbits: int, group_size: int
) -> None:
    orbits = exact_orbits(from_networkx(graph, seed=1))
    assert (orbits.num_node_orbits, orbits.num_edge_orbits) == (num_node_orbits, num_edge_orbits)
    assert orbits.log10_group_size == pytest.approx(math.log10(group_size))


def test_two_graphs_that_refinement_confuses_are_told_apart() -> None:
    graph = from_networkx(nx.disjoint_union(rook_graph(), shrikhande_graph()))
    assert refine(graph).num_colours == 1
    orbits = exact_orbits(graph)
    assert orbits.num_node_orbits == 2
    assert orbits.node_labels.tolist() == [0] * 16 + [1] * 16


def test_the_edges_of_a_prism_split_into_triangles_and_matching() -> None:
    graph = from_networkx(nx.circular_ladder_graph(3))
    labels = exact_orbits(graph).edge_labels
    in_triangle = [len(np.intersect1d(graph.neighbours(u), graph.neighbours(v))) == 1 for u, v in graph.edges.tolist()]
    assert same_partition(labels.tolist(), in_triangle)


@given(num_nodes=st.integers(1, 60), seed=st.integers(0, 1000))
def test_orbits_of_a_tree_are_its_colours(num_nodes: int, seed: int) -> None:
    # Colour refinement identifies trees, so nodes of one colour lie in one orbit, and no search is needed.
    tree = Graph.from_edges(tree_edges(num_nodes, seed), num_nodes)
    assert exact_orbits(tree).node_labels.tolist() == refine(tree).labels.tolist()


def test_initial_colours_are_kept() -> None:
    graph = cycle(8)
    initial = np.array([1, 0, 0, 0, 0, 0, 0, 0])
    assert exact_orbits(graph).num_node_orbits == 1
    for rounds in (None, 0, 2):
        assert exact_orbits(graph, refine(graph, rounds, initial)).num_node_orbits == 5


@pytest.mark.parametrize("limit", ["NODES_SEARCHED_HERE", "TOTAL_SEARCHED_HERE"])
def test_a_process_of_its_own_finds_the_same(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [nx.petersen_graph(), nx.petersen_graph(), nx.frucht_graph(), rook_graph(), nx.star_graph(4)]
    graph = from_networkx(nx.disjoint_union_all(parts), seed=0)
    here = exact_orbits(graph)
    monkeypatch.setattr(bliss, limit, 0)
    monkeypatch.setattr(bliss, "_search_here", None)
    elsewhere = exact_orbits(graph)
    assert np.array_equal(here.node_labels, elsewhere.node_labels)
    assert np.array_equal(here.edge_labels, elsewhere.edge_labels)
    assert here.log10_group_size == elsewhere.log10_group_size


DISJOINT_EDGES = np.random.default_rng(0).permutation(200_000).reshape(-1, 2)
PENTAGON = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]])
RING = np.stack([np.arange(20_000), (np.arange(20_000) + 1) % 20_000], axis=1)
TWINS = [RING + np.array([0, 20_000]), RING + np.array([0, 40_000])]


@pytest.mark.parametrize(
    ("edges", "num_node_orbits", "num_edge_orbits"),
    [
        pytest.param(DISJOINT_EDGES, 1, 1, id="edges"),
        pytest.param([(0, v) for v in range(1, 300_001)], 2, 1, id="star"),
        pytest.param([(v, (v - 1) // 2) for v in range(1, 2**16 - 1)], 16, 15, id="binary tree"),
        pytest.param(
            np.random.default_rng(1).permutation(100_000)[
                (5 * np.arange(20_000)[:, None, None] + PENTAGON).reshape(-1, 2)
            ],
            1,
            1,
            id="pentagons",
        ),
        # Twins at every node of a ring: 20,000 generators, each of them as long as the graph, if they are searched.
        pytest.param(np.concatenate([RING, *TWINS]), 2, 2, id="twins"),
    ],
)
def test_large_graphs_with_a_huge_group_take_seconds(
    edges: np.ndarray, num_node_orbits: int, num_edge_orbits: int
) -> None:
    start = time.monotonic()
    orbits = exact_orbits(Graph.from_edges(np.asarray(edges)))
    assert (orbits.num_node_orbits, orbits.num_edge_orbits) == (num_node_orbits, num_edge_orbits)
    assert time.monotonic() - start < 20


def test_a_large_random_graph_is_solved_by_refinement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bliss, "_search_elsewhere", None)
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 200_000, (400_000, 2)))
    orbits = exact_orbits(graph)
    colouring = refine(graph)
    assert orbits.num_node_orbits >= colouring.num_colours
    assert same_partition(orbits.node_labels.tolist(), colouring.labels.tolist())


@pytest.mark.parametrize("time_limit", [0.001, 5.0])
def test_a_time_limit_ends_the_search_and_its_process(time_limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    start_process = subprocess.Popen

    def recorded(*arguments: object, **options: object) -> "subprocess.Popen[bytes]":
        process = start_process(*arguments, **options)  # type: ignore[call-overload]
        started.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", recorded)
    begin = time.monotonic()
    with pytest.raises(LimitExceededError, match=rf"within time_limit={time_limit:g} s.*raise time_limit") as caught:
        exact_orbits(cycle(300_000).with_attributes(name="ring"), time_limit=time_limit)
    assert str(caught.value).startswith("ring: ")
    assert time.monotonic() - begin < time_limit + 3
    if time_limit == 5.0:  # long enough to begin, also on a busy machine
        assert len(started) == 1
        assert "with 300000 nodes and 300000 edges in 1 component(s)" in str(caught.value)
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a limit on address space")
@pytest.mark.parametrize("memory_limit", [1, 170_000_000])
def test_a_memory_limit_ends_the_search(memory_limit: int) -> None:
    with pytest.raises(
        LimitExceededError, match=f"need more than memory_limit={memory_limit} bytes.*raise memory_limit"
    ):
        exact_orbits(cycle(300_000), memory_limit=memory_limit)


def test_a_search_that_is_killed_counts_as_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = subprocess.CompletedProcess([], returncode=-9, stdout=b"", stderr=b"")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: killed)
    with pytest.raises(LimitExceededError, match="the memory of this machine"):
        exact_orbits(cycle(1000))


def test_without_igraph_reduction_still_solves_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert exact_orbits(from_networkx(nx.path_graph(8))).num_node_orbits == 4
    with pytest.raises(MissingExtraError, match=r"pip install 'edgeorbit\[exact\]'"):
        exact_orbits(from_networkx(nx.petersen_graph()))


def test_bad_arguments_are_named() -> None:
    graph = cycle(5)
    with pytest.raises(InvalidParameterError, match="time_limit must be more than 0 seconds, not 0"):
        exact_orbits(graph, time_limit=0)
    with pytest.raises(InvalidParameterError, match="time_limit must be more than 0 seconds, not nan"):
        exact_orbits(graph, time_limit=math.nan)
    with pytest.raises(InvalidParameterError, match="memory_limit must be more than 0 bytes, not -1"):
        exact_orbits(graph, memory_limit=-1)
    with pytest.raises(InvalidParameterError, match="the colouring has 6 nodes and the graph 5"):
        exact_orbits(graph, refine(cycle(6)))


def test_a_generator_that_is_no_automorphism_is_never_used() -> None:
    swap = generators.neighbour_swaps(np.array([0, 1], np.int32), np.array([0]), np.array([1]))
    with pytest.raises(RuntimeError, match="no automorphism"):
        generators.edge_orbits(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), swap)


@pytest.mark.parametrize(
    ("name", "num_colours", "num_node_orbits"),
    [("cora", 2365, 2365), ("citeseer", 2090, 2091), ("pubmed", 12998, 12998)],
)
def test_real_graphs(name: str, num_colours: int, num_node_orbits: int, data_dir: Path) -> None:
    graph = load_graph(name, data_dir=data_dir, features=False)
    colouring = refine(graph)
    orbits = exact_orbits(graph, colouring)
    assert (colouring.num_colours, orbits.num_node_orbits) == (num_colours, num_node_orbits)
    permutation = np.random.default_rng(0).permutation(graph.num_nodes)
    renumbered = exact_orbits(relabelled(graph, permutation.tolist()))
    assert same_partition(orbits.node_labels.tolist(), renumbered.node_labels[permutation].tolist())
    assert renumbered.num_edge_orbits == orbits.num_edge_orbits
    assert renumbered.log10_group_size == pytest.approx(orbits.log10_group_size)


def test_cora_has_the_orbits_that_a_search_of_the_whole_graph_finds(data_dir: Path) -> None:
    graph = load_graph("cora", data_dir=data_dir, features=False)
    whole = igraph.Graph(graph.num_nodes, graph.edges.tolist())
    assert_orbits_are(graph, exact_orbits(graph), whole.automorphism_group(), whole.count_automorphisms())
