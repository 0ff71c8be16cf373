"""Feature modes: what they hold, and what tells nodes apart."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit._randomness import Random
from edgeorbit.data.features import RANDOM_CHANNELS, node_features
from edgeorbit.errors import InvalidParameterError
from oracles import graphs


@given(graph=graphs(), seed=st.integers(0, 99))
def test_every_mode_has_a_row_for_every_node(graph: Graph, seed: int) -> None:
    n = graph.num_nodes
    assert node_features(graph, "constant", seed).tolist() == [[1.0]] * n
    assert node_features(graph, "degree", seed).tolist() == [[len(graph.neighbours(node))] for node in range(n)]
    identity = node_features(graph, "identity", seed)
    assert isinstance(identity, scipy.sparse.csr_array) and np.array_equal(identity.toarray(), np.eye(n))
    random = node_features(graph, "random", seed)
    assert random.shape == (n, RANDOM_CHANNELS) and len(np.unique(random, axis=0)) == n
    assert all(x.dtype == np.float32 for x in (identity, random, node_features(graph, "degree")))


def test_random_features_belong_to_the_seed_and_follow_from_raw_bits() -> None:
    graph = Graph.empty(50)
    first = node_features(graph, "random", 3)
    assert np.array_equal(first, node_features(graph, "random", 3))
    assert not np.array_equal(first, node_features(graph, "random", 4))
    uniform = Random(3, "features").uniform(50 * RANDOM_CHANNELS).reshape(50, RANDOM_CHANNELS)
    assert np.array_equal(first, ((2 * uniform - 1) * np.sqrt(3)).astype(np.float32))


def test_random_features_have_mean_0_and_variance_1() -> None:
    x = node_features(Graph.empty(5000), "random")
    assert abs(x.mean()) < 0.01 and abs(x.var() - 1) < 0.01 and np.abs(x).max() <= np.float32(np.sqrt(3))


def test_original_features_are_those_of_the_graph() -> None:
    x = np.ones((2, 3))
    assert np.shares_memory(node_features(Graph.from_edges([[0, 1]], x=x), "original"), x)
    with pytest.raises(InvalidParameterError, match=r"^pair has no features of its own; choose from constant, degree"):
        node_features(Graph.from_edges([[0, 1]], name="pair"), "original")


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"^features 'ones' are unknown; choose from original, constant"):
        node_features(Graph.empty(1), "ones")
