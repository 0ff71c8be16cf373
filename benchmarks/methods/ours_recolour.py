"""edgeorbit's recolouring: 300 edges are removed and the rest is refined twice, in arrays that are used again."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.ours_two_rounds import removed_edges
from edgeorbit.orbits.recolour import Recolourer


def prepare(task: Task) -> Any:
    """Set up the arrays."""
    return Recolourer(task.graph, 2, threads=task.threads), task.graph.edges[removed_edges(task.graph)]


def run(state: Any) -> Outcome:
    """Remove the edges and refine what is left."""
    recolourer, removed = state
    colouring = recolourer.recolour(removed)
    return Outcome(rounds=colouring.rounds, value=colouring.num_colours)
