"""networkx: the Weisfeiler-Lehman hashes of all nodes.

It does not notice that colours are stable, so it is told the number of rounds.
"""

from typing import Any

import networkx as nx

from benchmarks.methods import Outcome, Task


def prepare(task: Task) -> Any:
    """Build the networkx graph."""
    other = nx.Graph()
    other.add_nodes_from(range(task.graph.num_nodes))
    other.add_edges_from(task.graph.edges.tolist())
    return other, max(task.rounds, 1)


def run(state: Any) -> Outcome:
    """Hash the neighbourhoods and count the different ones of the largest depth."""
    other, rounds = state
    hashes = nx.weisfeiler_lehman_subgraph_hashes(other, iterations=rounds)
    return Outcome(len({found[-1] for found in hashes.values()}), rounds)
