"""edgeorbit's numbers of common neighbours of a batch of pairs."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import target_pairs
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums


def prepare(task: Task) -> Any:
    """Choose the pairs."""
    return task.graph, target_pairs(task.graph), task.threads


def run(state: Any) -> Outcome:
    """Count."""
    graph, pairs, threads = state
    return Outcome(value=float(common_neighbour_sums(graph, pairs, threads=threads).sum()))
