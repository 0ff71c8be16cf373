"""The node pairs whose enclosing subgraphs are extracted, for all methods the same."""

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph

NUM_OF_EACH = 5_000
HOPS = 1


def subgraph_pairs(graph: Graph) -> npt.NDArray[np.int64]:
    """Return edges of the graph and as many pairs that are none, mixed."""
    generator = np.random.default_rng(0)
    # A small graph, on which methods only warm up, has few pairs: a peer takes milliseconds for each.
    count = min(NUM_OF_EACH, max(1, graph.num_edges // 8))
    edges = graph.edges[generator.choice(graph.num_edges, count, replace=False)]
    known = {(int(u), int(v)) for u, v in graph.edges}
    others: list[tuple[int, int]] = []
    while len(others) < len(edges):
        u, v = sorted(generator.integers(0, graph.num_nodes, 2).tolist())
        if u != v and (u, v) not in known:
            others.append((u, v))
    return generator.permutation(np.concatenate([edges, others]).astype(np.int64))
