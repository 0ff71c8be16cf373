"""edgeorbit's EAR of a graph in memory."""

from benchmarks.methods import Outcome, Task
from edgeorbit.measures.ear import ear


def prepare(task: Task) -> Task:
    """Take the graph as it is."""
    return task


def run(task: Task) -> Outcome:
    """Compute EAR of stable colours."""
    return Outcome(value=ear(task.graph, threads=task.threads))
