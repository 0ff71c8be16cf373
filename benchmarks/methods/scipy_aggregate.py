"""scipy's sums of features over the common neighbours of a batch of pairs."""

from typing import Any

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import adjacency, features, target_pairs


def prepare(task: Task) -> Any:
    """Build the matrix and make the features."""
    return adjacency(task.graph), features(task.graph), *target_pairs(task.graph).T


def run(state: Any) -> Outcome:
    """Multiply rows, and the product with the features."""
    matrix, x, u, v = state
    return Outcome(value=float((matrix[u].multiply(matrix[v]) @ x)[:, 0].sum(dtype="float64")))
