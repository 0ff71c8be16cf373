"""From the embeddings of two nodes to a logit for their link: their product, entry by entry, and decoders of it.

For the product, indexing would make two copies and scatter their gradients one entry at a time; here every pair is read
once, and a thread of the backward pass owns a part of the channels, so that sums are the same for any number of
threads. On other devices than the CPU it is indexing after all, whose gradients PyTorch sorts and adds up in order.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.models.neural import device
from edgeorbit.models.neural.dropout import RectifiedDropout

WORTH_A_THREAD = 1 << 22  # multiplications below which another thread costs more than it brings


@kernel
def _forward(x, pairs, out, start, stop):
    for i in range(start, stop):
        u, v = pairs[i, 0], pairs[i, 1]
        for channel in range(x.shape[1]):
            out[i, channel] = x[u, channel] * x[v, channel]


@kernel
def _backward(x, pairs, gradient, out, start, stop):
    for i in range(len(pairs)):
        for side in range(2):
            u, v = pairs[i, side], pairs[i, 1 - side]
            # Views start at channel 0, which numba knows to be no negative index: only so is the loop vectorised.
            row, flow, other = out[u, start:stop], gradient[i, start:stop], x[v, start:stop]
            for channel in range(len(row)):
                row[channel] += flow[channel] * other[channel]


def _threads(work: int) -> int:
    return min(resolve_threads(torch.get_num_threads()), 1 + work // WORTH_A_THREAD)


class _PairProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, pairs: Tensor) -> Tensor:
        ctx.save_for_backward(x, pairs)
        values, ends = x.detach().contiguous().numpy(), pairs.contiguous().numpy()
        out = np.empty((len(ends), values.shape[1]), values.dtype)
        run_all(_forward, [(values, ends, out, *part) for part in split_range(len(ends), _threads(out.size))])
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        x, pairs = ctx.saved_tensors
        values, ends, flow = x.detach().contiguous().numpy(), pairs.contiguous().numpy(), gradient.contiguous().numpy()
        out = np.zeros_like(values)
        parts = split_range(values.shape[1], _threads(flow.size))
        run_all(_backward, [(values, ends, flow, out, *part) for part in parts])
        return torch.from_numpy(out), None


def pair_product(x: Tensor, pairs: Tensor) -> Tensor:
    """Return `x[u] * x[v]` for node pairs (u, v), which are in main memory wherever `x` is.

    Shapes
    ------
    x (n, d), pairs (k, 2), result (k, d)

    Examples
    --------
    >>> pair_product(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[0, 1], [1, 2]])).tolist()
    [[2.0], [6.0]]
    """
    if not device.on_cpu(x):
        first, second = pairs.to(x.device).unbind(dim=1)
        return x[first] * x[second]
    product: Tensor = _PairProduct.apply(x, pairs)
    return product


class Decoder(nn.Module, ABC):
    """Scores node pairs by the product of their embeddings, which is the same in either order."""

    def __init__(self, channels: int, num_layers: int, dropout: float) -> None:
        super().__init__()

    @abstractmethod
    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,) for products of two embeddings, entry by entry, of shape (k, channels)."""


class DotDecoder(Decoder):
    """The inner product of the two embeddings."""

    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,)."""
        return product.sum(dim=-1)


class MLPDecoder(Decoder):
    """A network over the product of the embeddings, entry by entry."""

    def __init__(self, channels: int, num_layers: int, dropout: float) -> None:
        super().__init__(channels, num_layers, dropout)
        # Stored weights have names by place, from when ReLU and dropout were two parts.
        hidden = [
            part
            for _ in range(num_layers - 1)
            for part in (nn.Linear(channels, channels), RectifiedDropout(dropout), nn.Identity())
        ]
        self.network = nn.Sequential(*hidden, nn.Linear(channels, 1))

    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,)."""
        logits: Tensor = self.network(product).squeeze(-1)
        return logits


class ResidualDecoder(Decoder):
    """A network over the product of the embeddings, whose hidden layers add to their input."""

    def __init__(self, channels: int, num_layers: int, dropout: float) -> None:
        super().__init__(channels, num_layers, dropout)
        self.hidden = nn.ModuleList(nn.Linear(channels, channels) for _ in range(num_layers - 1))
        self.last = nn.Linear(channels, 1)
        self.rectified_dropout = RectifiedDropout(dropout)

    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,)."""
        for layer in self.hidden:
            product = product + self.rectified_dropout(layer(product))
        logits: Tensor = self.last(product).squeeze(-1)
        return logits


DECODERS: dict[str, type[Decoder]] = {"dot": DotDecoder, "mlp": MLPDecoder, "residual": ResidualDecoder}
