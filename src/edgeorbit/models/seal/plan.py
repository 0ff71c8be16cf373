"""How messages are passed over the union of subgraphs: node by node, or once for all nodes that a layer finds alike.

After l layers two nodes of any two subgraphs are equal if l rounds of colour refinement, from labels and degrees (and
the very node, where features count), leave them in one colour. Subgraphs of a batch overlap, and have many leaves: on
CiteSeer with 3 hops a batch of 81,000 nodes has 31,000, 53,000 and 59,000 colours in its three layers. So the
products with the weights of wide layers are those of the colours, and give the same numbers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from edgeorbit._compiled import kernel
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.seal.union import normalised_adjacency
from edgeorbit.orbits.refine import refine_by_round
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs

WIDE = 128  # channels from which on the products with weights cost more than refinement


class Plan(NamedTuple):
    """The steps of message passing.

    Attributes
    ----------
    labels, nodes : int32 arrays
        What the rows begin with: a label, and a node of the graph.
    steps : list of Matrix
        For each layer what averages rows of the layer before to its own; the rows of the last are all nodes.
    parents : list of int32 arrays or None
        For each layer the row of the layer before that each of its own was part of; None if it is the same.
    """

    labels: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    steps: list[Matrix]
    parents: list[npt.NDArray[np.int32] | None]


def plan_messages(subgraphs: Subgraphs, num_labels: int, num_layers: int, *, wide: bool, features: bool) -> Plan:
    """Return the steps for layers of which the last has one channel.

    Parameters
    ----------
    subgraphs
        The union.
    num_labels
        Bound of labels; larger ones become the last.
    num_layers
        Number of layers.
    wide
        Whether layers are so wide that alike nodes are looked for.
    features
        Whether nodes of the graph differ by more than their labels.
    """
    adjacency = normalised_adjacency(subgraphs)
    labels = np.minimum(subgraphs.labels, num_labels - 1)
    if not wide or num_layers == 1 or not len(labels):
        return Plan(labels, subgraphs.nodes, [adjacency] * num_layers, [None] * num_layers)
    degrees = np.diff(subgraphs.indptr)
    keys = labels * (degrees.max() + 1) + degrees
    if features:
        keys += subgraphs.nodes * (keys.max() + 1)
    union, threads = Graph(subgraphs.indptr, subgraphs.indices), torch.get_num_threads()
    rounds = [found.labels for found in refine_by_round(union, num_layers - 1, keys, threads=threads)]
    rounds += [rounds[-1]] * (num_layers - len(rounds))  # stable earlier
    ones = [_one_of_each(colours) for colours in rounds]
    everyone = np.arange(len(labels), dtype=np.int32)
    steps, parents = [], []
    for before, chosen in zip(rounds, [*ones[1:], everyone], strict=True):
        steps.append(_fold(adjacency, chosen, before))
        parents.append(before[chosen])
    return Plan(labels[ones[0]], subgraphs.nodes[ones[0]], steps, parents)


def _one_of_each(colours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return a node of every colour."""
    chosen = np.empty(int(colours.max()) + 1, np.int32)
    chosen[colours[::-1]] = np.arange(len(colours) - 1, -1, -1, dtype=np.int32)
    return chosen


@kernel
def _fold_rows(indptr, indices, values, chosen, colours, new_indptr, new_indices, new_values):
    at = 0
    for row in range(len(chosen)):
        node = chosen[row]
        for entry in range(indptr[node], indptr[node + 1]):
            new_indices[at] = colours[indices[entry]]
            new_values[at] = values[entry]
            at += 1
        new_indptr[row + 1] = at


def _fold(adjacency: Matrix, chosen: npt.NDArray[np.int32], colours: npt.NDArray[np.int32]) -> Matrix:
    """Return the rows of chosen nodes, with colours in the place of their neighbours."""
    import scipy.sparse

    entries = int((adjacency.indptr[chosen + 1] - adjacency.indptr[chosen]).sum())
    indptr, indices = np.zeros(len(chosen) + 1, np.int64), np.empty(entries, np.int32)
    values = np.empty(entries, np.float32)
    _fold_rows(*(adjacency.indptr, adjacency.indices, adjacency.values, chosen, colours, indptr, indices, values))
    shape = len(chosen), int(colours.max()) + 1
    return Matrix.from_scipy(scipy.sparse.csr_array((values, indices, indptr), shape=shape))
