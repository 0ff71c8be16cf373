"""The parts of EO-GNN as PyTorch modules for any network: D1, D2 and the three-term decoder.

`OrbitDropout` is D1, `RoleEmbedding` and `OrbitBiased` are D2, `OrbitDecoder` scores pairs.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit._compiled import kernel
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates, check_rates
from edgeorbit.models.neural.decoders import pair_product
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import normal_rows
from edgeorbit.models.neural.inputs import Rows, local_rows
from edgeorbit.models.neural.rows import sum_rows
from edgeorbit.orbits.refine import refine
from edgeorbit.orbits.role_names import role_names
from edgeorbit.pairwise.common_neighbours import common_neighbours

EVALUATION_SEED = 0  # of the noise outside of training, so that scores can be repeated
TERMS = ("cn", "hadamard", "roles")


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


def role_rows(graph: Graph, rounds: int, num_roles: int) -> npt.NDArray[np.int64]:
    """Return for every node the row of its role in a table of `num_roles` rows; several roles may share one.

    >>> rows = role_rows(Graph.from_edges([[0, 1], [1, 2]]), rounds=1, num_roles=1000)
    >>> bool(rows[0] == rows[2]), bool(rows[0] == rows[1])
    (True, False)
    """
    return (role_names(graph, rounds) % np.uint64(num_roles)).astype(np.int64)


class RoleEmbedding(nn.Module):
    """Looks up a learned row for the role of every node and adds noise: `Emb(o_v) + eps_v`, of deviation tau (D2).

    The role of a node is its colour after some rounds of colour refinement of the very `edge_index` that is given. Its
    name is canonical, so that a table learned on one graph can be used on another; names are hashed into the table.

    Parameters
    ----------
    channels
        Width of a row.
    num_roles
        Rows of the table.
    rounds
        Rounds of colour refinement; few, or else most nodes of a real graph have a role of their own.
    tau
        Deviation of the noise: drawn anew in training, and from a fixed seed otherwise.

    Shapes
    ------
    edge_index (2, m); result (num_nodes, channels)

    Examples
    --------
    In a user's own GCN:

    >>> from torch_geometric.nn import GCNConv
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.roles, self.conv = RoleEmbedding(16), GCNConv(4 + 16, 8)
    ...
    ...     def forward(self, x, edge_index):
    ...         roles = self.roles(edge_index, num_nodes=len(x))
    ...         return self.conv(torch.cat([roles, x], dim=1), edge_index)
    >>> Net()(torch.ones(3, 4), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])).shape
    torch.Size([3, 8])
    """

    def __init__(self, channels: int, num_roles: int = 4096, rounds: int = 2, tau: float = 0.1) -> None:
        super().__init__()
        if channels < 1 or num_roles < 1:
            raise InvalidParameterError(
                f"a role table has at least one row and one channel, not {num_roles} and {channels}"
            )
        if not 0 <= tau < float("inf"):
            raise InvalidParameterError(f"tau is a deviation of 0 or more, not {tau}")
        if rounds < 0:
            raise InvalidParameterError(f"rounds must be 0 or more, not {rounds}")
        self.num_roles, self.rounds, self.tau = num_roles, rounds, tau
        self.noise_seed = EVALUATION_SEED
        self.table = nn.Embedding(num_roles, channels)
        nn.init.normal_(self.table.weight, std=channels**-0.5)

    def forward(self, edge_index: Tensor, num_nodes: int | None = None) -> Tensor:
        """Return the rows of all nodes of a graph."""
        graph = from_edge_index(edge_index.cpu(), num_nodes)
        return self.of(torch.from_numpy(role_rows(graph, self.rounds, self.num_roles)).to(edge_index.device))

    def of(self, rows: Tensor, nodes: npt.NDArray[np.int32] | None = None) -> Tensor:
        """Return rows of the table, with noise: those of all nodes, or of the given ones alone."""
        asked = rows if nodes is None else rows[torch.from_numpy(nodes)]
        roles: Tensor = self.table(asked.to(self.table.weight.device))
        if self.tau == 0:
            return roles
        channels = roles.shape[1]
        if self.training:
            drawn = normal_rows(np.arange(len(rows), dtype=np.int32) if nodes is None else nodes, channels)
        else:
            generator = torch.Generator().manual_seed(self.noise_seed)
            # In single precision whatever that of the weights, because the numbers drawn depend on it.
            every = torch.randn((len(rows), channels), generator=generator, dtype=torch.float32).numpy()
            drawn = every if nodes is None else every[nodes]
        return roles + self.tau * place(drawn, roles)

    def extra_repr(self) -> str:
        """Give the settings."""
        return f"rounds={self.rounds}, tau={self.tau}"


class OrbitBiased(nn.Module):
    """Adds `W h_v` to the result of a layer, where `h_v` is the role embedding of the node (D2).

    Parameters
    ----------
    conv
        Any layer that is called with features and a graph, such as those of PyG.
    role_channels
        Width of the role embeddings.
    out_channels
        Width of what the layer returns; by default its own `out_channels`.

    Shapes
    ------
    x (n, in_channels), roles (n, role_channels); result (n, out_channels)

    Examples
    --------
    In a user's own GCN:

    >>> import torch
    >>> from torch_geometric.nn import GCNConv
    >>> from edgeorbit.models.eo_gnn.parts import RoleEmbedding
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.roles, self.conv = RoleEmbedding(16), OrbitBiased(GCNConv(4, 8), role_channels=16)
    ...
    ...     def forward(self, x, edge_index):
    ...         return self.conv(x, edge_index, roles=self.roles(edge_index, len(x)))
    >>> Net()(torch.ones(3, 4), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])).shape
    torch.Size([3, 8])
    """

    def __init__(self, conv: nn.Module, role_channels: int, out_channels: int | None = None) -> None:
        super().__init__()
        width: Any = out_channels or getattr(conv, "out_channels", None)
        if not isinstance(width, int):
            raise InvalidParameterError(f"{type(conv).__name__} does not say how wide it is; give out_channels")
        self.conv = conv
        self.bias = nn.Linear(role_channels, width, bias=False)

    def forward(self, x: Any, edge_index: Any, *arguments: Any, roles: Tensor, **options: Any) -> Tensor:
        """Return what the layer makes of its arguments, biased by roles."""
        out: Tensor = self.conv(x, edge_index, *arguments, **options)
        biased: Tensor = out + self.bias(roles[: len(out)])  # a layer of some rows returns fewer than it was given
        return biased


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
    >>> from edgeorbit.models.eo_gnn.parts import RoleEmbedding
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

    def score(self, x: Tensor, roles: Tensor, pairs: Tensor, graph: Graph, rows: Rows | None = None) -> Tensor:
        """Return the logits of pairs of shape (k, 2), which are in main memory; `rows` are those of `x`."""
        found = []
        if "cn" in self.terms:
            found.append(map_common_neighbours(self.terms["cn"], x, pairs, graph, rows))
        pairs = local_rows(rows, pairs)
        if "hadamard" in self.terms:
            found.append(self.terms["hadamard"](pair_product(x, pairs)))
        if "roles" in self.terms:
            found.append(self.terms["roles"](pair_product(roles, pairs)))
        logits: Tensor = self.final(torch.relu(sum(found[1:], start=found[0]))).squeeze(-1)
        return logits


def map_common_neighbours(
    linear: nn.Module, x: Tensor, pairs: Tensor, graph: Graph, rows: Rows | None = None, *, mean: bool = False
) -> Tensor:
    """Return a linear map of the sum over common neighbours or of their mean, shape (k, out_channels).

    Most pairs of a sparse graph have none; only the others are mapped.
    """
    indptr, indices = common_neighbours(graph, pairs.numpy(), threads=torch.get_num_threads())
    counts = np.diff(indptr)
    some = np.flatnonzero(counts)
    found = sum_rows(np.append(indptr[some], indptr[-1]), local_rows(rows, indices), x)
    if mean:
        found = found / place(counts[some], found)[:, None]
    mapped: Tensor = linear(found)
    return mapped.new_zeros(len(pairs), mapped.shape[1]).index_copy(0, place(some, mapped), mapped)


def check_terms(without: Collection[str], known: Collection[str]) -> None:
    """Refuse the names of parts that there are not."""
    for name in without:
        if name not in known:
            raise InvalidParameterError(f"there is no part {name!r} to leave out; choose from {', '.join(known)}")
