"""Sketches of all neighbourhoods of a graph, and the overlaps of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise import sketches as module
from edgeorbit.pairwise.sketches import NeighbourhoodSketches, sketch_memory
from tests.oracles import graphs
from tests.pairwise.sketches.balls import ExactNeighbourhoods, random_graph


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_overlaps_have_the_error_of_the_theory(hops: int) -> None:
    graph = random_graph(800, 1600)
    pairs = np.concatenate([graph.edges[:200], np.random.default_rng(0).integers(0, 800, (200, 2))])
    exact = ExactNeighbourhoods(graph, hops)
    overlaps = exact.overlaps(pairs)
    size = exact.sizes[:, pairs]
    union = size[:, None, :, 0] + size[None, :, :, 1] - overlaps.transpose(1, 2, 0)
    union = union.transpose(2, 0, 1)
    jaccard = overlaps / union
    # Two independent factors: the share of matching hashes, and the size of the union.
    deviation = union * np.sqrt(jaccard * (1 - jaccard) / 128 + jaccard**2 * 1.04**2 / 256)
    found = [NeighbourhoodSketches(graph, hops=hops, seed=seed).overlaps(pairs) for seed in range(6)]
    some = overlaps > 0
    scores = np.stack([(one - overlaps)[some] / deviation[some] for one in found])
    assert np.sqrt(np.mean(scores**2)) < 1.15
    assert (np.abs(scores) > 4).mean() < 1e-3
    for one in found:
        assert (one[~some] == 0).all()  # what has no common node has no common hash


def test_sizes_and_overlaps_of_a_real_graph_are_near_the_exact_ones(data_dir) -> None:
    graph = load_graph("yeast", data_dir=data_dir)
    exact, sketches = ExactNeighbourhoods(graph, 2), NeighbourhoodSketches(graph)
    pairs = np.random.default_rng(0).integers(0, graph.num_nodes, (500, 2))
    assert np.sqrt(np.mean((sketches.sizes / exact.sizes - 1) ** 2)) < 1.15 * 0.065
    found, overlaps = sketches.overlaps(pairs), exact.overlaps(pairs)
    assert np.corrcoef(found.ravel(), overlaps.ravel())[0, 1] > 0.99


@given(graph=graphs(), hops=st.integers(1, 3), threads=st.integers(2, 4))
def test_threads_change_nothing(graph: Graph, hops: int, threads: int) -> None:
    first, second = (NeighbourhoodSketches(graph, hops=hops, minhash=9, hll_p=5, threads=n) for n in (1, threads))
    for name in ("minima", "registers", "sizes"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_threads_change_nothing_of_a_large_graph() -> None:
    graph = random_graph(20_000, 60_000)
    pairs = np.random.default_rng(0).integers(0, 20_000, (5_000, 2))
    first, second = (NeighbourhoodSketches(graph, threads=threads) for threads in (1, 3))
    for name in ("minima", "registers", "sizes"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert np.array_equal(first.overlaps(pairs, threads=1), second.overlaps(pairs, threads=3))


def test_the_seed_decides_the_sketches() -> None:
    graph = random_graph(50, 100)
    first, again, other = (NeighbourhoodSketches(graph, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.minima, again.minima) and np.array_equal(first.registers, again.registers)
    assert not np.array_equal(first.minima, other.minima) and not np.array_equal(first.registers, other.registers)


@given(graph=graphs(), hops=st.integers(1, 3))
def test_turning_a_pair_turns_its_overlaps_to_the_last_bit(graph: Graph, hops: int) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    sketches = NeighbourhoodSketches(graph, hops=hops)
    there, back = sketches.overlaps(pairs), sketches.overlaps(pairs[:, ::-1])
    assert np.array_equal(there, back.transpose(0, 2, 1))


def test_a_node_overlaps_with_itself_by_its_whole_neighbourhood() -> None:
    sketches = NeighbourhoodSketches(random_graph(100, 300), hops=3)
    found = sketches.overlaps(np.stack([np.arange(100)] * 2, axis=1))
    assert np.array_equal(np.diagonal(found, axis1=1, axis2=2), sketches.sizes.T)


def test_sketches_do_not_know_edges_that_the_graph_does_not_have() -> None:
    whole = random_graph(200, 600)
    train = Graph.from_edges(whole.edges[:400], 200, name="of another name")
    again = Graph.from_edges(whole.edges[:400][::-1, ::-1], 200)
    first, second, third = (NeighbourhoodSketches(graph) for graph in (train, again, whole))
    assert np.array_equal(first.minima, second.minima) and np.array_equal(first.registers, second.registers)
    assert not np.array_equal(first.minima, third.minima)


def test_graphs_without_nodes_edges_or_pairs_have_sketches() -> None:
    nothing = NeighbourhoodSketches(Graph.empty(0))
    assert nothing.sizes.shape == (2, 0) and nothing.overlaps(np.empty((0, 2), int)).shape == (0, 2, 2)
    isolated = NeighbourhoodSketches(Graph.empty(3))
    assert np.allclose(isolated.sizes, 1, atol=0.01)
    assert (isolated.overlaps([[0, 1], [2, 0]]) == 0).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hops": 0}, "hops must be at least 1, not 0"),
        ({"minhash": 0}, "minhash must be at least 1, not 0"),
        ({"hll_p": 3}, "hll_p must be from 4 to 16, not 3"),
        ({"hll_p": 17}, "hll_p must be from 4 to 16, not 17"),
        ({"seed": -1}, "a seed is a whole number from 0 to 2"),
        ({"threads": 0}, "threads must be at least 1"),
    ],
)
def test_sketches_of_no_sort_get_one_sentence(settings: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        NeighbourhoodSketches(Graph.empty(3), **settings)


def test_strange_nodes_are_told() -> None:
    with pytest.raises(InvalidParameterError, match="node 3"):
        NeighbourhoodSketches(Graph.empty(3)).overlaps([[0, 3]])


def test_sketches_that_do_not_fit_are_refused_with_a_way_out(monkeypatch) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: 1 << 20)
    with pytest.raises(LimitExceededError, match=r"--set minhash=64 or --set hll_p=7, or take fewer hops"):
        NeighbourhoodSketches(random_graph(1000, 2000))
    NeighbourhoodSketches(random_graph(1000, 2000), hops=1, minhash=16, hll_p=4)


def test_the_memory_that_is_asked_for_is_that_of_the_arrays() -> None:
    sketches = NeighbourhoodSketches(random_graph(1000, 2000), hops=3, minhash=30, hll_p=6)
    taken = sketches.minima.nbytes + sketches.registers.nbytes + sketches.sizes.nbytes
    assert taken == sketch_memory(1000, hops=3, minhash=30, hll_p=6)
