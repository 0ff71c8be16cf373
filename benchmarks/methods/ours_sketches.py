"""edgeorbit's sketches of the neighbourhoods of all nodes, two hops wide, with their estimated sizes."""

from typing import Any

from benchmarks.methods import Outcome, Task
from edgeorbit.pairwise.sketches import NeighbourhoodSketches


def prepare(task: Task) -> Any:
    """Take the graph as it is."""
    return task.graph, task.threads


def run(state: Any) -> Outcome:
    """Sketch."""
    graph, threads = state
    sizes = NeighbourhoodSketches(graph, hops=2, minhash=128, hll_p=8, threads=threads).sizes
    return Outcome(value=float(sizes.mean()))
