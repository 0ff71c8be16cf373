"""What is left of inputs when edges or features are dropped."""

import numpy as np
import numpy.typing as npt
import torch

from edgeorbit.models.eo_gnn.orbit_dropout import to_entries
from edgeorbit.models.neural.inputs import Features, Inputs
from edgeorbit.models.neural.product import Matrix


def keep_edges(inputs: Inputs, kept: npt.NDArray[np.bool_], weights: npt.NDArray[np.float32] | None = None) -> Inputs:
    """Return the inputs with only some of the edges.

    Graph, adjacency and degrees are those of the remaining graph, and what networks derive from a graph (colours,
    common neighbours, walks, subgraphs, sketches) they derive anew.

    Parameters
    ----------
    inputs
        Inputs; they stay as they are.
    kept
        For every edge, in the order of `graph.edges`, whether it stays.
    weights
        For every edge its weight in the adjacency, if that is not 1; degrees are then sums of weights. What looks at
        the graph and not at the adjacency knows of no weights.

    Examples
    --------
    >>> from edgeorbit.graph.graph import Graph
    >>> path = Inputs.of(Graph.from_edges([[0, 1], [1, 2]]), torch.ones(3, 1))
    >>> left = keep_edges(path, np.array([False, True]), np.array([2, 2], np.float32))
    >>> left.graph.edges.tolist(), left.degree.squeeze(1).tolist()
    ([[1, 2]], [0.0, 2.0, 2.0])
    """
    graph = inputs.graph
    stays = to_entries(graph, kept.astype(np.float32)) > 0
    before = np.concatenate([[0], np.cumsum(stays, dtype=np.int64)])
    left = graph.with_attributes(indptr=before[graph.indptr], indices=graph.indices[stays], origin=None)
    if weights is None:
        return Inputs.of(left, inputs.x)
    adjacency = Matrix(left.indptr, left.indices, to_entries(graph, weights)[stays], left.num_nodes)
    degree = adjacency.multiply(np.ones((left.num_nodes, 1), np.float32))
    return Inputs(adjacency, torch.from_numpy(degree), inputs.x, left)


def scale_rows(x: Features, factors: npt.NDArray[np.float32]) -> Features:
    """Return features, which may be sparse, with every row times its factor.

    Examples
    --------
    >>> scale_rows(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 2], np.float32)).tolist()
    [[0.0, 0.0], [6.0, 8.0]]
    """
    if not isinstance(x, Matrix):
        return x * torch.from_numpy(factors)[:, None]
    return x.with_values(x.values * np.repeat(factors, np.diff(x.indptr)))
