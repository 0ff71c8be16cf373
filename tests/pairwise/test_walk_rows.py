"""Weighted walks as rows, against powers of the adjacency matrix."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise import overlaps as module
from edgeorbit.pairwise.overlaps import WalkRows, walk_rows
from tests.oracles import graphs


def summed_powers(graph: Graph, hops: int, beta: float) -> scipy.sparse.csr_array:
    ones = np.ones(len(graph.indices))
    adjacency = scipy.sparse.csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)
    power, total = adjacency, adjacency.copy()
    for step in range(1, hops):
        power = power @ adjacency
        total = total + beta**step * power
    return scipy.sparse.csr_array(total)


def as_scipy(rows: WalkRows) -> scipy.sparse.csr_array:
    size = len(rows.indptr) - 1
    return scipy.sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=(size, size))


@given(graph=graphs(), hops=st.integers(1, 4), beta=st.sampled_from([0.1, 0.5, 1.0, 3.0]))
def test_rows_are_the_sum_of_the_powers(graph: Graph, hops: int, beta: float) -> None:
    rows = walk_rows(graph, hops=hops, beta=beta)
    expected = summed_powers(graph, hops, beta).toarray()
    assert np.allclose(as_scipy(rows).toarray(), expected, rtol=1e-5)
    assert len(rows.values) == np.count_nonzero(expected)
    assert as_scipy(rows).has_sorted_indices


@pytest.mark.parametrize(("name", "hops"), [("pubmed", 2), ("yeast", 2), ("power", 4)])
def test_rows_of_a_real_graph_are_those_of_scipy_however_many_threads_there_are(name, hops, data_dir) -> None:
    graph = load_graph(name, data_dir=data_dir)
    rows = walk_rows(graph, hops=hops, threads=3)
    difference = as_scipy(rows) - summed_powers(graph, hops, 0.1)
    assert abs(difference).max() < 1e-3
    for there, here in zip(rows, walk_rows(graph, hops=hops, threads=1), strict=True):
        assert np.array_equal(there, here)


def test_nodes_without_edges_have_empty_rows() -> None:
    assert walk_rows(Graph.empty(3)).indptr.tolist() == [0, 0, 0, 0]
    assert walk_rows(Graph.empty(0)).indptr.tolist() == [0]


def test_rows_that_do_not_fit_are_refused_before_they_are_written(monkeypatch) -> None:
    star = Graph.from_edges([[0, i] for i in range(1, 101)], name="star")
    monkeypatch.setattr(module, "available_memory", lambda: 8 * 10_201)
    assert len(walk_rows(star).values) == 10_201  # all pairs: of leaves by two steps, of a leaf and the hub by one
    monkeypatch.setattr(module, "available_memory", lambda: 8 * 10_201 - 1)
    with pytest.raises(LimitExceededError, match=r"star: walks of up to 2 steps join 10201 pairs .* lower hops"):
        walk_rows(star)
    assert len(walk_rows(star, hops=1).values) == 200
    with pytest.raises(LimitExceededError, match="up to 1 steps"):
        walk_rows(star, hops=1, bytes_per_entry=1000)


@pytest.mark.parametrize(
    ("options", "said"), [({"hops": 0}, "hops"), ({"beta": 0}, "beta"), ({"beta": float("nan")}, "beta")]
)
def test_bad_input_is_told(options, said) -> None:
    with pytest.raises(InvalidParameterError, match=f"{said} must be"):
        walk_rows(Graph.empty(3), **options)
