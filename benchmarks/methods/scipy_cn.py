"""scipy's numbers of common neighbours of a batch of pairs."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import adjacency, target_pairs


def prepare(task: Task) -> Any:
    """Build the matrix."""
    return adjacency(task.graph), *target_pairs(task.graph).T


def run(state: Any) -> Outcome:
    """Multiply rows."""
    matrix, u, v = state
    return Outcome(value=float(matrix[u].multiply(matrix[v]).sum(axis=1).sum(dtype="float64")))
