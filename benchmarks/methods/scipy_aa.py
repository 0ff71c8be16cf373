"""scipy's Adamic-Adar scores of a batch of pairs."""

from typing import Any

import scipy.sparse

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import adamic_adar_weights, adjacency, target_pairs


def prepare(task: Task) -> Any:
    """Build the matrix, and the one whose columns are weighted."""
    matrix = adjacency(task.graph)
    weighted = scipy.sparse.csr_array(matrix @ scipy.sparse.diags_array(adamic_adar_weights(task.graph)))
    return matrix, weighted.astype("float32"), *target_pairs(task.graph).T


def run(state: Any) -> Outcome:
    """Multiply rows."""
    matrix, weighted, u, v = state
    return Outcome(value=float(matrix[u].multiply(weighted[v]).sum(axis=1).sum(dtype="float64")))
