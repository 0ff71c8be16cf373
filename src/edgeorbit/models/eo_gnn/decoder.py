"""The three-term decoder of EO-GNN: common neighbours, the two ends, and their roles."""

from collections.abc import Collection

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.pair_product import pair_product
from edgeorbit.models.neural.rows import sum_rows
from edgeorbit.pairwise.common_neighbours import common_neighbours

TERMS = ("cn", "hadamard", "roles")


class OrbitDecoder(nn.Module):
    """Scores pairs by `w . ReLU(W_cn sum of x_w over common neighbours w + W_h (x_u * x_v) + W_o (o_u * o_v))`.

    Parameters
    ----------
    channels, role_channels
        Width of the embeddings and of the role embeddings.
    without
        Terms to leave out, of `cn`, `hadamard` and `roles`.

    Shapes
    ------
    x (n, channels), roles (n, role_channels), edge_label_index (2, k), edge_index (2, m); result (k,)

    Examples
    --------
    In a user's own model; `edge_index` has no link that is scored:

    >>> from torch_geometric.nn import GCNConv
    >>> from edgeorbit.models.eo_gnn.roles import RoleEmbedding
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.roles, self.conv, self.decoder = RoleEmbedding(16), GCNConv(4, 8), OrbitDecoder(8, 16)
    ...
    ...     def forward(self, x, edge_index, edge_label_index):
    ...         roles = self.roles(edge_index, len(x))
    ...         return self.decoder(self.conv(x, edge_index), roles, edge_label_index, edge_index)
    >>> Net()(torch.ones(3, 4), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([[0], [2]])).shape
    torch.Size([1])
    """

    def __init__(self, channels: int, role_channels: int, without: Collection[str] = ()) -> None:
        super().__init__()
        check_terms(without, TERMS)
        if set(without) >= set(TERMS):
            raise InvalidParameterError(f"a decoder needs one of its terms {', '.join(TERMS)}; leave one in")
        widths = {"cn": channels, "hadamard": channels, "roles": role_channels}
        self.terms = nn.ModuleDict(
            {name: nn.Linear(widths[name], channels, bias=False) for name in TERMS if name not in without}
        )
        self.final = nn.Linear(channels, 1, bias=False)

    def forward(self, x: Tensor, roles: Tensor, edge_label_index: Tensor, edge_index: Tensor) -> Tensor:
        """Return the logits of pairs."""
        return self.score(x, roles, edge_label_index.T.cpu(), from_edge_index(edge_index.cpu(), len(x)))

    def score(self, x: Tensor, roles: Tensor, pairs: Tensor, graph: Graph) -> Tensor:
        """Return the logits of pairs of shape (k, 2), which are in the memory of the processor."""
        found = []
        if "cn" in self.terms:
            found.append(map_common_neighbours(self.terms["cn"], x, pairs, graph))
        if "hadamard" in self.terms:
            found.append(self.terms["hadamard"](pair_product(x, pairs)))
        if "roles" in self.terms:
            found.append(self.terms["roles"](pair_product(roles, pairs)))
        logits: Tensor = self.final(torch.relu(sum(found[1:], start=found[0]))).squeeze(-1)
        return logits


def map_common_neighbours(linear: nn.Module, x: Tensor, pairs: Tensor, graph: Graph, *, mean: bool = False) -> Tensor:
    """Return a linear map of the sum over common neighbours or of their mean, shape (k, out_channels).

    Most pairs of a sparse graph have none; only the others are mapped.
    """
    indptr, indices = common_neighbours(graph, pairs.numpy(), threads=torch.get_num_threads())
    counts = np.diff(indptr)
    some = np.flatnonzero(counts)
    found = sum_rows(np.append(indptr[some], indptr[-1]), indices, x)
    if mean:
        found = found / place(counts[some], found)[:, None]
    mapped: Tensor = linear(found)
    return mapped.new_zeros(len(pairs), mapped.shape[1]).index_copy(0, place(some, mapped), mapped)


def check_terms(without: Collection[str], known: Collection[str]) -> None:
    """Refuse the names of parts that there are not."""
    for name in without:
        if name not in known:
            raise InvalidParameterError(f"there is no part {name!r} to leave out; choose from {', '.join(known)}")
