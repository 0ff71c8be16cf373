"""AdaEdge, by features: the less alike the ends of an edge are, the likelier it is dropped."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.models.eo_gnn.orbit_dropout import draw_kept
from edgeorbit.models.neural.inputs import Features, Inputs
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.perturbations.perturbation import Perturbation
from edgeorbit.models.perturbations.rates import scale_to_mean
from edgeorbit.models.perturbations.remaining import keep_edges

ENTRIES_AT_ONCE = 1 << 22  # of features, when edges are compared part by part
DECIMALS = 6  # of a cosine; what differs by less is rounding, and counts as the same

Nodes = npt.NDArray[np.integer[Any]]
Inner = Callable[[Nodes, Nodes], npt.NDArray[np.float64]]  # inner products of the features of nodes, pair by pair


class AdaEdge(Perturbation):
    """Drops edges by the local homophily of features, in both directions at once.

    The original removes edges between nodes of different predicted classes, and adds some between nodes of the same.
    A link predictor has no classes, so here the cosine of the features of its two ends tells whether an edge is
    homophilous: the probability is in proportion to the rank of an edge among all edges, the most alike first, equal
    ones sharing a rank, and at most 1. Ranks, and not cosines, because the cosines of sparse features all lie near 0:
    on Cora, nine in ten rates in proportion to `1 - cosine` would be 0.7 to 1.2 times their mean. If all cosines are
    the same, as with constant features, it is uniform: DropEdge. Edges are removed and not weighted, as in the
    original; none are added.
    """

    citation = (
        "Chen, Lin, Li, Li, Zhou, Sun: Measuring and relieving the over-smoothing problem for graph neural networks "
        "from the topological view, AAAI 2020"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs of the remaining graph."""
        return keep_edges(inputs, draw_kept(self.find_rates(inputs)).numpy())

    def find_rates(self, inputs: Inputs) -> npt.NDArray[np.float32]:
        """Return the probability of every edge, in the order of `graph.edges`."""
        alike = cosines(inputs.x, inputs.graph.edges).round(DECIMALS)
        _, place, count = np.unique(-alike, return_inverse=True, return_counts=True)
        ranks = np.cumsum(count) - count / 2
        return scale_to_mean(ranks[place], self.rate, largest=1.0)


def cosines(x: Features, pairs: Nodes) -> npt.NDArray[np.float64]:
    """Return the cosine of the features of each pair of nodes; 0 if one of them has none.

    Examples
    --------
    >>> import torch
    >>> cosines(torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), np.array([[0, 1], [1, 2]])).round(3).tolist()
    [0.707, 0.0]
    """
    inner, nodes = _sparse_inner(x) if isinstance(x, Matrix) else _dense_inner(x.numpy()), np.arange(x.shape[0])
    entries = len(x.indices) if isinstance(x, Matrix) else x.numel()
    step = 1 + ENTRIES_AT_ONCE * len(nodes) // max(entries, 1)
    lengths = np.sqrt(_by_parts(inner, nodes, nodes, step))
    one, other = pairs.T
    both = lengths[one] * lengths[other]
    return _by_parts(inner, one, other, step) / np.where(both > 0, both, 1)


def _by_parts(inner: Inner, one: Nodes, other: Nodes, step: int) -> npt.NDArray[np.float64]:
    found = np.empty(len(one))
    for start in range(0, len(one), step):
        part = slice(start, start + step)
        found[part] = inner(one[part], other[part])
    return found


def _dense_inner(x: npt.NDArray[np.float32]) -> Inner:
    return lambda one, other: np.einsum("ij,ij->i", x[one], x[other], dtype=np.float64)


def _sparse_inner(x: Matrix) -> Inner:
    import scipy.sparse

    rows = scipy.sparse.csr_array((x.values.astype(np.float64), x.indices, x.indptr), shape=x.shape)
    return lambda one, other: rows[one].multiply(rows[other]).sum(axis=1)
