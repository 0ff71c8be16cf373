"""One iteration of the neural Bellman-Ford algorithm."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from edgeorbit.models.nbfnet.statistics import aggregate_rows
from edgeorbit.models.neural.product import Matrix, multiply

AGGREGATES = ("pna", "sum")
SMALLEST_VARIANCE = 1e-6  # the original's
SMALLEST_SCALE = 1e-2


class Messages(NamedTuple):
    """Who hears whom in an iteration, and what it is told besides.

    Attributes
    ----------
    matrix : Matrix
        For every state after the iteration, ones at the states before it of the node itself and of its neighbours.
    own : Tensor or None
        For every state, that of the same node before; None if they stand in the same order.
    degree : Tensor
        Number of messages of every state, that of the boundary condition among them, shape (rows, 1).
    scale : Tensor
        The logarithm of that, divided by its mean over all nodes, shape (rows, 1).
    at_source : Tensor or None
        The states whose node is their source; None if there are none.
    """

    matrix: Matrix
    own: Tensor | None
    degree: Tensor
    scale: Tensor
    at_source: Tensor | None


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
        own = before if messages.own is None else before[messages.own]
        boundary = before.new_zeros(len(own), self.channels)
        if messages.at_source is not None:
            boundary = boundary.index_copy(0, messages.at_source, query.expand(len(messages.at_source), -1))
        make = self.map_statistics if self.aggregate == "pna" else self.map_sum
        hidden: Tensor = torch.relu(self.norm(make(before * self.relation, own, boundary, messages)))
        return hidden + own if self.shortcut else hidden

    def map_sum(self, sent: Tensor, own: Tensor, boundary: Tensor, messages: Messages) -> Tensor:
        """Map the state of a node and the sum of its messages."""
        mapped: Tensor = self.linear(torch.cat([own, multiply(messages.matrix, sent) + boundary], dim=1))
        return mapped

    def map_statistics(self, sent: Tensor, own: Tensor, boundary: Tensor, messages: Messages) -> Tensor:
        """Map the state of a node and twelve statistics of its messages.

        The three scales are applied after the linear map, to a quarter of the numbers.
        """
        found = aggregate_rows(messages.matrix, sent)
        mean = (found.sums + boundary) / messages.degree
        variance = (found.squares + boundary.square()) / messages.degree - mean.square()
        largest, smallest = torch.maximum(found.largest, boundary), torch.minimum(found.smallest, boundary)
        deviation = variance.clamp(min=SMALLEST_VARIANCE).sqrt()
        to_own, *to_scales = self.linear.weight.split([self.channels, *[4 * self.channels] * 3], dim=1)
        mapped = torch.cat([mean, largest, smallest, deviation], dim=1) @ torch.cat(to_scales).T
        plain, times, over = mapped.split(self.channels, dim=1)
        scaled = plain + messages.scale * times + over / messages.scale.clamp(min=SMALLEST_SCALE)
        out: Tensor = own @ to_own.T + self.linear.bias + scaled
        return out
