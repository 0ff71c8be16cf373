"""Colour refinement against its definition, on small graphs in every mode and on large ones by properties."""

import multiprocessing
import os

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import from_networkx
from edgeorbit.orbits import refine as refine_module
from edgeorbit.orbits.refine import Refinement, refine, refine_by_round, refine_together
from oracles import graphs, grid_edges, naive_rounds, relabelled, same_partition, tree_edges

ROUNDS = st.one_of(st.none(), st.integers(0, 5))


@pytest.fixture(params=["as chosen", "always dense", "frontier from the start"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force one kind of round: small graphs would hardly ever meet the others."""
    if request.param == "always dense":
        monkeypatch.setattr(refine_module, "FRONTIER_SETUP_COST", 10**6)
    if request.param == "frontier from the start":
        monkeypatch.setattr(refine_module, "SMALL_GRAPH", 0)
        monkeypatch.setattr(refine_module, "FRONTIER_SETUP_COST", 0)
        monkeypatch.setattr(refine_module, "FRONTIER_ENTRY_COST", 0)
    return str(request.param)


@pytest.mark.parametrize("_repeat", range(3))
@given(data=st.data())
def test_colours_are_those_of_the_definition(mode: str, _repeat: int, data: st.DataObject) -> None:
    graph = data.draw(graphs())
    rounds = data.draw(ROUNDS)
    initial = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=graph.num_nodes, max_size=graph.num_nodes))
    expected = naive_rounds(graph, rounds, initial)
    found = refine(graph, rounds, initial)
    assert same_partition(found.labels.tolist(), expected[-1])
    assert found.colours_per_round.tolist() == [len(set(colours)) for colours in expected]
    assert sorted(set(found.labels.tolist())) == list(range(found.num_colours))
    assert found.stable == (len(naive_rounds(graph, None, initial)) == len(expected))


@given(graph=graphs(), data=st.data())
def test_relabelling_nodes_permutes_colours(mode: str, graph: Graph, data: st.DataObject) -> None:
    permutation = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    rounds = data.draw(ROUNDS)
    original, permuted = refine(graph, rounds), refine(relabelled(graph, permutation), rounds)
    assert np.array_equal(permuted.labels[permutation], original.labels)


@given(graph=graphs())
def test_each_round_is_that_of_the_definition(mode: str, graph: Graph) -> None:
    by_round = list(refine_by_round(graph))
    expected = naive_rounds(graph)
    assert len(by_round) == len(expected)
    assert all(same_partition(a.labels.tolist(), b) for a, b in zip(by_round, expected, strict=True))


@given(graph=graphs(max_nodes=12), bits=st.integers(1, 6), rounds=ROUNDS)
def test_a_weak_hash_is_repaired(mode: str, graph: Graph, bits: int, rounds: int | None) -> None:
    weak = Refinement(graph, prove_rounds=rounds is not None, mask=np.uint64(2**bits - 1))
    weak.run(rounds)
    assert same_partition(weak.colouring().labels.tolist(), naive_rounds(graph, rounds)[-1])


def test_a_weak_hash_does_collide() -> None:
    """Without the proof the test above would fail: two rounds on one bit leave nodes together that belong apart."""
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 300, (600, 2)))
    weak = Refinement(graph, prove_rounds=False, mask=np.uint64(1))
    weak.run(2)
    assert weak.partition.num_classes < refine(graph, 2).num_colours


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_do_not_change_the_labels(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine_module, "NODES_PER_THREAD", 10)
    rng = np.random.default_rng(threads)
    for edges in [rng.integers(0, 3000, (5000, 2)), tree_edges(4000, 1), grid_edges(40, 50)]:
        graph = Graph.from_edges(edges)
        for rounds in (None, 2):
            alone, shared = refine(graph, rounds, threads=1), refine(graph, rounds, threads=threads)
            assert np.array_equal(alone.labels, shared.labels)
            assert np.array_equal(alone.colours_per_round, shared.colours_per_round)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_can_refine_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine_module, "NODES_PER_THREAD", 10)
    graph = Graph.from_edges(tree_edges(1000, 0))
    expected = refine(graph, threads=2).labels
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply_async(refine, (graph,), {"threads": 2}).get(timeout=60)
    assert np.array_equal(found.labels, expected)


@pytest.mark.parametrize(
    "edges",
    [
        np.random.default_rng(0).integers(0, 20_000, (60_000, 2)),
        tree_edges(20_000, 0),
        grid_edges(60, 90),
        np.stack([np.arange(20_000), np.arange(1, 20_001)], axis=1),
    ],
    ids=["random", "tree", "grid", "path"],
)
def test_large_graphs_are_equitable_canonical_and_coarsest(edges: np.ndarray) -> None:
    graph = Graph.from_edges(edges)
    found = refine(graph)
    counts = _neighbour_colour_counts(graph, found.labels)
    assert all(
        len({counts[v] for v in np.flatnonzero(found.labels == c)}) == 1 for c in range(0, found.num_colours, 97)
    )
    permutation = np.random.default_rng(1).permutation(graph.num_nodes)
    assert np.array_equal(refine(relabelled(graph, permutation)).labels[permutation], found.labels)
    if found.rounds < 200:  # coarsest: the definition gives as few colours
        expected = naive_rounds(graph)
        assert same_partition(found.labels.tolist(), expected[-1])
        assert found.colours_per_round.tolist() == [len(set(colours)) for colours in expected]


def _neighbour_colour_counts(graph: Graph, colours: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(sorted(colours[graph.neighbours(v)].tolist())) for v in range(graph.num_nodes)]


def test_a_path_needs_a_round_for_every_second_node() -> None:
    path = Graph.from_edges(np.stack([np.arange(200_000), np.arange(1, 200_001)], axis=1))
    found = refine(path)
    assert (found.num_colours, found.rounds, found.stable) == (100_001, 100_000, True)
    distance_to_end = np.minimum(np.arange(200_001), np.arange(200_001)[::-1])
    assert same_partition(found.labels.tolist(), distance_to_end.tolist())


def test_colours_agree_with_networkx() -> None:
    other = nx.gnm_random_graph(300, 500, seed=3)
    # Versions differ in whether degrees, where it starts if nodes have no attribute, are a round; with one it is round 0.
    nx.set_node_attributes(other, "", "colour")
    for rounds in (1, 2, 3):
        hashes = nx.weisfeiler_lehman_subgraph_hashes(other, node_attr="colour", iterations=rounds + 1)
        expected = [tuple(hashes[v]) for v in range(300)]
        assert same_partition(refine(from_networkx(other), rounds).labels.tolist(), expected)


def test_two_graphs_refined_together_share_their_labels() -> None:
    path, longer = (Graph.from_edges([(i, i + 1) for i in range(n)]) for n in (4, 5))
    first, second = refine_together([path, longer], rounds=1)
    assert first.labels.tolist() == [0, 1, 1, 1, 0]
    assert second.labels.tolist() == [0, 1, 1, 1, 1, 0]
    again, same = refine_together([path, relabelled(path, [4, 2, 0, 1, 3])])
    assert sorted(again.labels.tolist()) == sorted(same.labels.tolist())
    assert refine_together([]) == []


def test_initial_colours_by_name() -> None:
    star = Graph.from_edges([(0, 1), (0, 2), (0, 3)], y=np.array([5, 5, 6, 6]), x=np.array([[0.0], [1], [1], [-0.0]]))
    assert same_partition(refine(star, 0, "degree").labels.tolist(), [1, 0, 0, 0])
    assert refine(star, 0, "labels").labels.tolist() == [0, 0, 1, 1]
    assert refine(star, 0, "features").labels.tolist() == [0, 1, 1, 0]
    assert refine(star, 1, "features").num_colours == 3
    assert refine(star, 0, ["b", "a", "b", "a"]).labels.tolist() == [1, 0, 1, 0]


def test_sparse_features_are_compared_by_value() -> None:
    import scipy.sparse

    rows = scipy.sparse.csr_array(np.array([[1.0, 0], [0, 2], [1, 0], [0, 0], [0, 3]]))
    rows.data[0] = 1.0
    explicit_zero = scipy.sparse.csr_array(
        (np.array([1.0, 2, 1, 0, 3]), np.array([0, 1, 0, 0, 1]), np.array([0, 1, 2, 3, 4, 5])), shape=(5, 2)
    )
    for x in (rows, explicit_zero):
        graph = Graph.empty(5, x=x)
        assert same_partition(refine(graph, 0, "features").labels.tolist(), [0, 1, 0, 2, 3])


@pytest.mark.parametrize("num_nodes", [0, 1, 5])
def test_graphs_without_edges_have_one_colour(num_nodes: int) -> None:
    found = refine(Graph.empty(num_nodes))
    assert found.labels.tolist() == [0] * num_nodes
    assert (found.num_colours, found.rounds, found.stable) == (min(num_nodes, 1), 0, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"rounds": -1}, "rounds must be 0 or more, not -1; leave it out for stable colours"),
        ({"threads": 0}, "threads must be at least 1, not 0; leave it out to use every core"),
        ({"initial": [1, 2]}, r"initial colours have shape \(2,\); give one value for each of the 3 nodes"),
        ({"initial": "colour"}, "unknown initial colours 'colour'; choose from degree, labels, features"),
        ({"initial": "labels"}, "graph has no labels to start from; give an array with a value per node"),
        ({"initial": [1.0, float("nan"), 2.0]}, "initial colours contain NaN, which equals nothing"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        refine(Graph.empty(3), **arguments)
