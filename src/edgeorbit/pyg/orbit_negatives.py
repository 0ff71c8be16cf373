"""Orbit negatives for the links that a `Data` is labelled with, as a transform."""

from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from edgeorbit.data.negatives.orbit import orbit_negatives
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.pyg.labels import label_pairs, message_graph


class OrbitNegatives(BaseTransform):
    """Give every positive link of a `Data` negatives of its own WL edge orbit.

    A message-passing network without node features gives a link and its orbit negatives the same score, so that it is
    at chance against them. Colours are those of `data.edge_index`, the messages. Negatives are neither messages, nor
    positives of this `Data`, nor links of `known`.

    The positives are the columns of `edge_label_index` whose `edge_label` is above 0, or all columns if there are no
    labels; negatives that are there already are replaced. The result has no padding: a positive with fewer than
    `per_positive` non-edges in its orbit has fewer negatives, or none. `edge_label_group` is the number of the positive
    that a column belongs to; `score_matrix` sorts scores by it.

    Parameters
    ----------
    per_positive : int
        Largest number of negatives of a positive.
    rounds : int, optional
        Rounds of colour refinement, what a network of so many layers sees; by default until the colours are stable.
    seed : int
        The same seed gives the same negatives, on every machine.
    known : Tensor of shape (2, m), optional
        Further links that are no negatives. For test data give the `edge_index` of the whole graph; for validation data
        leave it out, so that test links do not influence which checkpoint is selected.

    Raises
    ------
    GraphFormatError
        If there is no `edge_label_index`, or it holds a self-loop or a node outside the graph.

    Examples
    --------
    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]), num_nodes=6)
    >>> path.edge_label_index = torch.tensor([[1, 0], [3, 5]])
    >>> data = OrbitNegatives()(path)
    >>> data.edge_label_index.tolist(), data.edge_label.tolist(), data.edge_label_group.tolist()
    ([[1, 0, 4], [3, 5, 2]], [1.0, 1.0, 0.0], [0, 1, 0])
    """

    def __init__(
        self, per_positive: int = 50, rounds: int | None = None, seed: int = 0, known: Tensor | None = None
    ) -> None:
        if per_positive < 1:
            raise InvalidParameterError(f"per_positive must be >= 1, got {per_positive}")
        self.per_positive, self.rounds, self.seed, self.known = per_positive, rounds, seed, known

    def forward(self, data: Data) -> Data:
        """Replace the negatives; calling the transform itself does so to a shallow copy."""
        graph = message_graph(data, type(self).__name__)
        columns = data.get("edge_label_index")
        if columns is None:
            raise GraphFormatError(
                "this Data has no edge_label_index; split it first, with OrbitSplit or with "
                "RandomLinkSplit(split_labels=False)"
            )
        label = data.get("edge_label")
        if label is not None:
            if label.shape != (columns.shape[1],):
                raise GraphFormatError(f"edge_label must have shape ({columns.shape[1]},), got {tuple(label.shape)}")
            columns, label = columns[:, label > 0], label[label > 0]
        positives = np.ascontiguousarray(columns.detach().cpu().numpy().T, np.int64)
        _check_positives(positives, graph.num_nodes)
        split = LinkSplit(graph, self._known(graph), positives)  # test negatives avoid all three
        found = orbit_negatives(split, self.seed, self.per_positive, self.rounds, bounds=False)
        return label_pairs(data, positives, found.test, label)

    def __repr__(self) -> str:
        """Give the settings."""
        return f"{type(self).__name__}(per_positive={self.per_positive}, rounds={self.rounds}, seed={self.seed})"

    def _known(self, graph: Graph) -> Any:
        """Return the further links that are not messages."""
        if self.known is None:
            return np.empty((0, 2), np.int64)
        array = self.known.detach().cpu().numpy()
        if array.ndim != 2 or array.shape[0] != 2:
            raise GraphFormatError(f"known must have shape (2, m), got {array.shape}")
        pairs = Graph.from_edges(array.T, graph.num_nodes).edges.astype(np.int64)
        return pairs[~are_edges(graph, pairs)]


def _check_positives(positives: Any, num_nodes: int) -> None:
    outside = np.flatnonzero(((positives < 0) | (positives >= num_nodes)).any(axis=1))
    if len(outside):
        raise GraphFormatError(
            f"edge_label_index names the pair {tuple(positives[outside[0]].tolist())}, and nodes are 0 to "
            f"{num_nodes - 1}; remove it"
        )
    loops = np.flatnonzero(positives[:, 0] == positives[:, 1])
    if len(loops):
        raise GraphFormatError(f"edge_label_index holds a self-loop of node {positives[loops[0], 0]}; remove it")
