"""DRNL labels are those of the formula, over distances that networkx measures without the other end."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, to_networkx
from edgeorbit.pairwise.drnl import drnl_labels
from oracles import graphs, tree_edges


def expected_labels(graph: nx.Graph, u: int, v: int) -> dict[int, int]:
    """Labels by their definition, on a graph in which u and v are not linked."""
    near_u = nx.single_source_shortest_path_length(graph.subgraph(set(graph) - ({v} - {u})), u)
    near_v = nx.single_source_shortest_path_length(graph.subgraph(set(graph) - ({u} - {v})), v)
    labels = {}
    for node in graph:
        if node in (u, v):
            labels[node] = 1
        elif node in near_u and node in near_v:
            x, y = near_u[node], near_v[node]
            d = x + y
            labels[node] = 1 + min(x, y) + (d // 2) * (d // 2 + d % 2 - 1)
        else:
            labels[node] = 0
    return labels


def without_link(graph: Graph) -> Graph:
    """The graph without an edge between its first two nodes."""
    edges = graph.edges
    return Graph.from_edges(edges[~((edges[:, 0] == 0) & (edges[:, 1] == 1))], graph.num_nodes)


def check(parts: list[Graph], threads: list[int]) -> np.ndarray:
    """Compare the labels of subgraphs that lie one after the other with those of each; return them."""
    bases = np.cumsum([0, *(part.num_nodes for part in parts)])
    entries = np.cumsum([0, *(len(part.indices) for part in parts)])
    indptr = np.concatenate([[0], *(part.indptr[1:] + start for part, start in zip(parts, entries, strict=False))])
    indices = np.concatenate([part.indices + base for part, base in zip(parts, bases, strict=False)]).astype(np.int32)
    ends = np.array([min(part.num_nodes, 2) for part in parts])
    found = [drnl_labels(bases, indptr, indices, ends, threads=number) for number in threads]
    for part, base in zip(parts, bases.tolist(), strict=False):
        labels = expected_labels(to_networkx(part), 0, min(part.num_nodes, 2) - 1)
        expected = [labels[node] for node in range(part.num_nodes)]
        assert all(one[base : base + part.num_nodes].tolist() == expected for one in found)
    return found[0]


@given(parts=st.lists(graphs(max_nodes=14), min_size=1, max_size=4), threads=st.integers(1, 3))
def test_labels_follow_the_formula(parts: list[Graph], threads: int) -> None:
    check([without_link(part) for part in parts], [threads])


def test_labels_of_large_trees_do_not_depend_on_threads() -> None:
    """Long ways: distances, and with them labels, are far above those of small subgraphs."""
    trees = [without_link(Graph.from_edges(tree_edges(40_000, seed))) for seed in range(3)]
    steps = np.stack([np.arange(2, 3001), np.arange(3, 3002)], axis=1)
    path = Graph.from_edges(np.concatenate([steps, [[0, 2], [1, 3001]]]))
    assert check([*trees, path], [1, 2, 5]).max() > 2_000_000


def test_no_subgraphs_have_no_labels() -> None:
    assert drnl_labels(np.array([0]), np.array([0]), np.empty(0, np.int32)).tolist() == []
