"""The lower bound: one streaming pass that reads the colour of every neighbour of every node."""

from typing import Any

import numpy as np

from benchmarks.methods import Outcome, Task
from edgeorbit._compiled import kernel
from edgeorbit._parallel import run_all, split_range


@kernel
def _sum_colours(indices, colours, low, high):
    total = np.uint64(0)
    for i in range(low, high):
        total += colours[indices[i]]
    return total


def prepare(task: Task) -> Any:
    """Give every node a random value of 8 bytes."""
    colours = np.random.default_rng(0).integers(0, 2**64, max(task.graph.num_nodes, 1), np.uint64)
    parts = split_range(len(task.graph.indices), task.threads)
    indices = task.graph.indices.view(np.uint32)  # unsigned: numba then does not test for negative ones
    return [(indices, colours, low, high) for low, high in parts]


def run(calls: Any) -> Outcome:
    """Add up the values of all neighbours."""
    return Outcome(value=sum(int(total) for total in run_all(_sum_colours, calls)) % 2**64)
