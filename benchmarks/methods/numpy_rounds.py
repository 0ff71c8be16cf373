"""What one writes in ten lines with numpy and scipy: rounds over all nodes, relabelled by sorting."""

import numpy as np
import scipy.sparse

from benchmarks.methods import Outcome, Task


def prepare(task: Task) -> scipy.sparse.csr_array:
    """Give the adjacency matrix entries of 8 bytes, so that products stay whole numbers modulo 2^64."""
    graph = task.graph
    ones = np.ones(len(graph.indices), np.uint64)
    return scipy.sparse.csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))


def run(adjacency: scipy.sparse.csr_array) -> Outcome:
    """Hash a colour and the colours around it into 64 bits, until no class splits."""
    generator = np.random.default_rng(0)
    colours, num_colours, rounds = np.zeros(adjacency.shape[0], np.int64), 1, 0
    while True:
        own, around = generator.integers(0, 2**64, (2, num_colours), np.uint64)
        signatures = own[colours] + adjacency @ around[colours]
        values, colours = np.unique(signatures, return_inverse=True)
        if len(values) == num_colours:
            return Outcome(num_colours, rounds)
        num_colours, rounds = len(values), rounds + 1
