"""D1, automorphism-aware dropout: the larger the orbit of a node or an edge, the likelier it is dropped."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit._compiled import kernel
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates, check_rates
from edgeorbit.orbits.refine import refine


def draw_kept(rates: npt.NDArray[np.float32]) -> Tensor:
    """Return for every rate whether it is kept, as drawn by PyTorch's generator."""
    return torch.rand(len(rates)) >= torch.from_numpy(rates)


def draw_edge_weights(rates: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return for every edge 0 if it is dropped, and otherwise what makes up for it on average."""
    return (draw_kept(rates).numpy() / (1 - rates)).astype(np.float32, copy=False)


@kernel
def _both_directions(indptr, indices, values, out):
    """Write the value of every edge to its two entries. Edges come by their smaller node, so rows fill in order."""
    filled = indptr[:-1].copy()
    edge = 0
    for u in range(len(filled)):
        for j in range(indptr[u], indptr[u + 1]):
            v = indices[j]
            if v > u:
                out[j] = values[edge]
                out[filled[v]] = values[edge]
                filled[v] += 1
                edge += 1


def to_entries(graph: Graph, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return values of edges, in the order of `graph.edges`, for the entries of the adjacency matrix.

    >>> to_entries(Graph.from_edges([[0, 1], [1, 2]]), np.array([5, 7], np.float32)).tolist()
    [5.0, 5.0, 7.0, 7.0]
    """
    out = np.empty(len(graph.indices), np.float32)
    _both_directions(graph.indptr, graph.indices, values, out)
    return out


class OrbitDropout(nn.Module):
    """Drops features and edges of large orbits, in training only (D1).

    A node of an orbit O loses its features with probability `min(p_max, alpha_p log(1 + |O| / |V|))`, an edge of an
    orbit E is dropped with probability `min(p_max, alpha_p log(1 + |E| / |edges|))`, in both directions at once, and
    the edges that are kept weigh `1 / (1 - p)`. Orbits are those of the very `edge_index` that is given.

    Parameters
    ----------
    alpha_p
        Scale of the probabilities, 0 or more.
    p_max
        The largest probability, below 1.
    rounds
        Rounds of colour refinement, as many as there are layers; None for stable colours.

    Shapes
    ------
    x (n, channels), edge_index (2, m); result: x (n, channels), edge_index (2, at most m), edge_weight of its length,
    or None outside of training

    Examples
    --------
    In a user's own GCN:

    >>> from torch_geometric.nn import GCNConv
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.drop, self.conv = OrbitDropout(alpha_p=1.0, p_max=0.5), GCNConv(4, 8)
    ...
    ...     def forward(self, x, edge_index):
    ...         x, edge_index, edge_weight = self.drop(x, edge_index)
    ...         return self.conv(x, edge_index, edge_weight)
    >>> Net()(torch.ones(3, 4), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])).shape
    torch.Size([3, 8])
    """

    def __init__(self, alpha_p: float = 1.0, p_max: float = 0.5, rounds: int | None = 2) -> None:
        super().__init__()
        check_rates(alpha_p, p_max)
        self.alpha_p, self.p_max, self.rounds = alpha_p, p_max, rounds

    def forward(self, x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return what is left of features and edges, and the weights of these."""
        if not self.training:
            return x, edge_index, None
        graph = from_edge_index(edge_index.cpu(), len(x))
        rates = DropoutRates.of(graph, refine(graph, self.rounds), self.alpha_p, self.p_max)
        # Columns may stand in any order and repeat; every undirected edge is drawn once. A self-loop is no edge of the
        # graph, and stays.
        weights = np.append(draw_edge_weights(rates.edges), np.float32(1))
        ends = np.sort(edge_index.cpu().numpy(), axis=0)
        known = graph.edges.astype(np.int64) @ [len(x), 1]
        place = np.where(ends[0] == ends[1], len(known), np.searchsorted(known, ends[0] * len(x) + ends[1]))
        weight = torch.from_numpy(weights[place]).to(x)
        kept = weight > 0
        return x * draw_kept(rates.nodes).to(x)[:, None], edge_index[:, kept], weight[kept]

    def extra_repr(self) -> str:
        """Give the settings."""
        return f"alpha_p={self.alpha_p}, p_max={self.p_max}, rounds={self.rounds}"
