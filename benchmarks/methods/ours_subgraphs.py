"""edgeorbit's enclosing subgraphs of a batch of pairs, with their DRNL labels."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.subgraph_pairs import HOPS, subgraph_pairs
from edgeorbit.pairwise.enclosing_subgraphs import enclosing_subgraphs


def prepare(task: Task) -> Any:
    """Choose the pairs."""
    return task.graph, subgraph_pairs(task.graph), task.threads


def run(state: Any) -> Outcome:
    """Extract and label."""
    graph, pairs, threads = state
    found = enclosing_subgraphs(graph, pairs, hops=HOPS, threads=threads)
    return Outcome(value=[len(found.nodes), len(found.indices), int(found.labels.sum())])
