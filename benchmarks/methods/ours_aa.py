"""edgeorbit's Adamic-Adar scores of a batch of pairs."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import adamic_adar_weights, target_pairs
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums


def prepare(task: Task) -> Any:
    """Choose the pairs and weigh the nodes."""
    return task.graph, target_pairs(task.graph), adamic_adar_weights(task.graph), task.threads


def run(state: Any) -> Outcome:
    """Add up the weights."""
    graph, pairs, weights, threads = state
    return Outcome(value=float(common_neighbour_sums(graph, pairs, weights, threads=threads).sum()))
