"""One iteration of the neural Bellman-Ford algorithm."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.models.nbfnet.scales import add_scales
from edgeorbit.models.nbfnet.statistics import aggregate_rows
from edgeorbit.models.neural.product import Matrix, multiply
from edgeorbit.models.neural.rows import gather

AGGREGATES = ("pna", "sum")


class Messages(NamedTuple):
    """Who hears whom in an iteration, and what it is told besides.

    Attributes
    ----------
    matrix : Matrix
        For every state after the iteration, ones at the states before it of the node itself and of its neighbours.
    own : int32 array or None
        For every state, that of the same node before; None if they stand in the same order.
    share : float32 array
        For every state, one divided by the number of its messages, that of the boundary condition among them.
    scale : float32 array
        The logarithm of that number, divided by its mean over all nodes.
    is_source : bool array
        For every state, whether its node is its source.
    """

    matrix: Matrix
    own: npt.NDArray[np.int32] | None
    share: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    is_source: npt.NDArray[np.bool_]


class BellmanFordLayer(nn.Module):
    """Aggregates messages `h_j * r` of a node and its neighbours, and the boundary condition, and maps them.

    The boundary condition is the query at the source, and 0 elsewhere. `pna` aggregates by mean, maximum, minimum and
    deviation, each of them plain, times the logarithm of the degree, and divided by it.

    Parameters
    ----------
    channels
        Width of the states.
    aggregate
        `pna` or `sum`.
    layer_norm, shortcut
        Whether the result is normalised, and whether the state before is added to it.
    """

    def __init__(self, channels: int, aggregate: str, layer_norm: bool, shortcut: bool) -> None:
        super().__init__()
        self.channels, self.aggregate, self.shortcut = channels, aggregate, shortcut
        self.relation = nn.Parameter(torch.randn(channels))
        self.linear = nn.Linear(channels * (13 if aggregate == "pna" else 2), channels)
        self.norm = nn.LayerNorm(channels) if layer_norm else nn.Identity()

    def forward(self, before: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map states of shape (columns, channels) to states of shape (rows, channels)."""
        own = before if messages.own is None else gather(before, messages.own)
        make = self.map_statistics if self.aggregate == "pna" else self.map_sum
        hidden: Tensor = torch.relu(self.norm(make(before * self.relation, own, messages, query)))
        return hidden + own if self.shortcut else hidden

    def map_sum(self, sent: Tensor, own: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map the state of a node and the sum of its messages."""
        boundary = torch.outer(torch.from_numpy(messages.is_source).to(query.dtype), query)
        mapped: Tensor = self.linear(torch.cat([own, multiply(messages.matrix, sent) + boundary], dim=1))
        return mapped

    def map_statistics(self, sent: Tensor, own: Tensor, messages: Messages, query: Tensor) -> Tensor:
        """Map the state of a node and twelve statistics of its messages.

        The three scales are applied after the linear map, to a quarter of the numbers.
        """
        found = aggregate_rows(messages.matrix, sent, query, messages.is_source, messages.share)
        to_own, *to_scales = self.linear.weight.split([self.channels, *[4 * self.channels] * 3], dim=1)
        mapped = found @ torch.cat(to_scales).T
        return add_scales(torch.addmm(self.linear.bias, own, to_own.T), mapped, messages.scale)
