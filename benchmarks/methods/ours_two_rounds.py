"""edgeorbit's refinement of two rounds, of a graph without 300 of its edges that was built beforehand."""

import numpy as np

from benchmarks.methods import Outcome, Task
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import refine

NUM_REMOVED = 300


def removed_edges(graph: Graph) -> np.ndarray:
    """Return the numbers of the edges that a batch hides."""
    return np.random.default_rng(0).choice(graph.num_edges, NUM_REMOVED, replace=False)


def prepare(task: Task) -> Task:
    """Build the graph that is left."""
    left = np.delete(task.graph.edges, removed_edges(task.graph), axis=0)
    return task._replace(graph=Graph.from_edges(left, task.graph.num_nodes))


def run(task: Task) -> Outcome:
    """Refine twice."""
    colouring = refine(task.graph, 2, threads=task.threads)
    return Outcome(rounds=colouring.rounds, value=colouring.num_colours)
