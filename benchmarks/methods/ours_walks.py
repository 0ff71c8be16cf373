"""edgeorbit's weights of the short walks between the nodes of a batch of pairs."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import target_pairs
from edgeorbit.pairwise.walks import short_walks


def prepare(task: Task) -> Any:
    """Choose the pairs."""
    return task.graph, target_pairs(task.graph), task.threads


def run(state: Any) -> Outcome:
    """Weigh."""
    graph, pairs, threads = state
    return Outcome(value=float(short_walks(graph, pairs, max_length=4, threads=threads).sum()))
