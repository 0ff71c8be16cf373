"""MinHash sketches: smallest hashes of neighbourhoods, whose matches estimate the Jaccard index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise._minhash_hyperloglog import Permutations
from edgeorbit.pairwise.sketches import NeighbourhoodSketches
from tests.oracles import graphs
from tests.pairwise.sketches.balls import balls, random_graph


def single_minima(num_nodes: int, minhash: int = 128, seed: int = 0) -> np.ndarray:
    """Return the hashes of every node alone: without edges, its neighbourhood is itself."""
    return NeighbourhoodSketches(Graph.empty(num_nodes), hops=1, minhash=minhash, seed=seed).minima[0]


@given(graph=graphs(), hops=st.integers(1, 4), minhash=st.integers(1, 40))
def test_a_sketch_has_the_smallest_hashes_of_its_neighbourhood(graph: Graph, hops: int, minhash: int) -> None:
    sketches = NeighbourhoodSketches(graph, hops=hops, minhash=minhash)
    hashes = single_minima(graph.num_nodes, minhash)
    for hop, row in enumerate(balls(graph, hops)):
        for node, ball in enumerate(row):
            assert np.array_equal(sketches.minima[hop, node], hashes[sorted(ball)].min(axis=0))


def test_every_hash_is_a_permutation() -> None:
    hashes = np.sort(single_minima(100_000, 8), axis=0)
    assert (np.diff(hashes.astype(np.int64), axis=0) > 0).all()
    assert (Permutations.draw(1000, seed=0).multipliers % 2 == 1).all()  # an even one maps some far numbers to the same


def test_hashes_are_spread_evenly_and_do_not_follow_each_other() -> None:
    hashes = single_minima(20_000, 16) / 2.0**32
    assert np.abs(hashes.mean(axis=0) - 0.5).max() < 5 / np.sqrt(12 * 20_000)
    correlation = np.corrcoef(hashes.T) - np.eye(16)
    assert np.abs(correlation).max() < 5 / np.sqrt(20_000)
    following = [np.corrcoef(hashes[:-1, i], hashes[1:, i])[0, 1] for i in range(16)]
    assert np.abs(following).max() < 5 / np.sqrt(20_000)


def jaccard_errors(found: np.ndarray, pairs: np.ndarray, sets: list[set[int]]) -> np.ndarray:
    exact = np.array([len(sets[u] & sets[v]) / len(sets[u] | sets[v]) for u, v in pairs])
    return (found[pairs[:, 0]] == found[pairs[:, 1]]).mean(axis=1) - exact


@pytest.fixture(scope="module")
def case() -> tuple[Graph, list[set[int]], np.ndarray]:
    graph = random_graph(300, 1200)
    return graph, balls(graph, 2)[1], np.random.default_rng(1).integers(0, 60, (400, 2))


def test_the_error_of_the_jaccard_index_is_that_of_the_theory(case) -> None:
    graph, sets, pairs = case
    exact = np.array([len(sets[u] & sets[v]) / len(sets[u] | sets[v]) for u, v in pairs])
    some = (exact > 0) & (exact < 1)
    scores = []
    for seed in range(10):
        errors = jaccard_errors(NeighbourhoodSketches(graph, seed=seed).minima[1], pairs, sets)
        scores.append(errors[some] / np.sqrt(exact[some] * (1 - exact[some]) / 128))
    assert 0.8 < np.sqrt(np.mean(np.square(scores))) < 1.2
    assert abs(np.mean(scores)) < 0.3  # no bias; pairs share nodes, so that their errors do not average out at once


def test_the_error_is_no_larger_than_that_of_datasketch(case) -> None:
    datasketch = pytest.importorskip("datasketch")
    graph, sets, pairs = case
    ours, theirs = [], []
    for seed in range(1, 7):
        ours.append(jaccard_errors(NeighbourhoodSketches(graph, seed=seed).minima[1], pairs, sets))
        named = [[node.to_bytes(8, "little") for node in ball] for ball in sets[:60]]
        made = datasketch.MinHash.bulk(named, num_perm=128, seed=seed)
        theirs.append(jaccard_errors(np.stack([one.hashvalues for one in made]), pairs, sets))
    assert np.abs(ours).mean() <= 1.3 * np.abs(theirs).mean()
