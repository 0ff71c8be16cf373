"""PyTorch Geometric's WLConv, called as often as there are rounds."""

from typing import Any

import torch
from torch_geometric.nn import WLConv

from benchmarks.methods import Outcome, Task


def prepare(task: Task) -> Any:
    """Build the sorted sparse tensor that spares WLConv its sorting."""
    torch.set_num_threads(task.threads)
    graph = task.graph
    indptr, indices = torch.from_numpy(graph.indptr.copy()), torch.from_numpy(graph.indices.astype("int64"))
    size = (graph.num_nodes, graph.num_nodes)
    adjacency = torch.sparse_csr_tensor(indptr, indices, torch.ones(len(indices)), size=size)
    return adjacency, task.rounds


def run(state: Any) -> Outcome:
    """Refine as many rounds as needed until stable."""
    adjacency, rounds = state
    conv = WLConv()
    colours = torch.zeros(adjacency.shape[0], dtype=torch.long)
    for _ in range(rounds):
        colours = conv(colours, adjacency)
    return Outcome(len(torch.unique(colours)), rounds)
