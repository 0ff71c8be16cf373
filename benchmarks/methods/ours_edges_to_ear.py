"""edgeorbit's EAR from an array of edges: building the graph is part of it."""

from benchmarks.methods import Outcome, Task
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear


def prepare(task: Task) -> Task:
    """Take the edges as they are."""
    return task


def run(task: Task) -> Outcome:
    """Build the graph and compute its EAR."""
    graph = Graph.from_edges(task.edges, task.graph.num_nodes, threads=task.threads)
    return Outcome(value=ear(graph, threads=task.threads))
