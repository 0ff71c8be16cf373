"""Enclosing subgraphs with PyG's `k_hop_subgraph`, and DRNL labels with scipy's shortest paths, pair by pair."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from scipy.sparse.csgraph import shortest_path
from torch_geometric.utils import k_hop_subgraph

from benchmarks.methods import Outcome, Task
from benchmarks.methods.subgraph_pairs import HOPS, subgraph_pairs


def prepare(task: Task) -> Any:
    """Make PyG's form of the graph."""
    return torch.from_numpy(task.graph.edge_index), task.graph.num_nodes, subgraph_pairs(task.graph).tolist()


def run(state: Any) -> Outcome:
    """Extract and label one pair after the other."""
    edge_index, num_nodes, pairs = state
    totals = np.zeros(3, np.int64)
    for u, v in pairs:
        nodes, inside, *_ = k_hop_subgraph(sorted({u, v}), HOPS, edge_index, relabel_nodes=True, num_nodes=num_nodes)
        first, second = int((nodes == u).nonzero()), int((nodes == v).nonzero())
        target = ((inside[0] == first) & (inside[1] == second)) | ((inside[0] == second) & (inside[1] == first))
        rows, columns = inside[:, ~target].numpy()
        labels = label_nodes(rows, columns, len(nodes), first, second)
        totals += len(nodes), len(rows), labels.sum()
    return Outcome(value=totals.tolist())


def label_nodes(
    rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], size: int, u: int, v: int
) -> npt.NDArray[np.int64]:
    """Return DRNL labels; the distances to each end are those in the subgraph without the other."""
    matrix = scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    distances = []
    for end, other in ((u, v), (v, u)):
        left = np.flatnonzero((np.arange(size) != other) | (np.arange(size) == end))
        found = np.full(size, np.inf)
        found[left] = shortest_path(
            matrix[left][:, left], directed=False, unweighted=True, indices=int((left == end).argmax())
        )
        distances.append(found)
    near, total = np.minimum(*distances), distances[0] + distances[1]
    reached = np.isfinite(total)
    labels = np.zeros(size, np.int64)
    half, odd = np.divmod(total[reached], 2)[0], total[reached] % 2
    labels[reached] = (1 + near[reached] + half * (half + odd - 1)).astype(np.int64)
    labels[[u, v]] = 1
    return labels
