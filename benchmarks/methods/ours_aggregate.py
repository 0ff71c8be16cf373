"""edgeorbit's sums of features over the common neighbours of a batch of pairs."""

from typing import Any

import torch

from benchmarks.methods import Outcome, Task
from benchmarks.methods.target_pairs import features, target_pairs
from edgeorbit.models.neural.rows import sum_rows
from edgeorbit.pairwise.common_neighbours import common_neighbours


def prepare(task: Task) -> Any:
    """Choose the pairs and make the features."""
    torch.set_num_threads(task.threads)
    return task.graph, target_pairs(task.graph), torch.from_numpy(features(task.graph)), task.threads


def run(state: Any) -> Outcome:
    """List the common neighbours and add up their rows."""
    graph, pairs, x, threads = state
    sums = sum_rows(*common_neighbours(graph, pairs, threads=threads), x)
    return Outcome(value=float(sums[:, 0].sum(dtype=torch.float64)))
