"""Rounded weights add up to the same number in every order, and hardly differ from what they were."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.pairwise.triangles import round_for_exact_sums
from oracles import graphs

WEIGHTS = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(graph=graphs(max_nodes=30, max_pairs=120), data=st.data())
def test_sums_over_any_neighbours_are_exact(graph: Graph, data: st.DataObject) -> None:
    size = graph.num_nodes
    weights = np.array(data.draw(st.lists(WEIGHTS, min_size=size, max_size=size)))
    rounded = round_for_exact_sums(graph, weights)
    largest = max(np.abs(weights[graph.neighbours(node)]).sum() for node in range(size))
    near = np.zeros(size, bool)
    near[graph.indices] = True
    assert (np.abs(rounded - weights)[near] <= largest * 2.0**-51).all()
    for node in range(size):
        values = rounded[graph.neighbours(node)].tolist()
        assert Fraction(sum(values)) == Fraction(sum(reversed(values))) == sum(map(Fraction, values))


def test_a_star_of_many_leaves() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(np.stack([np.zeros(100_000, int), np.arange(1, 100_001)], axis=1))
    weights = rng.random(graph.num_nodes)
    rounded = round_for_exact_sums(graph, weights)[1:]
    shuffled = [np.cumsum(rng.permutation(rounded))[-1] for _ in range(5)]  # one after the other, as the kernels add
    assert len(set(shuffled)) == 1
    assert len({np.cumsum(rng.permutation(weights[1:]))[-1] for _ in range(5)}) > 1


def test_a_graph_without_edges_keeps_finite_weights() -> None:
    assert np.isfinite(round_for_exact_sums(Graph.empty(3), np.array([0.5, 1.0, 2.0]))).all()
    assert round_for_exact_sums(Graph.empty(0), np.zeros(0)).shape == (0,)
