"""D2's orbit-biased aggregation: any layer of message passing, with a term for the role of the node itself."""

from typing import Any

from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError


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
    >>> from edgeorbit.models.eo_gnn.roles import RoleEmbedding
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
        out: Tensor = self.conv(x, edge_index, *arguments, **options) + self.bias(roles)
        return out
