"""Walks go along edges, skip-gram is the textbook's, and DeepWalk brings together what lies together."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph
from oracles import graphs

pytest.importorskip("torch_geometric")
from edgeorbit.models.neural.deepwalk import deepwalk, negative_table, random_walks, train_skip_gram

QUICK = {"walks_per_node": 4, "walk_length": 10, "window": 3}
MASK = 2**64 - 1


@given(graphs(), st.integers(1, 12), st.integers(0, 5))
def test_walks_go_along_edges(graph: Graph, length: int, seed: int) -> None:
    starts = np.flatnonzero(graph.degree)
    walks = random_walks(graph, starts, length, seed)
    assert walks.shape == (len(starts), length) and np.array_equal(walks[:, 0], starts)
    edges = {tuple(edge) for edge in graph.edge_index.T.tolist()}
    assert {step for walk in walks.tolist() for step in pairwise(walk)} <= edges


def test_every_neighbour_is_as_likely_as_the_others() -> None:
    star = Graph.from_edges([[0, leaf] for leaf in range(1, 8)])
    counts = np.bincount(random_walks(star, np.zeros(70_000, np.int64), 2, seed=3)[:, 1])[1:]
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 22.5  # the 99.9th percentile of chi-square, 6 degrees of freedom


def test_the_table_of_negatives_holds_nodes_in_proportion() -> None:
    counts = np.random.default_rng(0).integers(0, 50, 300)
    share = np.bincount(negative_table(counts), minlength=300) / len(negative_table(counts))
    assert np.allclose(share, counts**0.75 / (counts**0.75).sum(), atol=1e-4)
    assert not share[counts == 0].any()


def naive_skip_gram(walks, vectors, contexts, table, window, negatives, rates, seed) -> None:
    """The same steps, by the definition."""
    state = seed

    def draw(bound: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 32) * bound >> 32

    for i, walk in enumerate(walks.tolist()):
        rate = rates[0] + (rates[1] - rates[0]) * i / len(walks)
        for place, centre in enumerate(walk):
            drawn = [table[draw(len(table))] for _ in range(negatives)]
            reach = 1 + draw(window)
            for other in range(len(walk)):
                if other == place or abs(other - place) > reach:
                    continue
                u = walk[other]
                change = np.zeros(vectors.shape[1])
                for v, label in [(centre, 1.0), *((v, 0.0) for v in drawn if v != centre)]:
                    error = rate * (label - 1 / (1 + math.exp(-vectors[u] @ contexts[v])))
                    change += error * contexts[v]
                    contexts[v] += error * vectors[u]
                vectors[u] += change


@given(st.integers(1, 19), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**40))
@settings(max_examples=25)
def test_skip_gram_makes_the_steps_of_the_definition(width: int, window: int, negatives: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    walks, table = rng.integers(0, 6, (8, 7)).astype(np.int32), rng.integers(0, 6, 50).astype(np.int32)
    vectors, contexts = rng.standard_normal((2, 6, width))
    ours = vectors.astype(np.float32), contexts.astype(np.float32)
    options = {"window": window, "negatives": negatives, "rates": (0.3, 0.1), "seed": seed}
    train_skip_gram(walks, *ours, table, **options)
    naive_skip_gram(walks, vectors, contexts, table, **options)
    assert np.allclose(ours[0], vectors, rtol=1e-3, atol=1e-3)
    assert np.allclose(ours[1], contexts, rtol=1e-3, atol=1e-3)


@given(graphs(), st.integers(1, 9), st.integers(0, 3))
@settings(max_examples=30)
def test_encodings_are_scaled_and_those_of_isolated_nodes_are_zero(graph: Graph, channels: int, seed: int) -> None:
    found = deepwalk(graph, channels, **QUICK, seed=seed)
    joined = graph.degree > 0
    assert found.shape == (graph.num_nodes, channels) and np.isfinite(found).all()
    assert not found[~joined].any()
    if joined.any():
        assert np.allclose(found[joined].mean(axis=0), 0, atol=1e-3)
        assert np.mean(found[joined] ** 2) == pytest.approx(1, rel=1e-3)


def test_the_seed_decides_the_encoding() -> None:
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 50, (120, 2)))
    first, again, other = (deepwalk(graph, 8, **QUICK, seed=seed) for seed in (4, 4, 5))
    assert np.array_equal(first, again) and not np.allclose(first, other)


def test_communities_of_a_large_graph_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(40), 25)
    inside = rng.integers(0, 25, (6000, 2)) + 25 * rng.integers(0, 40, (6000, 1))
    across = rng.integers(0, 1000, (1000, 2))
    graph = Graph.from_edges(np.concatenate([inside, across]), 1000)
    found = deepwalk(graph, 32, walks_per_node=10, walk_length=40, window=5, seed=0)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    likeness = found @ found.T
    same = block[:, None] == block
    assert likeness[same].mean() > 0.6 and abs(likeness[~same].mean()) < 0.1
