"""The nodes around every node, found by networkx: what sketches are sketches of."""

import networkx as nx
import numpy as np

from edgeorbit.graph.graph import Graph


def distances(graph: Graph, cutoff: int) -> list[dict[int, int]]:
    """Return for every node the distance of each node that is not further than `cutoff`."""
    whole = nx.Graph(graph.edges.tolist())
    whole.add_nodes_from(range(graph.num_nodes))
    return [dict(nx.single_source_shortest_path_length(whole, node, cutoff)) for node in range(graph.num_nodes)]


def balls(graph: Graph, hops: int) -> list[list[set[int]]]:
    """Return by hop and node the set of all nodes that are so near, the node itself among them."""
    found = distances(graph, hops)
    return [[{other for other, far in row.items() if far <= hop} for row in found] for hop in range(1, hops + 1)]


def random_graph(num_nodes: int, num_edges: int, seed: int = 0) -> Graph:
    return Graph.from_edges(np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2)), num_nodes)


class ExactNeighbourhoods:
    """Sets in the place of sketches."""

    def __init__(self, graph: Graph, hops: int) -> None:
        self.graph, self.hops, self.balls = graph, hops, balls(graph, hops)
        self.sizes = np.array([[len(ball) for ball in row] for row in self.balls], float).reshape(hops, -1)

    def overlaps(self, pairs: np.ndarray, threads: int | None = None) -> np.ndarray:
        found = [[[len(one[u] & other[v]) for other in self.balls] for one in self.balls] for u, v in pairs]
        return np.array(found, float).reshape(len(pairs), self.hops, self.hops)
