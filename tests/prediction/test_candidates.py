"""Candidates against brute force: lists of every node, their union, what they are certain to hold, and their bounds."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError, MissingExtraError
from edgeorbit.prediction import candidates as candidates_module
from edgeorbit.prediction import embedding_search
from edgeorbit.prediction.candidates import EMBEDDING, NEIGHBOURHOOD, Candidates, Neighbourhood, find_candidates
from edgeorbit.prediction.embedding_search import NOBODY, FixedPoint, inverted_file, nearest_non_neighbours
from oracles import graphs

Scores = dict[tuple[int, int], int]  # of pairs (u, v) with u < v that are no edges


def allocation(graph: Graph) -> Scores:
    """Resource allocation of all pairs at distance two, in units of 2^-40."""
    near = [set(graph.neighbours(v).tolist()) for v in range(graph.num_nodes)]
    found = {(u, v): sum(round(2**40 / len(near[w])) for w in near[u] & near[v]) for u, v in non_edges(graph)}
    return {pair: score for pair, score in found.items() if score}


def products(graph: Graph, embedding: np.ndarray) -> Scores:
    """Inner products of all pairs that are no edges, for embeddings of whole numbers."""
    rows = [[int(entry) for entry in row] for row in embedding]
    return {(u, v): sum(a * b for a, b in zip(rows[u], rows[v], strict=True)) for u, v in non_edges(graph)}


def non_edges(graph: Graph) -> list[tuple[int, int]]:
    edges = set(map(tuple, graph.edges.tolist()))
    return [(u, v) for u in range(graph.num_nodes) for v in range(u + 1, graph.num_nodes) if (u, v) not in edges]


def best_of_each(scores: Scores, num_nodes: int, per_node: int) -> set[tuple[int, int]]:
    """All pairs of which one node has the other among its best."""
    chosen = set()
    for node in range(num_nodes):
        own = [(-score, u + v - node) for (u, v), score in scores.items() if node in (u, v)]
        chosen |= {(min(node, other), max(node, other)) for _, other in sorted(own)[:per_node]}
    return chosen


def origins_by_pair(found: Candidates, size: int = 1 << 20) -> dict[tuple[int, int], int]:
    batches = list(found.batches(size))
    assert all(len(pairs) == len(origins) <= size for pairs, origins in batches)
    listed = [(u, v, int(o)) for pairs, origins in batches for (u, v), o in zip(pairs.tolist(), origins, strict=True)]
    by_pair = {(u, v): origin for u, v, origin in listed}
    assert len(by_pair) == len(listed) == len(found), "a pair comes twice"
    return by_pair


@st.composite
def embedded_graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    """A graph and an embedding of small whole numbers, which has many ties."""
    graph = draw(graphs(max_nodes=14))
    entry = st.integers(-3, 3)
    width = draw(st.integers(1, 3))
    rows = draw(
        st.lists(st.lists(entry, min_size=width, max_size=width), min_size=graph.num_nodes, max_size=graph.num_nodes)
    )
    return graph, np.array(rows, np.float32).reshape(graph.num_nodes, width)


def random_graph(num_nodes: int, num_edges: int, seed: int) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2)), num_nodes)


def clustered(num_nodes: int, clusters: int, width: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((clusters, width))
    noise = 0.3 * rng.standard_normal((num_nodes, width))
    return (centres[rng.integers(0, clusters, num_nodes)] + noise).astype(np.float32)


def lists_of(search, num_nodes: int) -> list[set[int]]:
    """The nodes that were found for every node, each of which is searched for once."""
    found: dict[int, set[int]] = {}
    for nodes, nearest in search:
        for node, row in zip(nodes.tolist(), nearest.tolist(), strict=True):
            assert node not in found
            chosen = [other for other in row if other != NOBODY]
            found[node] = set(chosen)
            assert len(found[node]) == len(chosen)
    return [found[node] for node in range(num_nodes)]


@given(graphs(), st.integers(1, 6))
def test_candidates_by_neighbourhood_are_the_best_of_each_node_by_resource_allocation(graph, per_node):
    expected = best_of_each(allocation(graph), graph.num_nodes, per_node)
    assert origins_by_pair(find_candidates(graph, per_node)) == dict.fromkeys(expected, NEIGHBOURHOOD)


@given(embedded_graphs(), st.integers(1, 5), st.integers(1, 9))
def test_candidates_with_an_embedding_are_the_best_by_either_measure_and_say_which(embedded, per_node, size):
    graph, embedding = embedded
    shared = best_of_each(allocation(graph), graph.num_nodes, per_node)
    near = best_of_each(products(graph, embedding), graph.num_nodes, per_node)
    expected = {pair: NEIGHBOURHOOD * (pair in shared) + EMBEDDING * (pair in near) for pair in shared | near}
    assert origins_by_pair(find_candidates(graph, per_node, embedding), size) == expected


@given(graphs())
def test_with_room_for_all_the_candidates_by_neighbourhood_are_all_pairs_at_distance_two(graph):
    assert set(origins_by_pair(find_candidates(graph, graph.num_nodes + 3))) == set(allocation(graph))


@given(embedded_graphs(), st.integers(1, 4))
def test_the_best_pairs_of_the_graph_are_candidates_up_to_twice_the_number_per_node(embedded, per_node):
    # A pair is left out only if both of its nodes have per_node better partners: 2 * per_node pairs, all different.
    graph, embedding = embedded
    found = origins_by_pair(find_candidates(graph, per_node, embedding))
    for scores in (allocation(graph), products(graph, embedding)):
        ranked = sorted(scores, key=lambda pair: (-scores[pair], pair))
        assert set(ranked[: 2 * per_node]) <= set(found)


def test_twice_the_number_per_node_is_the_most_that_is_certain():
    # 0 and 1 both have a better partner, 2 and 3, so the third best pair of all is left out.
    embedding = np.array([[3, 1, 0], [0, 1, 3], [3, 0, 0], [0, 0, 3]], np.float32)
    scores = products(Graph.empty(4), embedding)
    assert sorted(scores, key=lambda pair: -scores[pair])[:3] == [(0, 2), (1, 3), (0, 1)]
    assert set(origins_by_pair(find_candidates(Graph.empty(4), 1, embedding))) == {(0, 2), (1, 3)}


def test_candidates_do_not_depend_on_threads_or_blocks(monkeypatch):
    graph, embedding = random_graph(300, 1500, 0), clustered(300, 10, 8, 0)
    expected = find_candidates(graph, 7, embedding, threads=1)
    for threads in (2, 3, 8):
        found = find_candidates(graph, 7, embedding, threads=threads)
        for attribute in ("nodes", "indptr", "others", "origins"):
            assert np.array_equal(getattr(found, attribute), getattr(expected, attribute))
    alone = origins_by_pair(find_candidates(graph, 7))
    monkeypatch.setattr(embedding_search, "CELLS", 1000)
    monkeypatch.setattr(candidates_module, "ENTRIES", 50)
    assert origins_by_pair(find_candidates(graph, 7, embedding)) == origins_by_pair(expected)
    assert origins_by_pair(find_candidates(graph, 7)) == alone


def test_dense_and_sparse_rows_are_counted_alike():
    # Half of the nodes are reached from each other many times over, the others along a path.
    dense = np.argwhere(np.triu(np.random.default_rng(0).random((40, 40)) < 0.5, 1))
    path = np.stack([np.arange(39, 200), np.arange(40, 201)], axis=1)
    graph = Graph.from_edges(np.concatenate([dense, path]))
    assert set(origins_by_pair(find_candidates(graph, 4))) == best_of_each(allocation(graph), graph.num_nodes, 4)


def test_through_a_hub_a_node_reaches_only_those_that_follow_it():
    star = Graph.from_edges(np.stack([np.zeros(10, int), np.arange(1, 11)], axis=1))
    found = Neighbourhood(star, 10, max_passage=4).of(np.array([1, 5, 8, 10, 0], np.int32))
    assert [sorted(row[row != NOBODY].tolist()) for row in found] == [
        [2, 3, 4, 5],
        [6, 7, 8, 9],
        [1, 2, 9, 10],
        [1, 2, 3, 4],
        [],
    ]


@given(graphs(), st.integers(1, 6))
def test_the_bound_on_hubs_loses_no_pair_that_shares_another_neighbour(graph, max_passage):
    degree = graph.degree
    found = Neighbourhood(graph, graph.num_nodes, max_passage=max_passage)
    rows = found.of(np.arange(graph.num_nodes, dtype=np.int32)).tolist()
    for u, v in allocation(graph):
        common = np.intersect1d(graph.neighbours(u), graph.neighbours(v))
        if degree[common].min() <= max_passage:
            assert v in rows[u] and u in rows[v]


def test_a_hub_of_many_nodes_takes_bounded_work():
    leaves = 20_000
    star = Graph.from_edges(np.stack([np.zeros(leaves, int), np.arange(1, leaves + 1)], axis=1))
    found = find_candidates(star, 5)
    assert len(found) >= leaves * 5 / 2
    assert len(found.others) == leaves * 5


def test_the_search_of_all_pairs_finds_the_highest_inner_products():
    graph, embedding = random_graph(1500, 9000, 1), clustered(1500, 30, 24, 1)
    exact = embedding.astype(np.float64) @ embedding.astype(np.float64).T
    np.fill_diagonal(exact, -np.inf)
    exact[tuple(graph.edge_index)] = -np.inf
    found = lists_of(nearest_non_neighbours(graph, embedding, 20), 1500)
    assert found == [set(row.tolist()) for row in np.argsort(-exact, axis=1)[:, :20]]


def test_the_inverted_file_finds_most_of_the_highest_inner_products_of_clusters():
    graph, embedding = random_graph(4000, 9000, 2), clustered(4000, 50, 16, 2)
    exact = lists_of(nearest_non_neighbours(graph, embedding, 20), 4000)
    found = lists_of(nearest_non_neighbours(graph, embedding, 20, max_exhaustive=3999), 4000)
    assert all(len(row) == 20 for row in found)
    assert not any(set(graph.neighbours(node).tolist()) & row or node in row for node, row in enumerate(found))
    recall = np.mean([len(one & other) / 20 for one, other in zip(exact, found, strict=True)])
    assert 0.9 <= recall < 1  # below 1, because nodes are not compared with all others
    again = lists_of(nearest_non_neighbours(graph, embedding, 20, threads=1, max_exhaustive=3999), 4000)
    assert again == found


def test_the_inverted_file_compares_a_node_with_few_others():
    embedding = clustered(4000, 50, 16, 3)
    groups = list(inverted_file(embedding, FixedPoint(embedding), 20))
    assert sorted(node for group in groups for node in group.queries.tolist()) == list(range(4000))
    for group in groups:
        assert len(np.unique(group.members)) == len(group.members)
        assert np.isin(group.queries, group.members).all()
        assert 8 * 64 <= len(group.members) <= (8 + 4 + 1) * 64
    compared = sum(len(group.queries) * len(group.members) for group in groups)
    assert compared < 4000**2 / 4


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_embeddings_do_not_make_the_inverted_file_compare_all_pairs(value):
    embedding = np.full((4000, 3), value, np.float32)
    groups = list(inverted_file(embedding, FixedPoint(embedding), 5))
    assert sorted(node for group in groups for node in group.queries.tolist()) == list(range(4000))
    assert max(len(group.members) for group in groups) <= (8 + 4 + 1) * 64
    assert all(np.isin(group.queries, group.members).all() for group in groups)
    assert all(
        len(row) == 5
        for row in lists_of(nearest_non_neighbours(Graph.empty(4000), embedding, 5, max_exhaustive=0), 4000)
    )


@given(embedded_graphs(), st.integers(1, 5))
def test_the_inverted_file_of_few_nodes_misses_nothing_and_breaks_ties_alike(embedded, per_node):
    # Eight cells of average size are more than there are, so nodes are compared with all others, in another order.
    graph, embedding = embedded
    exact = lists_of(nearest_non_neighbours(graph, embedding, per_node), graph.num_nodes)
    assert lists_of(nearest_non_neighbours(graph, embedding, per_node, max_exhaustive=0), graph.num_nodes) == exact


def test_nodes_are_in_the_cell_of_the_nearest_centre():
    embedding = clustered(500, 10, 3, 4)
    fixed = FixedPoint(embedding)
    centres = fixed.of(embedding[:20])
    cell, length = embedding_search._assign(embedding, fixed, centres)
    difference = fixed.of(embedding)[:, None] - centres
    assert cell.tolist() == (difference**2).sum(axis=2).argmin(axis=1).tolist()
    assert np.array_equal(length, (fixed.of(embedding) ** 2).sum(axis=1))


def test_large_graphs_are_searched_by_the_inverted_file(monkeypatch):
    called = []

    def spy(*arguments):
        called.append(len(arguments[0]))
        return inverted_file(*arguments)

    monkeypatch.setattr(embedding_search, "inverted_file", spy)
    n = embedding_search.MAX_EXHAUSTIVE + 1
    next(nearest_non_neighbours(Graph.empty(n), clustered(n, 20, 2, 0), 3))
    assert called == [n]


@given(embedded_graphs(), st.integers(-100, 100))
def test_the_scale_of_an_embedding_does_not_matter(embedded, exponent):
    graph, embedding = embedded
    scaled = np.ldexp(embedding, exponent).astype(np.float32)
    assert origins_by_pair(find_candidates(graph, 2, scaled)) == origins_by_pair(find_candidates(graph, 2, embedding))


@pytest.mark.parametrize("width", [1, 3, 64, 1024])
def test_sums_of_products_of_fixed_point_numbers_are_exact(width):
    rng = np.random.default_rng(width)
    vectors = rng.uniform(-1, 1, (20, width)).astype(np.float32) * np.float32(7.3)
    vectors[:2] = np.abs(vectors).max()
    whole = FixedPoint(vectors).of(vectors)
    integers = [[int(entry) for entry in row] for row in whole]
    expected = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in integers] for one in integers]
    assert (whole @ whole.T).tolist() == expected
    assert max(max(row) for row in expected) <= 2**51
    assert np.abs(whole).max() >= 2**19
    assert np.allclose(whole / whole[0, 0], vectors / vectors[0, 0], rtol=0, atol=2**-19)


@pytest.mark.parametrize(
    ("shape", "phrase"),
    [((3, 2), r"\(3, 2\).*4 nodes"), ((4,), r"\(4,\)"), ((4, 0), r"\(4, 0\).*d at least 1"), ((5, 1), r"\(5, 1\)")],
)
def test_an_embedding_of_another_shape_is_refused(shape, phrase):
    with pytest.raises(InvalidParameterError, match=phrase):
        find_candidates(Graph.empty(4), embedding=np.zeros(shape, np.float32))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_an_embedding_that_is_not_finite_is_refused_and_the_node_named(value):
    embedding = np.zeros((4, 2), np.float32)
    embedding[2, 1] = value
    with pytest.raises(InvalidParameterError, match="node 2 is not finite"):
        find_candidates(Graph.empty(4), embedding=embedding)


def test_an_embedding_of_text_is_refused():
    with pytest.raises(InvalidParameterError, match="real numbers"):
        find_candidates(Graph.empty(1), embedding=np.array([["a"]]))


@pytest.mark.parametrize("per_node", [0, -1, 1.5])
def test_per_node_must_be_a_whole_number_from_1(per_node):
    with pytest.raises(InvalidParameterError, match=f"per_node .* not {per_node}"):
        find_candidates(Graph.empty(4), per_node)


def test_without_scikit_learn_large_graphs_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    search = nearest_non_neighbours(Graph.empty(9), np.ones((9, 1), np.float32), 1, max_exhaustive=8)
    with pytest.raises(MissingExtraError, match="pip install scikit-learn"):
        next(search)


@pytest.mark.parametrize("num_nodes", [0, 1, 2])
def test_tiny_graphs_have_the_candidates_they_can_have(num_nodes):
    assert len(find_candidates(Graph.empty(num_nodes))) == 0
    with_embedding = find_candidates(Graph.empty(num_nodes), embedding=np.ones((num_nodes, 1), np.float32))
    assert set(origins_by_pair(with_embedding)) == ({(0, 1)} if num_nodes == 2 else set())
