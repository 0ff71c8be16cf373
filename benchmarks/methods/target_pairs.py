"""The node pairs that a batch of training scores, for all methods the same, and their form in scipy."""

import numpy as np
import numpy.typing as npt
import scipy.sparse

from edgeorbit.graph.graph import Graph

NUM_OF_EACH = 50_000
NUM_CHANNELS = 64


def target_pairs(graph: Graph) -> npt.NDArray[np.int64]:
    """Return edges of the graph and as many random pairs of nodes, mixed."""
    generator = np.random.default_rng(0)
    edges = graph.edges[generator.choice(graph.num_edges, min(NUM_OF_EACH, graph.num_edges), replace=False)]
    others = generator.integers(0, graph.num_nodes, edges.shape)
    return generator.permutation(np.concatenate([edges, others]))


def features(graph: Graph) -> npt.NDArray[np.float32]:
    """Return a row of random features for every node."""
    return np.random.default_rng(0).random((graph.num_nodes, NUM_CHANNELS), np.float32)


def adamic_adar_weights(graph: Graph) -> npt.NDArray[np.float64]:
    """Return the weight of every node as a common neighbour."""
    return 1 / np.log(np.maximum(graph.degree, 2))


def adjacency(graph: Graph) -> scipy.sparse.csr_array:
    """Return the adjacency matrix with values and indices of 4 bytes, with which scipy is at its fastest."""
    ones = np.ones(len(graph.indices), np.float32)
    indptr = graph.indptr.astype(np.int32)
    return scipy.sparse.csr_array((ones, graph.indices, indptr), shape=(graph.num_nodes, graph.num_nodes))
