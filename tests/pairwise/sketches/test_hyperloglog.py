"""HyperLogLog sketches: the rarest hashes of neighbourhoods, which tell how large they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise._minhash_hyperloglog import SHIFT, hash_nodes, union_size, weigh_empty
from edgeorbit.pairwise.sketches import NeighbourhoodSketches
from tests.oracles import graphs
from tests.pairwise.sketches.balls import balls


@given(graph=graphs(), hops=st.integers(1, 4), hll_p=st.integers(4, 7))
def test_a_sketch_has_the_largest_ranks_of_its_neighbourhood(graph: Graph, hops: int, hll_p: int) -> None:
    registers = NeighbourhoodSketches(graph, hops=hops, minhash=1, hll_p=hll_p).registers
    places, ranks = hash_nodes(graph.num_nodes, hll_p, seed=0)
    for hop, row in enumerate(balls(graph, hops)):
        for node, ball in enumerate(row):
            expected = [0] * (1 << hll_p)
            for member in ball:
                expected[places[member]] = max(expected[places[member]], int(ranks[member]))
            assert registers[hop, node].tolist() == expected


def test_ranks_halve_from_one_to_the_next_and_registers_are_used_evenly() -> None:
    places, ranks = hash_nodes(1 << 18, 8, seed=0)
    assert ranks.min() == 1 and ranks.max() <= SHIFT
    for rank, number in enumerate(np.bincount(ranks)[1:9], 1):
        expected = (1 << 18) / 2**rank
        assert abs(number - expected) < 5 * np.sqrt(expected)
    assert np.abs(np.bincount(places, minlength=256) - 1024).max() < 5 * 32


def sketch_of(members: np.ndarray, p: int, seed: int) -> np.ndarray:
    places, ranks = hash_nodes(int(members.max()) + 1, p, seed)
    found = np.zeros(1 << p, np.uint8)
    np.maximum.at(found, places[members], ranks[members])
    return found


@pytest.mark.parametrize("p", [4, 8, 11])
@pytest.mark.parametrize("load", [0.05, 0.5, 1, 2.5, 5, 40])  # elements for each register, around all thresholds
def test_sizes_have_the_error_of_the_theory_and_hardly_a_bias(p: int, load: float) -> None:
    size = max(1, round(load * (1 << p)))
    weights = weigh_empty(p)
    errors = []
    for seed in range(60):
        sketch = sketch_of(np.arange(size), p, seed)
        errors.append(union_size(sketch, sketch, weights) / size - 1)
    bound, bias = 1.04 / np.sqrt(1 << p), 1.08 / (1 << p)  # ideal draws with few registers have that bias, too
    assert np.sqrt(np.mean(np.square(errors))) < 1.3 * bound + bias + 0.01
    assert abs(np.mean(errors)) < 4 * bound / np.sqrt(60) + bias + 0.005


@pytest.mark.parametrize("size", [5, 50, 400, 1000, 4000])
def test_the_error_is_no_larger_than_that_of_datasketch(size: int) -> None:
    datasketch = pytest.importorskip("datasketch")
    weights = weigh_empty(8)
    ours, theirs = [], []
    for seed in range(40):
        members = np.arange(size) + size * seed
        sketch = sketch_of(members, 8, seed)
        ours.append(union_size(sketch, sketch, weights) / size - 1)
        peer = datasketch.HyperLogLogPlusPlus(p=8)
        for member in members.tolist():
            peer.update(member.to_bytes(8, "little"))
        theirs.append(peer.count() / size - 1)
    assert np.abs(ours).mean() <= 1.3 * np.abs(theirs).mean() + 0.005


def test_the_union_is_that_of_merged_registers_in_either_order() -> None:
    first, second = (sketch_of(np.arange(low, low + 3000), 8, 0) for low in (0, 2000))
    weights = weigh_empty(8)
    merged = np.maximum(first, second)
    size = union_size(first, second, weights)
    assert size == union_size(second, first, weights) == union_size(merged, merged, weights)
    assert abs(size / 5000 - 1) < 4 * 0.065


def test_nothing_has_the_size_zero_and_one_element_the_size_one() -> None:
    for p in (4, 8, 16):
        empty = np.zeros(1 << p, np.uint8)
        assert union_size(empty, empty, weigh_empty(p)) == 0
        one = sketch_of(np.array([12]), p, 0)
        assert union_size(one, one, weigh_empty(p)) == pytest.approx(1, abs=0.06)
