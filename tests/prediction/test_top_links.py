"""The likeliest links against brute force over all pairs."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.reading.read import read_graph
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
from edgeorbit.prediction.top_links import TopLinks, top_links
from oracles import graphs

module = import_module("edgeorbit.prediction.top_links")  # the module, also if the package exports the function

SIZES = st.integers(1, 250)


class Table:
    """A scorer that looks pairs up, and minds what it is asked."""

    def __init__(self, graph: Graph, scores: np.ndarray) -> None:
        self.graph, self.scores, self.asked = graph, scores, []

    def __call__(self, pairs: np.ndarray) -> np.ndarray:
        assert pairs.dtype == np.int64
        assert pairs.ndim == 2 and len(pairs) > 0
        self.asked += map(tuple, pairs.tolist())
        return self.scores[pairs[:, 0], pairs[:, 1]]

    def ranked(self) -> list[tuple[float, tuple[int, int]]]:
        """All non-edges with their scores, best first, by brute force."""
        edges = set(map(tuple, self.graph.edges.tolist()))
        n = self.graph.num_nodes
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if (u, v) not in edges]
        return sorted(((float(self.scores[pair]), pair) for pair in pairs), key=lambda entry: (-entry[0], entry[1]))


def listed(found: TopLinks) -> list[tuple[float, tuple[int, int]]]:
    assert found.pairs.dtype == np.int64
    assert found.pairs.shape == (len(found.scores), 2) == (len(found.source), 2)
    return [(score, (u, v)) for score, (u, v) in zip(found.scores.tolist(), found.pairs.tolist(), strict=True)]


@st.composite
def tables(draw: st.DrawFn, max_nodes: int = 20) -> Table:
    """Scores with many ties, some of them infinite."""
    graph = draw(graphs(max_nodes=max_nodes))
    values = draw(
        st.sampled_from([[0.0], [0.0, 1.0], [-np.inf, -1.5, 0.0, 2.0, np.inf], np.linspace(-3, 3, 50).tolist()])
    )
    seed = draw(st.integers(0, 2**32 - 1))
    scores = np.random.default_rng(seed).choice(values, (graph.num_nodes, graph.num_nodes))
    return Table(graph, scores.astype(draw(st.sampled_from([np.float32, np.float64]))))


def allocation(graph: Graph) -> np.ndarray:
    """Resource allocation of all pairs, in units of 2^-40, so that no rounding decides between pairs."""
    adjacency = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    adjacency[tuple(graph.edge_index)] = 1
    weights = np.array([round(2**40 / degree) if degree else 0 for degree in graph.degree.tolist()])
    return (adjacency * weights) @ adjacency


def random_graph(num_nodes: int, num_edges: int, seed: int) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2)), num_nodes)


@given(tables(), SIZES)
def test_exact_mode_is_brute_force(table, count):
    found = top_links(table, table.graph, count, exact=True)
    assert listed(found) == table.ranked()[:count]
    assert sorted(table.asked) == sorted(pair for _, pair in table.ranked())
    assert found.num_scored == len(table.asked)
    assert (found.source == "exact").all()


@given(tables(), SIZES, st.integers(1, 12))
def test_batches_and_buffers_of_any_size_give_the_same(table, count, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", size)
        patch.setattr(module, "SLACK", size)
        found = top_links(table, table.graph, count, exact=True)
    assert listed(found) == table.ranked()[:count]


@given(tables(), st.integers(1, 5), st.integers(1, 5))
def test_no_known_edge_no_self_pair_and_no_pair_twice_is_scored(table, count, per_node):
    embedding = np.random.default_rng(0).standard_normal((table.graph.num_nodes, 2)).astype(np.float32)
    found = top_links(table, table.graph, count, per_node=per_node, embedding=embedding)
    assert len(set(table.asked)) == len(table.asked) == found.num_scored
    assert set(table.asked) <= {pair for _, pair in table.ranked()}
    # Whatever was scored, the best of it is returned.
    assert listed(found) == [entry for entry in table.ranked() if entry[1] in set(table.asked)][:count]


@given(tables())
def test_if_fewer_non_edges_exist_all_of_them_are_returned(table):
    assert listed(top_links(table, table.graph, 1 + len(table.ranked()))) == table.ranked()


@given(tables(), SIZES)
def test_candidates_suffice_for_scorers_that_are_zero_beyond_distance_two(table, count):
    near = allocation(table.graph) > 0
    table.scores = np.where(near, np.abs(np.nan_to_num(table.scores, posinf=9, neginf=8)), 0)
    exact = [entry for entry in table.ranked()[:count] if entry[0] > 0]
    found = listed(top_links(table, table.graph, count, per_node=table.graph.num_nodes))
    assert [entry for entry in found if entry[0] > 0] == exact


@given(graphs(), st.integers(1, 12))
def test_lists_of_half_the_count_suffice_for_the_measure_they_are_made_by(graph, count):
    # What a pair needs to be missed: count / 2 better partners at both of its nodes, which are count better pairs.
    table = Table(graph, allocation(graph))
    exact = [entry for entry in table.ranked()[:count] if entry[0] > 0]
    found = listed(top_links(table, graph, count, per_node=(count + 1) // 2))
    assert [entry for entry in found if entry[0] > 0] == exact


@given(graphs(), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_the_same_holds_for_inner_products_of_embeddings(graph, count, seed):
    embedding = np.random.default_rng(seed).integers(-3, 4, (graph.num_nodes, 2)).astype(np.float32)
    table = Table(graph, embedding @ embedding.T)
    found = top_links(table, graph, count, per_node=(count + 1) // 2, embedding=embedding)
    assert listed(found) == table.ranked()[:count]


def test_fewer_candidates_than_asked_for_make_small_graphs_exact():
    matching = Graph.from_edges([[0, 1], [2, 3]])
    table = Table(matching, np.arange(16.0).reshape(4, 4))
    found = top_links(table, matching, 2)
    assert listed(found) == [(7.0, (1, 3)), (6.0, (1, 2))]
    assert found.source.tolist() == ["exact", "exact"]


def test_fewer_candidates_than_asked_for_are_all_there_is_in_large_graphs(monkeypatch):
    monkeypatch.setattr(module, "FEW", 5)
    path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])  # has 6 non-edges, 3 of them at distance two
    table = Table(path, np.ones((5, 5)))
    assert top_links(table, path, 5).pairs.tolist() == [[0, 2], [1, 3], [2, 4]]
    assert len(top_links(table, path, 6).pairs) == 6
    monkeypatch.setattr(module, "FEW", 6)
    assert len(top_links(table, path, 5).pairs) == 5


def test_every_link_says_where_it_comes_from():
    path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]])
    embedding = np.array([[3, 0], [0, 5], [0, 0], [0, 5], [2, 0]], np.float32)
    table = Table(path, np.arange(25.0).reshape(5, 5))
    # By neighbourhood, 2 chooses 0 of its equals 0 and 4, but 4 chooses 2; by embedding 0 and 4 choose each other.
    found = top_links(table, path, 4, per_node=1, embedding=embedding)
    assert found.pairs.tolist() == [[2, 4], [1, 3], [0, 4], [0, 2]]
    assert found.source.tolist() == ["neighbourhood", "both", "embedding", "both"]
    assert set(top_links(table, path, 3).source) == {"neighbourhood"}


@pytest.mark.parametrize("exact", [True, False])
def test_threads_do_not_change_the_result_and_a_second_call_gives_the_same(exact):
    graph = random_graph(400, 2000, 0)
    embedding = np.random.default_rng(1).standard_normal((400, 8)).astype(np.float32)

    def score(pairs: np.ndarray) -> np.ndarray:
        return np.rint(3 * (embedding[pairs[:, 0]] * embedding[pairs[:, 1]]).sum(axis=1))

    first, *others = (
        top_links(score, graph, 50, exact=exact, embedding=embedding, per_node=9, threads=threads)
        for threads in (1, 1, 2, 5)
    )
    assert len(np.unique(first.scores)) < 50, "there are ties to break"
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("exact", [True, False])
def test_progress_counts_the_pairs_up_to_their_number(exact, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 100)
    graph, seen = random_graph(60, 200, 0), []
    table = Table(graph, np.zeros((60, 60)))
    found = top_links(table, graph, 5, exact=exact, progress=lambda done, total: seen.append((done, total)))
    done = [one for one, _ in seen]
    assert done == sorted(set(done)) and len(done) > 3
    assert seen[-1] == (found.num_scored, found.num_scored)
    assert {total for _, total in seen} == {found.num_scored}


@pytest.mark.parametrize("num_nodes", [0, 1])
def test_graphs_without_pairs_have_no_links(num_nodes):
    for exact in (True, False):
        found = top_links(lambda pairs: 1 / 0, Graph.empty(num_nodes), 3, exact=exact)
        assert found.pairs.shape == (0, 2) and found.num_scored == 0 and len(found.source) == 0


def test_complete_graphs_have_no_links():
    triangle = Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    assert len(top_links(lambda pairs: 1 / 0, triangle, 3).pairs) == 0


@pytest.mark.parametrize("count", [0, -5, 2.5])
def test_count_must_be_a_whole_number_from_1(count):
    with pytest.raises(InvalidParameterError, match=f"count .* not {count}"):
        top_links(len, Graph.empty(3), count)


def test_per_node_must_be_at_least_1():
    with pytest.raises(InvalidParameterError, match=r"per_node .* not 0"):
        top_links(len, Graph.empty(3), 1, per_node=0)


@pytest.mark.parametrize("embedding", [np.zeros((2, 2)), np.full((3, 2), np.nan)])
def test_embeddings_that_do_not_fit_are_refused(embedding):
    with pytest.raises(InvalidParameterError, match="embedding"):
        top_links(len, Graph.empty(3), 1, embedding=embedding)


@pytest.mark.parametrize(
    ("score", "phrase"),
    [
        (lambda pairs: np.where(pairs[:, 1] == 2, np.nan, 1.0), "NaN to nodes 0 and 2"),
        (lambda pairs: np.ones(len(pairs) + 1), r"shape \(4,\) for 3 pairs"),
        (lambda pairs: np.ones((len(pairs), 1)), r"shape \(3, 1\) for 3 pairs"),
        (lambda pairs: 1.0, r"shape \(\) for 3 pairs"),
        (lambda pairs: np.array(["high"] * len(pairs)), "<U4"),
        (lambda pairs: np.full(len(pairs), 1j), "complex128"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(score, phrase):
    with pytest.raises(InvalidParameterError, match=phrase):
        top_links(score, Graph.empty(3), 1)


def test_in_a_large_graph_candidates_find_what_scoring_all_pairs_finds(data_dir):
    graph = read_graph(data_dir / "ogb" / "ogbl_ddi" / "raw" / "edge.csv.gz")
    weights = 1 / np.maximum(graph.degree, 1)

    def score(pairs: np.ndarray) -> np.ndarray:
        return np.round(common_neighbour_sums(graph, pairs, weights), 9)

    found = top_links(score, graph, 100, per_node=60)
    exact = top_links(score, graph, 100, exact=True)
    assert exact.num_scored == 4267 * 4266 // 2 - 1_067_911
    assert found.num_scored < exact.num_scored / 20
    assert listed(found) == listed(exact)
    edges = {tuple(edge) for edge in graph.edges.tolist()}
    assert not edges & {tuple(pair) for pair in found.pairs.tolist()}
