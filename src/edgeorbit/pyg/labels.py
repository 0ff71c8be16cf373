"""Pairs to be scored as PyG labels them: `edge_label_index`, `edge_label`, and which positive a negative belongs to."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.convert import from_pyg
from edgeorbit.graph.graph import Graph

GROUP = "edge_label_group"


def message_graph(data: Any, transform: str) -> Graph:
    """Return the graph of a `Data`'s messages, after checking that it has two rows of node numbers."""
    if not isinstance(data, Data):
        raise InvalidParameterError(f"{transform} takes a homogeneous Data, not {type(data).__name__}")
    edge_index = data.edge_index
    if not isinstance(edge_index, Tensor) or edge_index.layout is not torch.strided:
        raise GraphFormatError(
            f"this Data has {'no' if edge_index is None else 'a sparse'} edge_index; put {transform} before the "
            "transform that replaces the two rows of node numbers"
        )
    return from_pyg(data)


def label_pairs(
    data: Data, positives: npt.NDArray[np.int64], negatives: npt.NDArray[np.int64], label: Tensor | None = None
) -> Data:
    """Label a `Data` with positives and negatives, in place.

    Parameters
    ----------
    data
        The `Data`.
    positives
        Pairs of shape (p, 2).
    negatives
        One pool of shape (n, 2), or (p, k, 2) for each positive its own, padded with (-1, -1), which is left out.
    label
        The labels of the positives; by default 1.
    """
    p = len(positives)
    pool, groups = negatives, [np.arange(p)]
    if negatives.ndim == 3:
        owner, place = np.nonzero(negatives[..., 0] >= 0)
        pool = negatives[owner, place]
        groups.append(owner)
    device = data.edge_index.device
    ends = torch.from_numpy(np.concatenate([positives, pool]).T.copy())
    positive = torch.ones(p) if label is None else label
    data.edge_label_index = ends.to(device)
    data.edge_label = torch.cat([positive.to(device), positive.new_zeros(len(pool)).to(device)])
    if negatives.ndim == 3:
        data[GROUP] = torch.from_numpy(np.concatenate(groups)).to(device)
    elif GROUP in data:
        del data[GROUP]
    return data


def score_matrix(scores: Tensor, data: Data) -> tuple[Tensor, Tensor]:
    """Return the scores of labelled pairs as a row for every positive, and which candidate of a row is the positive.

    It is what `TieAwareMRR` and `TieAwareHits` are updated with.

    Parameters
    ----------
    scores
        One for every column of `data.edge_label_index`.
    data
        What `OrbitSplit` or `OrbitNegatives` returned: with `edge_label_group` a positive is ranked against its own
        negatives, else all of them are ranked against one pool.

    Returns
    -------
    scores : Tensor of shape (p, 1 + k)
        The positive first, then its negatives, padded with NaN.
    edge_label_index : Tensor of shape (2, p)
        Row and column of every positive.

    Examples
    --------
    >>> data = Data(edge_label=torch.tensor([1.0, 1, 0, 0, 0]), edge_label_group=torch.tensor([0, 1, 1, 0, 1]))
    >>> score_matrix(torch.tensor([0.9, 0.8, 0.1, 0.2, 0.3]), data)[0]
    tensor([[0.9000, 0.2000,    nan],
            [0.8000, 0.1000, 0.3000]])
    """
    label = data.edge_label
    if scores.shape != label.shape:
        raise InvalidParameterError(f"scores must have shape {tuple(label.shape)}, got {tuple(scores.shape)}")
    positive = label > 0
    found, others = scores[positive], scores[~positive]
    p, device = len(found), scores.device
    index = torch.stack([torch.arange(p, device=device), torch.zeros(p, dtype=torch.long, device=device)])
    group = data.get(GROUP)
    if group is None:
        return torch.cat([found[:, None], others.expand(p, -1)], dim=1), index
    owner, order = group[~positive].sort(stable=True)
    count = torch.bincount(owner, minlength=p)
    place = torch.arange(len(owner), device=device) - (count.cumsum(0) - count)[owner]
    width = 1 + (int(count.max()) if p else 0)
    matrix = scores.new_full((p, width), float("nan"))
    matrix[:, 0] = found
    matrix[owner, 1 + place] = others[order]
    return matrix, index
