"""Every heuristic is its formula, as networkx or dense matrices compute it, and HeaRT's published figures come out."""

import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, to_networkx, to_scipy
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models import make_model
from edgeorbit.models.heuristics import Katz, PersonalisedPageRank
from oracles import graphs, relabelled

NAMES = ["cn", "aa", "ra", "jaccard", "katz", "ppr"]


def different_pairs(num_nodes: int) -> np.ndarray:
    return np.array([(u, v) for u in range(num_nodes) for v in range(num_nodes) if u != v], np.int64).reshape(-1, 2)


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("aa", nx.adamic_adar_index),
        ("ra", nx.resource_allocation_index),
        ("jaccard", nx.jaccard_coefficient),
        ("cn", lambda graph, pairs: [(u, v, len([*nx.common_neighbors(graph, u, v)])) for u, v in pairs]),
    ],
)
@settings(max_examples=30)
@given(graph=graphs(max_nodes=12))
def test_scores_of_the_neighbourhood_are_those_of_networkx(name: str, oracle: object, graph: Graph) -> None:
    pairs = different_pairs(graph.num_nodes)
    expected = [score for _, _, score in oracle(to_networkx(graph), pairs.tolist())]
    assert np.allclose(make_model(name).on(graph)(pairs), expected, rtol=1e-12, atol=1e-15)


@given(graph=graphs(), beta=st.sampled_from([0.005, 0.5]), max_length=st.integers(1, 5))
def test_katz_is_a_sum_of_matrix_powers(graph: Graph, beta: float, max_length: int) -> None:
    adjacency = to_scipy(graph).toarray().astype(np.float64)
    expected = sum(beta**length * np.linalg.matrix_power(adjacency, length) for length in range(1, max_length + 1))
    pairs = np.stack(np.divmod(np.arange(graph.num_nodes**2), graph.num_nodes), axis=1)
    found = Katz(beta=beta, max_length=max_length).on(graph)(pairs)
    assert np.allclose(found, expected.ravel(), rtol=1e-12, atol=0)


@settings(max_examples=30)
@given(graph=graphs(max_nodes=12), alpha=st.sampled_from([0.15, 0.5]))
def test_pagerank_adds_both_directions_of_networkx(graph: Graph, alpha: float) -> None:
    other = to_networkx(graph)
    ranks = [
        nx.pagerank(other, 1 - alpha, {node: 1}, tol=1e-12, max_iter=1000) for node in range(min(graph.num_nodes, 4))
    ]
    pairs = [(u, v) for u in range(len(ranks)) for v in range(len(ranks))]
    found = PersonalisedPageRank(alpha=alpha, tolerance=1e-6).on(graph)(pairs)
    assert np.allclose(found, [ranks[u][v] + ranks[v][u] for u, v in pairs], atol=1e-5 / max(1, len(graph.indices)))


@pytest.mark.parametrize("name", NAMES)
@given(graph=graphs(max_nodes=25, max_pairs=80), data=st.data())
def test_scores_depend_neither_on_numbers_of_nodes_nor_on_directions_nor_on_other_pairs(
    name: str, graph: Graph, data: st.DataObject
) -> None:
    # To the last bit: a heuristic that tells apart what is symmetric would be at odds with its own theory.
    permutation = np.array(data.draw(st.permutations(range(graph.num_nodes))))
    pairs = np.stack(np.divmod(np.arange(graph.num_nodes**2), graph.num_nodes), axis=1)
    model = make_model(name)
    scores = model.on(graph)(pairs)
    assert np.array_equal(model.on(relabelled(graph, permutation))(permutation[pairs]), scores)
    assert np.array_equal(model.on(graph)(pairs[:, ::-1]), scores)
    assert np.array_equal(model.on(graph)(pairs[len(pairs) // 2 :]), scores[len(pairs) // 2 :])
    assert scores.shape == (len(pairs),) and np.isfinite(scores).all() and (scores >= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_pairs_isolated_nodes_and_graphs_without_edges(name: str) -> None:
    model = make_model(name)
    graph = Graph.from_edges([[0, 1], [1, 2]], num_nodes=5)
    assert model.on(graph)(np.empty((0, 2), np.int64)).shape == (0,)
    assert model.on(graph)([[3, 4], [0, 3]]).tolist() == [0, 0]
    assert model.on(Graph.empty(3))(np.array([[0, 1], [2, 1]], np.int32)).tolist() == [0, 0]
    with pytest.raises(InvalidParameterError, match="pairs name node 5; graph has 5 nodes"):
        model.on(graph)([[0, 5]])


def test_a_node_with_itself_shares_all_its_neighbours() -> None:
    graph = Graph.from_edges([[0, 1], [0, 2], [1, 2], [0, 3]], num_nodes=5)
    pairs = [[0, 0], [4, 4]]
    assert make_model("cn").on(graph)(pairs).tolist() == [3, 0]
    assert make_model("jaccard").on(graph)(pairs).tolist() == [1, 0]
    assert np.allclose(make_model("aa").on(graph)(pairs), [2 / np.log(2), 0])  # node 3, of degree 1, counts 0
    assert make_model("ra").on(graph)(pairs).tolist() == [2, 0]


def test_the_scores_of_a_dense_graph_of_a_million_edges() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 4267, (1_000_000, 2), np.int32), 4267)
    pairs = rng.integers(0, 4267, (2000, 2))
    adjacency = to_scipy(graph).astype(np.float64)
    common = adjacency[pairs[:, 0]].multiply(adjacency[pairs[:, 1]]).tocsr()
    degree = graph.degree
    either = degree[pairs].sum(axis=1) - common.sum(axis=1)
    expected = {"cn": common.sum(axis=1), "aa": common @ (1 / np.log(degree)), "ra": common @ (1 / degree)}
    expected["jaccard"] = common.sum(axis=1) / either
    for name, scores in expected.items():
        assert np.allclose(make_model(name).on(graph)(pairs), scores, rtol=1e-9, atol=0)


def mean_reciprocal_rank(positive: np.ndarray, negative: np.ndarray) -> float:
    greater, ties = (negative > positive[:, None]).sum(axis=1), (negative == positive[:, None]).sum(axis=1)
    return float((1 / (1 + greater + ties / 2)).mean())


@pytest.mark.parametrize(("name", "own", "hard"), [("cn", 28.34, 8.42), ("aa", 29.37, 10.82), ("ra", 27.61, 10.84)])
def test_the_figures_that_heart_publishes_for_citeseer_come_out(
    name: str, own: float, hard: float, data_dir: Path
) -> None:
    folder = data_dir / "heart" / "citeseer"
    if not folder.is_dir():
        pytest.skip("the data directory has no heart/citeseer")
    edges, positives, negatives = (
        np.loadtxt(folder / f"{part}.txt", dtype=np.int64) for part in ("train_pos", "test_pos", "test_neg")
    )
    hard_negatives = np.load(folder / "heart_test_samples.npy")
    score = make_model(name).on(Graph.from_edges(edges, 3327))
    positive = score(positives)
    hard_scores = score(hard_negatives.reshape(-1, 2)).reshape(hard_negatives.shape[:2])
    assert round(100 * mean_reciprocal_rank(positive, score(negatives)[None]), 2) == own
    assert round(100 * mean_reciprocal_rank(positive, hard_scores), 2) == hard


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("katz", {"beta": 0}, "katz: beta must be above 0 and at most 1, not 0.0"),
        ("katz", {"beta": "nan"}, "katz: setting beta must be finite, not nan"),
        ("katz", {"max_length": 0}, "katz: max_length must be from 1 to 100, not 0"),
        ("ppr", {"alpha": 1}, "ppr: alpha must be from 0.001 to 0.999, not 1.0"),
        ("ppr", {"tolerance": 0}, "ppr: tolerance must be from 1e-06 to 1, not 0.0"),
        ("cn", {"beta": 1}, "cn has no setting 'beta'; its settings are: none"),
    ],
)
def test_settings_out_of_range_are_refused_in_one_sentence(name: str, wrong: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        make_model(name, **wrong)


def test_listing_the_heuristics_compiles_nothing_and_needs_no_torch() -> None:
    code = (
        "import sys; from edgeorbit.models import resolve_model\n"
        f"assert all(resolve_model(name).citation for name in {NAMES})\n"
        "assert not {'numba', 'torch', 'scipy', 'networkx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
