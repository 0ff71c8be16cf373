"""Weights of short walks, against powers of the normalised adjacency matrix."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.walks import _share_steps, _shared_first, short_walks, walking_work
from tests.oracles import graphs


def powers(graph: Graph, max_length: int) -> list[scipy.sparse.csr_array]:
    ones = np.ones(len(graph.indices))
    adjacency = scipy.sparse.csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)
    scale = scipy.sparse.diags_array(np.maximum(graph.degree, 1) ** -0.5)
    normalised = found = scipy.sparse.csr_array(scale @ adjacency @ scale)
    result = []
    for _ in range(max_length - 1):
        found = scipy.sparse.csr_array(found @ normalised)
        result.append(found)
    return result


@given(graph=graphs(), max_length=st.integers(2, 7))
def test_all_pairs_have_the_entries_of_the_powers(graph: Graph, max_length: int) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    expected = np.stack([power.toarray().ravel() for power in powers(graph, max_length)], axis=1)
    assert np.allclose(short_walks(graph, pairs, max_length=max_length), expected)


@pytest.mark.parametrize("name", ["pubmed", "yeast"])
def test_pairs_of_a_real_graph_have_the_entries_of_the_powers(name: str, data_dir) -> None:
    graph = load_graph(name, data_dir=data_dir)
    pairs = np.random.default_rng(0).integers(0, graph.num_nodes, (2000, 2))
    found = short_walks(graph, pairs, max_length=4)
    for column, power in enumerate(powers(graph, 4)):
        assert np.allclose(found[:, column], power[pairs[:, 0], pairs[:, 1]])
    assert np.array_equal(found, short_walks(graph, pairs, threads=1))
    assert np.allclose(found, short_walks(graph, pairs[:, ::-1]))


@pytest.mark.parametrize("second_steps", range(4))
def test_however_walkers_share_the_way_they_find_the_same(second_steps, monkeypatch) -> None:
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 60, (150, 2)))
    pairs = np.argwhere(np.ones((graph.num_nodes,) * 2))
    monkeypatch.setattr(f"{short_walks.__module__}._share_steps", lambda *_: second_steps)
    expected = np.stack([power.toarray().ravel() for power in powers(graph, 8)], axis=1)
    assert np.allclose(short_walks(graph, pairs, max_length=8), expected)


def test_walkers_of_shared_nodes_go_further() -> None:
    graph = Graph.from_edges([[i, i + 1] for i in range(5000)])
    alone, hundred = (_share_steps(graph, 8, pairs_per_first) for pairs_per_first in (1, 100))
    assert alone == 3 > hundred


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_pairs_are_turned_so_that_fewer_nodes_come_first(pairs: list[tuple[int, int]]) -> None:
    given_pairs = np.array(pairs, np.int32).reshape(-1, 2)
    turned = _shared_first(given_pairs.T, 6).T
    assert np.array_equal(np.sort(turned), np.sort(given_pairs))
    uses = np.bincount(turned.ravel(), minlength=6)
    assert (uses[turned[:, 0]] >= uses[turned[:, 1]]).all()


def test_no_pairs_have_no_walks() -> None:
    assert short_walks(Graph.empty(3), np.empty((0, 2), np.int64)).shape == (0, 3)


def test_dense_graphs_take_more_work_than_sparse_ones() -> None:
    path = Graph.from_edges([[i, i + 1] for i in range(50)])
    clique = Graph.from_edges([[i, j] for i in range(50) for j in range(i)])
    assert walking_work(path, 1, 4) < 20 < 1000 < walking_work(clique, 1, 4)


@pytest.mark.parametrize(("pairs", "length", "said"), [([[0, 9]], 4, "node 9"), ([[0, 1]], 1, "max_length")])
def test_bad_input_is_told(pairs, length, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        short_walks(Graph.empty(3), pairs, max_length=length)
