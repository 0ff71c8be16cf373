"""edgeorbit's colour refinement."""

from benchmarks.methods import Outcome, Task
from edgeorbit.orbits.refine import refine


def prepare(task: Task) -> Task:
    """Take the graph as it is."""
    return task


def run(task: Task) -> Outcome:
    """Refine until the colours are stable."""
    colouring = refine(task.graph, threads=task.threads)
    return Outcome(colouring.num_colours, colouring.rounds)
