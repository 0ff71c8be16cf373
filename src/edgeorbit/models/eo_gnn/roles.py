"""D2's role embedding: a learned row for the role of every node, with noise."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural import device
from edgeorbit.orbits.role_names import role_names

EVALUATION_SEED = 0  # of the noise outside of training, so that scores can be repeated


def role_rows(graph: Graph, rounds: int, num_roles: int) -> npt.NDArray[np.int64]:
    """Return for every node the row of its role in a table of so many rows; several roles may share one.

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

    def of(self, rows: Tensor) -> Tensor:
        """Return rows of the table, with noise."""
        roles: Tensor = self.table(rows.to(self.table.weight.device))
        if self.tau == 0:
            return roles
        if self.training:
            generator, where = device.draw_generator(roles.device), roles.device
        else:  # drawn by the processor, so that scores are the same on every device
            generator, where = torch.Generator().manual_seed(self.noise_seed), torch.device("cpu")
        # In single precision whatever that of the weights, because the numbers drawn depend on it.
        noise = torch.randn(roles.shape, generator=generator, device=where, dtype=torch.float32)
        return roles + self.tau * noise.to(roles)

    def extra_repr(self) -> str:
        """Give the settings."""
        return f"rounds={self.rounds}, tau={self.tau}"
