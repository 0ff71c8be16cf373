"""Structure features: the counts of nodes by their distances from a pair, against networkx."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.sketches import (
    NeighbourhoodSketches,
    StructureCounts,
    num_structure_features,
    structure_counts,
    structure_features,
)
from tests.oracles import graphs
from tests.pairwise.sketches.balls import ExactNeighbourhoods, distances, random_graph


def count(graph: Graph, pairs: np.ndarray, hops: int) -> StructureCounts:
    """Look at every node of every pair; a node is 1 from itself."""
    near = distances(graph, hops)
    joint, alone = np.zeros((len(pairs), hops, hops)), np.zeros((len(pairs), 2, hops))
    for i, (u, v) in enumerate(pairs):
        for node in near[u].keys() | near[v].keys():
            du, dv = (max(1, near[end][node]) if node in near[end] else None for end in (u, v))
            if du is not None and dv is not None:
                joint[i, du - 1, dv - 1] += 1
            elif du is not None:
                alone[i, 0, du - 1] += 1
            else:
                alone[i, 1, dv - 1] += 1
    return StructureCounts(joint, alone)


@given(graph=graphs(), hops=st.integers(1, 4))
def test_exact_neighbourhoods_give_exact_counts(graph: Graph, hops: int) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    found = structure_counts(ExactNeighbourhoods(graph, hops), pairs)  # type: ignore[arg-type]
    expected = count(graph, pairs, hops)
    assert np.array_equal(found.joint, expected.joint) and np.array_equal(found.alone, expected.alone)


@pytest.mark.parametrize("hops", [2, 3])
def test_counts_from_sketches_are_right_on_average(hops: int) -> None:
    graph = random_graph(500, 900)
    pairs = np.concatenate([graph.edges[:150], np.random.default_rng(0).integers(0, 500, (150, 2))])
    expected = count(graph, pairs, hops)
    found = [structure_counts(NeighbourhoodSketches(graph, hops=hops, seed=seed), pairs) for seed in range(24)]
    size = ExactNeighbourhoods(graph, hops).sizes[-1][pairs].max(axis=1)  # errors are a share of what is subtracted
    for name in ("joint", "alone"):
        errors = np.stack([getattr(one, name) for one in found]) - getattr(expected, name)
        relative = errors.reshape(24, len(pairs), -1) / size[None, :, None]
        assert np.sqrt(np.mean(relative**2)) < 0.1
        assert np.abs(relative.mean(axis=0)).max() < 6 * 0.15 / np.sqrt(24)


@given(graph=graphs(), hops=st.integers(1, 3), zero_one=st.booleans())
def test_features_do_not_depend_on_the_order_of_a_pair(graph: Graph, hops: int, zero_one: bool) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    sketches = NeighbourhoodSketches(graph, hops=hops)
    there, back = (
        structure_features(structure_counts(sketches, ends), zero_one=zero_one) for ends in (pairs, pairs[:, ::-1])
    )
    assert np.array_equal(there, back)
    assert there.shape[1] == num_structure_features(hops, zero_one=zero_one)


@given(hops=st.integers(1, 4), zero_one=st.booleans(), seed=st.integers(0, 100))
def test_features_tell_the_counts_up_to_the_order_of_the_pair(hops: int, zero_one: bool, seed: int) -> None:
    generator = np.random.default_rng(seed)
    joint, alone = generator.integers(0, 50, (1, hops, hops)), generator.integers(0, 50, (1, 2, hops))
    found = structure_features(StructureCounts(joint.astype(float), alone.astype(float)), zero_one=zero_one)
    kept = alone if zero_one else alone[:, :, -1:]
    told = [joint[0, i, i] for i in range(hops)]
    told += [
        op(joint[0, i, j], joint[0, j, i]) for op in (sum_of, gap) for i in range(hops) for j in range(i + 1, hops)
    ]
    told += [op(*ends) for op in (sum_of, gap) for ends in zip(*kept[0], strict=True)]
    assert found[0].tolist() == told


def sum_of(first: int, second: int) -> int:
    return int(first + second)


def gap(first: int, second: int) -> int:
    return abs(int(first) - int(second))


@pytest.mark.parametrize("hops", [2, 3])
def test_what_is_left_out_is_what_a_link_alone_sets_to_zero(hops: int) -> None:
    graph = random_graph(200, 300)
    linked = count(graph, graph.edges, hops).alone
    assert (linked[:, :, :-1] == 0).all() and linked[:, :, -1].any()
    strangers = count(graph, np.random.default_rng(1).integers(0, 200, (300, 2)), hops).alone
    assert strangers[:, :, 0].any()
    counts = structure_counts(NeighbourhoodSketches(graph, hops=hops), graph.edges)
    other = StructureCounts(counts.joint, counts.alone.copy())
    other.alone[:, :, :-1] += 7
    assert np.array_equal(structure_features(counts), structure_features(other))
    assert not np.array_equal(structure_features(counts, zero_one=True), structure_features(other, zero_one=True))


def test_in_a_complete_graph_every_node_is_next_to_both() -> None:
    complete = Graph.from_edges([[i, j] for i in range(40) for j in range(i)])
    sketches = NeighbourhoodSketches(complete)
    joint, alone = structure_counts(sketches, complete.edges)
    assert np.array_equal(joint[:, 0, 0], sketches.sizes[0, complete.edges[:, 0]])
    assert sketches.sizes == pytest.approx(40, rel=0.15)
    assert (joint.reshape(-1, 4)[:, 1:] == 0).all() and (alone == 0).all()


def test_isolated_nodes_have_only_themselves() -> None:
    sketches = NeighbourhoodSketches(Graph.from_edges([[0, 1]], num_nodes=4))
    joint, alone = structure_counts(sketches, [[2, 3], [3, 3], [0, 2]])
    assert (joint[0] == 0).all() and np.allclose(alone[0], [[1, 0], [1, 0]], atol=0.01)
    assert np.allclose(joint[1], [[1, 0], [0, 0]], atol=0.01) and (alone[1] == 0).all()
    assert (joint[2] == 0).all() and np.allclose(alone[2], [[2, 0], [1, 0]], atol=0.02)


def test_no_pairs_have_no_features() -> None:
    counts = structure_counts(NeighbourhoodSketches(Graph.empty(0), hops=3), np.empty((0, 2), int))
    assert counts.joint.shape == (0, 3, 3) and counts.alone.shape == (0, 2, 3)
    assert structure_features(counts).shape == (0, num_structure_features(3))
