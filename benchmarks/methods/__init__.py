"""What is measured: edgeorbit, its peers, and the lower bound of one pass over all neighbours.

A method is a module with `prepare(task)`, which brings the graph into its form (timed apart), and `run(state)`,
which is measured.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph


class Task(NamedTuple):
    """A graph to work on, the edges it was built from, the threads to use, and the rounds until it is stable."""

    graph: Graph
    edges: npt.NDArray[np.int32]
    threads: int
    rounds: int


class Outcome(NamedTuple):
    """What came out: the number of colours and of rounds, where the method tells."""

    colours: int | None = None
    rounds: int | None = None
    value: Any = None


class Method(NamedTuple):
    """A row of the tables.

    `module` is the module of this package, `measures` says what is timed, `beside` which method the time is compared
    with, and `converts` whether the graph has to be brought into another form first.
    """

    title: str
    module: str
    measures: str
    beside: str = "edgeorbit"
    converts: bool = False


METHODS: dict[str, Method] = {
    "edgeorbit": Method("edgeorbit", "ours_refine", "refine(graph), until stable and proved"),
    "gather": Method("gather", "gather", "one pass that reads the 8-byte colour of each of the 2m neighbours"),
    "worklist": Method("exact worklist", "worklist", "Hopcroft-style partition refinement with exact counts, in numba"),
    "dejavu": Method("dejavu", "dejavu", "colour refinement at the root of its search tree, in C++", converts=True),
    "numpy": Method("numpy, scipy", "numpy_rounds", "rounds of A @ r and np.unique until stable", converts=True),
    "wlconv": Method("PyG WLConv", "wlconv", "as many WLConv calls as there are rounds", converts=True),
    "networkx": Method(
        "networkx",
        "networkx_wl",
        "weisfeiler_lehman_subgraph_hashes with as many iterations as there are rounds",
        converts=True,
    ),
    "igraph": Method(
        "igraph (BLISS)",
        "igraph_bliss",
        "count_automorphisms: refinement and then the search, which it does not offer apart",
        converts=True,
    ),
    "ear": Method("edgeorbit, EAR", "ours_ear", "ear(graph)"),
    "two-rounds": Method(
        "edgeorbit, 2 rounds",
        "ours_two_rounds",
        "refine(graph, rounds=2) of the graph without 300 edges, built beforehand",
        beside="two-rounds",
    ),
    "recolour": Method(
        "edgeorbit, recolour",
        "ours_recolour",
        "Recolourer(graph, rounds=2).recolour(300 edges): removing them and refining",
        beside="two-rounds",
    ),
    "edges-to-ear": Method(
        "edgeorbit, edges to EAR",
        "ours_edges_to_ear",
        "Graph.from_edges(edges), then ear(graph)",
        beside="edges-to-ear",
    ),
    "scipy-csr": Method(
        "scipy, edges to CSR",
        "scipy_csr",
        "coo_array of both directions, tocsr, sum_duplicates",
        beside="edges-to-ear",
    ),
    "cn": Method(
        "edgeorbit, common neighbours",
        "ours_cn",
        "common_neighbour_sums of 50,000 edges and 50,000 random pairs",
        beside="cn",
    ),
    "scipy-cn": Method(
        "scipy, common neighbours", "scipy_cn", "A[u].multiply(A[v]).sum(axis=1) of the same pairs", beside="cn"
    ),
    "aa": Method(
        "edgeorbit, Adamic-Adar",
        "ours_aa",
        "common_neighbour_sums of the same pairs with the weights 1 / log(degree)",
        beside="aa",
    ),
    "scipy-aa": Method(
        "scipy, Adamic-Adar",
        "scipy_aa",
        "A[u].multiply(W[v]).sum(axis=1), where W is A with weighted columns",
        beside="aa",
    ),
    "aggregate": Method(
        "edgeorbit, aggregation",
        "ours_aggregate",
        "common_neighbours of the same pairs, then aggregate of 64 channels",
        beside="aggregate",
    ),
    "scipy-aggregate": Method(
        "scipy, aggregation", "scipy_aggregate", "A[u].multiply(A[v]) @ x, x of 64 channels", beside="aggregate"
    ),
    "walks": Method(
        "edgeorbit, short walks",
        "ours_walks",
        "short_walks of the same pairs: the weights of walks of length 2, 3 and 4",
        beside="walks",
    ),
    "scipy-walks": Method(
        "scipy, short walks",
        "scipy_walks",
        "N @ N of the normalised adjacency matrix, then products of rows of N and N @ N",
        beside="walks",
    ),
    "subgraphs": Method(
        "edgeorbit, enclosing subgraphs",
        "ours_subgraphs",
        "enclosing_subgraphs with DRNL labels, 1 hop, of 5,000 edges and 5,000 other pairs",
        beside="subgraphs",
    ),
    "pyg-subgraphs": Method(
        "PyG, enclosing subgraphs",
        "pyg_subgraphs",
        "k_hop_subgraph and DRNL by scipy's shortest_path, pair by pair",
        beside="subgraphs",
        converts=True,
    ),
    "sketches": Method(
        "edgeorbit, sketches",
        "ours_sketches",
        "MinHash (128) and HyperLogLog (p = 8) sketches of 2 hops of all nodes, and their sizes",
        beside="sketches",
    ),
    "datasketch": Method(
        "datasketch",
        "datasketch_sketches",
        "the same with MinHash and HyperLogLogPlusPlus objects, merged node by node",
        beside="sketches",
        converts=True,
    ),
}
