"""Common neighbours are those that sets, scipy and bit vectors find, by whichever way they are looked for."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, to_scipy
from edgeorbit.errors import InvalidParameterError
from edgeorbit.pairwise import common_neighbours as module
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums, common_neighbours
from oracles import graphs


def lists_of(graph: Graph, pairs: np.ndarray, **options: int) -> list[list[int]]:
    indptr, indices = common_neighbours(graph, pairs, **options)
    assert indptr.dtype == np.int64 and indices.dtype == np.int32 and indptr[0] == 0 and indptr[-1] == len(indices)
    return [indices[low:high].tolist() for low, high in pairwise(indptr)]


def sets_of(graph: Graph, pairs: np.ndarray) -> list[list[int]]:
    return [sorted(set(graph.neighbours(u).tolist()) & set(graph.neighbours(v).tolist())) for u, v in pairs.tolist()]


def with_hubs(seed: int, num_nodes: int, num_edges: int, hubs: int) -> Graph:
    """A random graph in which a few nodes are adjacent to most others."""
    rng = np.random.default_rng(seed)
    edges = [rng.integers(0, num_nodes, (num_edges, 2))]
    for hub in rng.integers(0, num_nodes, hubs):
        spokes = np.flatnonzero(rng.random(num_nodes) < 0.8)
        edges.append(np.stack([np.full(len(spokes), hub), spokes], axis=1))
    return Graph.from_edges(np.concatenate(edges), num_nodes)


@given(graph=graphs(), data=st.data())
def test_lists_are_intersections_of_neighbourhoods(graph: Graph, data: st.DataObject) -> None:
    node = st.integers(0, graph.num_nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=30)), np.int64).reshape(-1, 2)
    weights = np.arange(graph.num_nodes) - 3.5
    expected = sets_of(graph, pairs)
    assert lists_of(graph, pairs) == expected
    assert common_neighbour_sums(graph, pairs).tolist() == [len(nodes) for nodes in expected]
    assert common_neighbour_sums(graph, pairs, weights).tolist() == [weights[nodes].sum() for nodes in expected]
    several = np.stack([np.ones(graph.num_nodes), weights, -weights], axis=1)
    assert common_neighbour_sums(graph, pairs, several).tolist() == [
        several[nodes].sum(axis=0).tolist() for nodes in expected
    ]


@given(seed=st.integers(0, 10_000), num_nodes=st.integers(50, 400), density=st.integers(0, 40), hubs=st.integers(0, 4))
def test_hubs_and_dense_graphs_agree_with_scipy(seed: int, num_nodes: int, density: int, hubs: int) -> None:
    graph = with_hubs(seed, num_nodes, density * num_nodes, hubs)
    pairs = np.random.default_rng(seed).integers(0, num_nodes, (300, 2))
    if seed % 2:  # runs of one source, as ranking has them
        pairs[:, 0] = np.repeat(pairs[:10, 0], 30)
    adjacency = to_scipy(graph).astype(np.float64)
    product = adjacency[pairs[:, 0]].multiply(adjacency[pairs[:, 1]]).tocsr()
    product.sort_indices()
    indptr, indices = common_neighbours(graph, pairs)
    assert np.array_equal(indptr, product.indptr) and np.array_equal(indices, product.indices)
    weights = np.random.default_rng(seed).random(num_nodes)
    assert np.allclose(common_neighbour_sums(graph, pairs, weights), product @ weights, rtol=1e-12)


@pytest.mark.parametrize("more", [1, 3, 40, 2000])
@pytest.mark.parametrize("size", [1, 7, 60])
def test_each_way_of_looking_finds_the_same_from_either_side(size: int, more: int) -> None:
    # Two nodes with `size` and `more * size` neighbours, of which some are common: merged, marked or searched.
    rng = np.random.default_rng(size)
    many = rng.choice(np.arange(2, 2 * more * size + 5), more * size, replace=False)
    few = np.unique(np.append(rng.choice(many, (size + 1) // 2), rng.integers(2, 2 * more * size + 5, size // 2)))
    edges = [np.stack([np.full(len(nodes), end), nodes], axis=1) for end, nodes in ((0, few), (1, many))]
    graph = Graph.from_edges(np.concatenate(edges))
    for pairs in ([[0, 1]], [[1, 0]], [[1, 1], [1, 0], [0, 1], [0, 0], [1, 0]], [[0, 1], [1, 0], [1, 1], [1, 0]]):
        assert lists_of(graph, np.array(pairs)) == sets_of(graph, np.array(pairs))
        assert len(sets_of(graph, np.array([[0, 1]]))[0]) > 0


def test_a_search_stops_at_the_end_of_a_hub() -> None:
    # Behind the neighbours of hub 100 lies the one of node 101, which is the one that is looked for.
    spokes = [(100, leaf) for leaf in range(100)]
    graph = Graph.from_edges([*spokes, (101, 103), (102, 103)])
    assert lists_of(graph, np.array([[102, 100], [100, 102], [101, 102]])) == [[], [], [103]]


def test_a_graph_as_dense_as_ogbl_ddi_agrees_with_bit_vectors_and_scipy() -> None:
    rng = np.random.default_rng(0)
    num_nodes, num_pairs = 4267, 100_000
    graph = Graph.from_edges(rng.integers(0, num_nodes, (1_000_000, 2), np.int32), num_nodes)
    pairs = rng.integers(0, num_nodes, (num_pairs, 2))
    adjacency = to_scipy(graph)
    bits = np.packbits(adjacency.toarray().astype(bool), axis=1)
    expected = np.bitwise_count(bits[pairs[:, 0]] & bits[pairs[:, 1]]).sum(axis=1, dtype=np.int64)
    assert np.array_equal(common_neighbour_sums(graph, pairs), expected)
    indptr, indices = common_neighbours(graph, pairs)
    assert np.array_equal(np.diff(indptr), expected)
    some = pairs[:2000]
    product = adjacency[some[:, 0]].multiply(adjacency[some[:, 1]]).tocsr()
    assert np.array_equal(indices[: indptr[2000]], product.indices)
    weights = 1 / np.log(graph.degree)
    assert np.allclose(common_neighbour_sums(graph, some, weights), product @ weights, rtol=1e-12)


def test_a_graph_beyond_the_cache_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 50_000, (300_000, 2)) // 3, 50_000)
    pairs = graph.edges[rng.choice(graph.num_edges, 20_000)]
    adjacency = to_scipy(graph).astype(np.float64)
    expected = adjacency[pairs[:, 0]].multiply(adjacency[pairs[:, 1]]).sum(axis=1)
    assert expected.max() > 0
    assert np.array_equal(common_neighbour_sums(graph, pairs), expected)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_number_of_threads_does_not_show(threads: int) -> None:
    graph = with_hubs(5, 2000, 60_000, 3)
    rng = np.random.default_rng(2)
    pairs, weights = rng.integers(0, 2000, (30_000, 2)), rng.random(2000)
    assert len(module._plan(graph, module.check_pairs(graph, pairs), threads).ranges) == threads
    alone, shared = common_neighbours(graph, pairs, threads=1), common_neighbours(graph, pairs, threads=threads)
    assert all(np.array_equal(a, b) for a, b in zip(alone, shared, strict=True))
    sums = [common_neighbour_sums(graph, pairs, weights, threads=count) for count in (1, threads)]
    assert np.array_equal(*sums)


def test_pairs_may_come_in_any_layout_and_integer_type() -> None:
    graph = with_hubs(7, 60, 300, 1)
    pairs = np.random.default_rng(3).integers(0, 60, (50, 2))
    expected = common_neighbour_sums(graph, pairs)
    wide = np.zeros((100, 4), np.int32)
    wide[::2, 1:3] = pairs
    layouts = [pairs.astype(np.int32), pairs.astype(np.uint8), np.asfortranarray(pairs), pairs.tolist(), wide[::2, 1:3]]
    layouts.append(pairs[:, ::-1])  # a view that runs backwards; the sums are symmetric
    for layout in layouts:
        assert np.array_equal(common_neighbour_sums(graph, layout), expected)
    assert np.array_equal(common_neighbour_sums(graph, pairs[::-1]), expected[::-1])


def test_many_pairs_are_taken_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = with_hubs(8, 60, 300, 1)
    pairs = np.random.default_rng(4).integers(0, 60, (50, 2))
    whole = common_neighbour_sums(graph, pairs)
    monkeypatch.setattr(module, "BATCH", 7)
    assert np.array_equal(common_neighbour_sums(graph, pairs), whole)


@pytest.mark.parametrize("pairs", [[], np.empty((0, 2), np.int64)])
def test_no_pairs_have_no_common_neighbours(pairs: object) -> None:
    for graph in (Graph.from_edges([[0, 1]]), Graph.empty(0)):
        assert common_neighbour_sums(graph, pairs).shape == (0,)
        indptr, indices = common_neighbours(graph, pairs)
        assert indptr.tolist() == [0] and len(indices) == 0


def test_isolated_nodes_and_a_node_with_itself() -> None:
    graph = Graph.from_edges([[0, 1], [0, 2]], num_nodes=5)
    assert lists_of(graph, np.array([[3, 4], [0, 3], [3, 3], [0, 0], [1, 1], [1, 2]])) == [[], [], [], [1, 2], [0], [0]]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 3]], "pairs name node 3; triangle has 3 nodes, numbered from 0"),
        ([[0, -1]], "pairs name node -1; triangle has 3 nodes"),
        ([0, 1], r"pairs have shape \(2,\); give one pair per row"),
        ([[0, 1, 2], [0, 1, 2]], r"pairs have shape \(2, 3\)"),
        ([[0.0, 1.0]], "pairs are of type float64; give whole numbers"),
    ],
)
def test_bad_pairs_are_refused_in_one_sentence(pairs: list, message: str) -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 0]], name="triangle")
    for function in (common_neighbours, common_neighbour_sums):
        with pytest.raises(InvalidParameterError, match=message):
            function(graph, pairs)


def test_there_is_one_weight_per_node() -> None:
    with pytest.raises(InvalidParameterError, match=r"weights have shape \(2,\); give one for each of the 3 nodes"):
        common_neighbour_sums(Graph.empty(3), [[0, 1]], [1.0, 2.0])


def test_memory_grows_with_the_pairs_and_not_with_the_square_of_the_nodes() -> None:
    import tracemalloc

    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 200_000, (400_000, 2)))
    pairs = np.random.default_rng(1).integers(0, 200_000, (1000, 2))
    common_neighbours(graph, pairs, threads=1)
    tracemalloc.start()
    common_neighbours(graph, pairs, threads=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e6  # numpy's share; the kernel's own is a byte per node
