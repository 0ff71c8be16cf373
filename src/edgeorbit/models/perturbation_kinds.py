"""Random changes of the inputs of a training step; `edgeorbit.models.perturbations` finds them by name."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates
from edgeorbit.models.eo_gnn.model import OrbitSettings
from edgeorbit.models.eo_gnn.parts import draw_edge_weights, draw_kept, to_entries
from edgeorbit.models.neural.deepwalk import random_walks
from edgeorbit.models.neural.inputs import Features, Inputs
from edgeorbit.models.neural.product import Matrix
from edgeorbit.orbits.refine import refine

STEPS = 3  # of a walk, as MaskGAE's authors have it
ENTRIES_AT_ONCE = 1 << 22  # of features, when edges are compared part by part
DECIMALS = 6  # of a cosine; what differs by less is rounding, and counts as the same

Nodes = npt.NDArray[np.integer[Any]]
Inner = Callable[[Nodes, Nodes], npt.NDArray[np.float64]]  # inner products of the features of nodes, pair by pair


class Perturbation(ABC):
    """Drops edges or features of inputs; the trainer calls it in every step, and nothing else does.

    Parameters
    ----------
    rate
        The mean probability that an edge, or the features of a node, are dropped; at least 0 and below 1.

    Attributes
    ----------
    citation : str
        What to cite.
    """

    citation: ClassVar[str]

    def __init__(self, rate: float) -> None:
        self.rate = rate

    @abstractmethod
    def __call__(self, inputs: Inputs) -> Inputs:
        """Return perturbed inputs, as PyTorch's generator draws them; the given ones stay as they are.

        Both are in CPU memory.
        """

    def __repr__(self) -> str:
        """Name the perturbation and its rate."""
        return f"{type(self).__name__}(rate={self.rate})"


class DropEdge(Perturbation):
    """Drops every edge with the same probability, in both directions at once.

    As in the paper, layers normalise by the degrees of the remaining graph, and no weight makes up for what is missing;
    one draw serves all layers.

    Examples
    --------
    >>> import torch
    >>> from edgeorbit.graph.toys import karate
    >>> _ = torch.manual_seed(0)
    >>> 25 < DropEdge(0.5)(Inputs.of(karate(), torch.ones(34, 1))).graph.num_edges < 53
    True
    """

    citation = (
        "Rong, Huang, Xu, Huang: DropEdge: towards deep graph convolutional networks on node classification, ICLR 2020"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs of the remaining graph."""
        rates = np.full(inputs.graph.num_edges, self.rate, np.float32)
        return keep_edges(inputs, draw_kept(rates).numpy())


class DropNode(Perturbation):
    """Drops all features of a node with the same probability, and scales those of the others to the same mean.

    That is the DropNode of GRAND, `x_v e_v / (1 - p)` with `e_v` 1 or 0, without GRAND's own propagation and losses.
    Edges stay. In GraphCL (You et al., NeurIPS 2020) the word means another thing: there a node loses its edges too.
    A network that reads no features is not changed by it.
    """

    citation = (
        "Feng, Zhang, Dong, Han, Luan, Xu, Yang, Kharlamov, Tang: Graph random neural networks for semi-supervised "
        "learning on graphs, NeurIPS 2020"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs with the remaining features; what was derived from the graph holds for them too."""
        rates = np.full(inputs.graph.num_nodes, self.rate, np.float32)
        factors = draw_kept(rates).numpy() / (1 - self.rate)
        return replace(inputs, x=scale_rows(inputs.x, factors.astype(np.float32)))


class DropPath(Perturbation):
    """Drops the edges that random walks of three steps cross, until the wanted share of all edges is gone.

    This is the path-wise masking of MaskGAE, whose edges are removed and not weighted. There the rate is a share of
    the nodes that walks start from, so that the share of edges that are lost depends on the graph; here it is the
    share of edges, as for all perturbations, and as many walks are taken as that needs, the last one in part. Walks
    start at an end of a random edge, where every edge is as likely as any other to be crossed at every step.

    The name is also used for stochastic depth (Huang et al., ECCV 2016), which drops layers and knows no graph.
    """

    citation = (
        "Li, Wu, Sun, Chen, Tian, Zhu, Meng, Zheng, Wang: What's behind the mask: understanding masked graph modeling "
        "for graph autoencoders, KDD 2023"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs of the remaining graph."""
        graph = inputs.graph
        # Rounded up as often as makes the mean of the share the rate.
        wanted = int(self.rate * graph.num_edges + torch.rand(()).item())
        kept = np.ones(graph.num_edges, np.bool_)
        kept[draw_path_edges(graph, wanted)] = False
        return keep_edges(inputs, kept)


def draw_path_edges(graph: Graph, count: int) -> npt.NDArray[np.int64]:
    """Return so many different edges, by their places in `graph.edges`, as random walks come by them.

    Examples
    --------
    >>> sorted(draw_path_edges(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), 3).tolist())
    [0, 1, 2]
    """
    found: npt.NDArray[np.int64] = np.empty(0, np.int64)
    if count == 0:
        return found
    edges = graph.edges.astype(np.int64)
    known = edges @ [graph.num_nodes, 1]
    while len(found) < count:
        num_walks = 1 + count // STEPS  # they meet edges again, so that one turn is seldom enough
        ends = edges[torch.randint(len(edges), (num_walks,)).numpy(), torch.randint(2, (num_walks,)).numpy()]
        walks = random_walks(graph, ends, STEPS + 1, seed=int(torch.randint(2**62, ()).item())).astype(np.int64)
        one, other = walks[:, :-1].ravel(), walks[:, 1:].ravel()
        places = np.searchsorted(known, np.minimum(one, other) * graph.num_nodes + np.maximum(one, other))
        found = np.concatenate([found, places])
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # each where it came first
    return found[:count]


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


class D1(Perturbation):
    """Drops features and edges of large orbits: EO-GNN's D1 for any model, of a given mean rate.

    Probabilities are D1's, `min(p_max, alpha_p log(1 + share of the orbit))`, for nodes and for edges each with the
    `alpha_p` for which their mean is the rate; `p_max` and the rounds of colours are EO-GNN's defaults. Up to a rate of
    `p_max` they differ between orbits; from there on all are the rate. As in D1, features are zeroed and the others not
    scaled, and kept edges weigh `1 / (1 - p)`, in the adjacency and in degrees. Orbits are those of the very graph of
    the step.

    Unlike D1 inside of EO-GNN it changes the graph that networks derive things from: otherwise those that look at
    nothing but the graph would not notice it. EO-GNN itself has D1 of its own, which its setting `without=d1` removes.
    """

    citation = "EO-GNN, D1: automorphism-aware dropout"

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs with the remaining features, and those of the remaining graph."""
        rates = inputs.derive(self.find_rates)
        weights, kept = draw_edge_weights(rates.edges), draw_kept(rates.nodes)
        left = keep_edges(inputs, weights > 0, weights)
        return replace(left, x=scale_rows(inputs.x, kept.numpy().astype(np.float32)))

    def find_rates(self, graph: Graph) -> DropoutRates:
        """Return the probabilities for nodes and edges of a graph."""
        default = OrbitSettings()
        # With a scale of 1 and no bound: what D1's rates are in proportion to.
        colouring = refine(graph, default.rounds, threads=torch.get_num_threads())
        unbounded = DropoutRates.of(graph, colouring, alpha_p=1.0, p_max=np.inf)
        return DropoutRates(*(scale_to_mean(weights, self.rate, default.p_max) for weights in unbounded))


class D1Uniform(D1):
    """Drops features and edges as `d1` does, all with the mean of its rates: the fair comparator.

    What D1 gains beyond this is due to orbits. The mean of D1's rates is the given rate on every graph, so that orbits
    need not be found.
    """

    citation = "EO-GNN, the uniform dropout that its Theorem 4.1 compares D1 with"

    def find_rates(self, graph: Graph) -> DropoutRates:
        """Return the same probability for all nodes and edges of a graph."""
        return DropoutRates(*(np.full(count, self.rate, np.float32) for count in (graph.num_nodes, graph.num_edges)))


def scale_to_mean(weights: npt.NDArray[np.floating[Any]], mean: float, largest: float) -> npt.NDArray[np.float32]:
    """Return `min(largest, c weights)`, with the c that makes their mean the given one.

    If the mean is `largest` or more, all are the mean: then there is no room for differences.

    Parameters
    ----------
    weights
        Positive numbers.
    mean
        At least 0.
    largest
        The largest value.

    Examples
    --------
    >>> scale_to_mean(np.array([1, 2, 3, 10]), mean=0.5, largest=0.8).astype(float).round(3).tolist()
    [0.2, 0.4, 0.6, 0.8]
    """
    count = len(weights)
    if mean >= largest or count == 0:
        return np.full(count, mean, np.float32)
    descending = np.sort(weights.astype(np.float64))[::-1]
    rest = np.cumsum(descending[::-1])[::-1]
    # The c if the first 0, 1, ... are at the bound; it is right for as few of them as leave no other above it.
    factors = (mean * count - largest * np.arange(count)) / rest
    factor = factors[np.argmax(factors * descending <= largest)]
    rates: npt.NDArray[np.float32] = np.minimum(largest, factor * weights).astype(np.float32)
    return rates


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
