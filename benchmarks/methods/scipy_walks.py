"""scipy's weights of the short walks between the nodes of a batch of pairs."""

from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import adjacency, target_pairs


def prepare(task: Task) -> Any:
    """Build the normalised adjacency matrix."""
    scale = scipy.sparse.diags_array(np.maximum(task.graph.degree, 1).astype(np.float32) ** -0.5)
    return scipy.sparse.csr_array(scale @ adjacency(task.graph) @ scale), *target_pairs(task.graph).T


def run(state: Any) -> Outcome:
    """Multiply the matrix with itself, and then rows."""
    once, u, v = state
    twice = once @ once
    ends = [(once, once), (twice, once), (twice, twice)]  # of walks of length 2, 3 and 4
    return Outcome(value=sum(float(one[u].multiply(other[v]).sum(dtype="float64")) for one, other in ends))
