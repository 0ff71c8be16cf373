"""From a synthetic graph to a PyG `Data` that keeps where every node and edge comes from."""

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data

from edgeorbit.graph.convert import to_pyg
from edgeorbit.graph.graph import Graph, Origin
from edgeorbit.measures.ear import ear

STABLE = -1  # stands for None, which PyG would not batch into a tensor


def made_data(graph: Graph, target: float | None, rounds: int | None) -> Data:
    """Return a synthetic graph as a `Data`; see `SyntheticSweep` for its attributes.

    Numbers of the whole graph are tensors of one element: PyG gives back plain numbers from a data set of one graph and
    tensors from one of many, and tensors from both.

    >>> from edgeorbit.synthetic import make
    >>> made_data(make("syn-cycle8", ear=1), target=1, rounds=None)
    Data(edge_index=[2, 32], num_nodes=16, edge_kind=[32], copy=[16], original=[16], twin_of=[16], ear=[1],
        ear_target=[1], rounds=[1])
    """
    data = to_pyg(graph)
    if data.x is not None:
        data.x = data.x.float()
    if data.y is not None and not data.y.is_floating_point():
        data.y = data.y.long()
    origin = graph.origin or Origin.plain(graph.num_nodes, graph.num_edges)
    data.edge_kind = _long(kind_of_columns(graph.edge_index, origin.edge_kind))
    for name in ("copy", "original", "twin_of"):
        data[name] = _long(getattr(origin, name))
    data.ear = torch.tensor([ear(graph, rounds=rounds)], dtype=torch.float)
    data.ear_target = torch.tensor([float("nan") if target is None else target], dtype=torch.float)
    data.rounds = torch.tensor([STABLE if rounds is None else rounds])
    return data


def kind_of_columns(edge_index: npt.NDArray[np.int64], kind: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a value per column of a graph's `edge_index`, given one per edge of its `edges`.

    >>> graph = Graph.from_edges([[0, 1], [0, 2], [1, 2]])
    >>> graph.edge_index.tolist()
    [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    >>> kind_of_columns(graph.edge_index, np.array([5, 6, 7], np.uint8)).tolist()
    [5, 6, 5, 7, 6, 7]
    """
    row, column = edge_index
    forward, backward = np.flatnonzero(row < column), np.flatnonzero(row > column)
    of_column = np.empty(len(row), kind.dtype)
    of_column[forward] = kind
    # Columns are sorted by row: sorted by column as well, without moving equal ones, reverse edges are in order.
    of_column[backward[np.argsort(column[backward], kind="stable")]] = kind
    return of_column


def _long(values: npt.NDArray[np.integer]) -> torch.Tensor:
    return torch.from_numpy(values.astype(np.int64))
