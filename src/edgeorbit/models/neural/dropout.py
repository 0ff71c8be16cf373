"""Dropout, and other random numbers, that belong to nodes: each follows from a seed, its node and its channel alone.

So it does not matter which rows of an embedding are computed, in which order, on which device, or by how many threads.
The seed is one number from PyTorch's generator for all of them. Four draws come from a word of 64 bits: that is several
times as quick as PyTorch's dropout on a CPU.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from edgeorbit._compiled import inlined, kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit.models.neural import device
from edgeorbit.models.neural.inputs import Features
from edgeorbit.models.neural.product import Matrix
from edgeorbit.pairwise.pairs import mix_bits

STEPS = 1 << 16  # a rate is rounded to a multiple of 1 / STEPS
ENTRIES_PER_THREAD = 1 << 18  # below this a second thread costs more than it saves

_NODE, _WORD = 0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03  # odd, and far from each other's multiples

Nodes = npt.NDArray[np.int32] | None


@inlined
def _words(seed, node, words):
    """Fill in the random bits of a node."""
    key = mix_bits(seed + np.uint64(node) * np.uint64(0x9E37_79B9_7F4A_7C15))
    for word in range(len(words)):
        words[word] = mix_bits(key + np.uint64(word) * np.uint64(0xD1B5_4A32_D192_ED03))


@kernel
def _keep_rows(given, nodes, seed, threshold, scale, out, start, stop):
    """Write rows `start` to `stop`: entries scaled, or zero if their bits are below the threshold."""
    width = given.shape[1]
    words = np.empty((width + 3) // 4, np.uint64)
    draws = words.view(np.uint16)[:width]
    for row in range(start, stop):
        _words(seed, nodes[row] if len(nodes) > 0 else row, words)
        x, result = given[row], out[row]
        for channel in range(width):
            result[channel] = x[channel] * scale if draws[channel] >= threshold else 0


@kernel
def _keep_entries(indptr, indices, given, nodes, seed, threshold, scale, out, start, stop):
    """Do the same with the entries of a sparse matrix, whose columns are the channels; without values, of ones."""
    for row in range(start, stop):
        node = nodes[row] if len(nodes) > 0 else row
        key = mix_bits(seed + np.uint64(node) * np.uint64(0x9E37_79B9_7F4A_7C15))
        for entry in range(indptr[row], indptr[row + 1]):
            column = np.uint64(indices[entry])
            word = mix_bits(key + (column >> np.uint64(2)) * np.uint64(0xD1B5_4A32_D192_ED03))
            draw = (word >> (np.uint64(16) * (column & np.uint64(3)))) & np.uint64(0xFFFF)
            value = given[entry] if len(given) > 0 else np.float32(1)
            out[entry] = value * scale if draw >= threshold else 0


@kernel
def _uniform_rows(nodes, seed, out, start, stop):
    """Write rows `start` to `stop` of numbers from [0, 1)."""
    words = np.empty((out.shape[1] + 1) // 2, np.uint64)
    halves = words.view(np.uint32)
    for row in range(start, stop):
        _words(seed, nodes[row], words)
        for channel in range(out.shape[1]):
            out[row, channel] = np.float32(halves[channel] >> np.uint32(8)) * np.float32(2.0**-24)


@kernel
def _normal_rows(nodes, seed, out, start, stop):
    """Write rows `start` to `stop` of numbers of the normal distribution, two from two uniform ones (Box, Muller)."""
    words = np.empty((out.shape[1] + 1) // 2, np.uint64)
    halves = words.view(np.uint32)
    for row in range(start, stop):
        _words(seed, nodes[row], words)
        for pair in range(len(words)):
            first = (np.float32(halves[2 * pair] >> np.uint32(8)) + np.float32(0.5)) * np.float32(2.0**-24)
            radius = np.sqrt(np.float32(-2) * np.log(first))
            angle = np.float32(halves[2 * pair + 1] >> np.uint32(8)) * np.float32(2.0**-23 * np.pi)
            out[row, 2 * pair] = radius * np.cos(angle)
            if 2 * pair + 1 < out.shape[1]:
                out[row, 2 * pair + 1] = radius * np.sin(angle)


def draw_seed() -> int:
    """Take a seed from PyTorch's generator of the CPU."""
    return int(torch.randint(2**62, ()).item())


def uniform_rows(nodes: npt.NDArray[np.int32], channels: int) -> npt.NDArray[np.float32]:
    """Return random numbers from [0, 1) for nodes, each with a node's own."""
    return _fill(_uniform_rows, nodes, channels)


def normal_rows(nodes: npt.NDArray[np.int32], channels: int) -> npt.NDArray[np.float32]:
    """Return random numbers of the normal distribution for nodes, each with a node's own."""
    return _fill(_normal_rows, nodes, channels)


def _fill(function: Any, nodes: npt.NDArray[np.int32], channels: int) -> npt.NDArray[np.float32]:
    seed, out = np.uint64(draw_seed()), np.empty((len(nodes), channels), np.float32)
    run_all(function, [(nodes, seed, out, *part) for part in _parts(out.shape)])
    return out


def _parts(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    threads = min(resolve_threads(torch.get_num_threads()), 1 + shape[0] * shape[1] // ENTRIES_PER_THREAD)
    return split_range(shape[0], threads)


def dropout(x: Tensor, rate: float, training: bool, nodes: Nodes = None) -> Tensor:
    """Return `x` with a share of its entries set to zero and the others scaled to the same mean; in training only.

    The draws follow from PyTorch's generator, of which one number is taken.

    Parameters
    ----------
    x
        A matrix.
    rate
        The share.
    training
        Whether to drop at all.
    nodes
        What the rows belong to; by default row i belongs to i.
    """
    threshold = round(rate * STEPS)
    if not training or threshold == 0:
        return x
    if threshold == STEPS:
        return x * 0
    seed = draw_seed()
    if not device.on_cpu(x):
        return x * _placed_draws(x, seed, nodes).ge(threshold).to(x.dtype).mul_(STEPS / (STEPS - threshold))
    dropped: Tensor = _Dropped.apply(x, seed, threshold, np.empty(0, np.int32) if nodes is None else nodes)
    return dropped


def _placed_draws(x: Tensor, seed: int, nodes: Nodes) -> Tensor:
    """Return for every entry the 16 bits that the kernel has, as a tensor on its device."""
    rows = torch.arange(len(x), device=x.device) if nodes is None else device.place(nodes, x).long()
    words = torch.arange((x.shape[1] + 3) // 4, device=x.device)
    key = _mix(seed + rows * _signed(_NODE))
    bits = _mix(key[:, None] + words * _signed(_WORD))
    draws = torch.stack([bits >> shift & 0xFFFF for shift in (0, 16, 32, 48)], dim=2)
    return draws.flatten(start_dim=1)[:, : x.shape[1]]


def _mix(state: Tensor) -> Tensor:
    """Return `mix_bits` of whole numbers, of which PyTorch knows signed ones alone."""
    state = (state ^ (state >> 30 & (1 << 34) - 1)) * _signed(0xBF58_476D_1CE4_E5B9)
    state = (state ^ (state >> 27 & (1 << 37) - 1)) * _signed(0x94D0_49BB_1331_11EB)
    return state ^ (state >> 31 & (1 << 33) - 1)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


class _Dropped(torch.autograd.Function):
    """Entries times a scale where their bits are large enough; the gradient goes the same way."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, seed: int, threshold: int, nodes: npt.NDArray[np.int32]) -> Tensor:
        """Drop entries."""
        ctx.draw = seed, threshold, nodes
        return _keep(x, *ctx.draw)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        """Drop their gradients."""
        return _keep(gradient, *ctx.draw), None, None, None


def _keep(x: Tensor, seed: int, threshold: int, nodes: npt.NDArray[np.int32]) -> Tensor:
    given = x.detach().contiguous().numpy()
    out = np.empty_like(given)
    scale = given.dtype.type(STEPS / (STEPS - threshold))
    arguments = given, nodes, np.uint64(seed), np.uint16(threshold), scale, out
    run_all(_keep_rows, [(*arguments, *part) for part in _parts(given.shape)])
    return torch.from_numpy(out)


def drop_features(x: Features, rate: float, training: bool, nodes: Nodes = None) -> Features:
    """Return features, which may be sparse, with a share of their entries set to zero; in training only.

    What is dropped is the same whether features are sparse or dense.
    """
    if not isinstance(x, Matrix):
        return dropout(x, rate, training, nodes)
    threshold = round(rate * STEPS)
    if not training or threshold == 0:
        return x
    if threshold == STEPS:
        return x.with_values(np.zeros(len(x.indices), np.float32))
    out = np.empty(len(x.indices), np.float32)
    arguments = x.indptr, x.indices, x.values, np.empty(0, np.int32) if nodes is None else nodes
    draw = np.uint64(draw_seed()), np.uint64(threshold), np.float32(STEPS / (STEPS - threshold))
    parts = x.share_rows(16, ENTRIES_PER_THREAD)
    run_all(_keep_entries, [(*arguments, *draw, out, *part) for part in parts])
    return x.with_values(out)


@kernel
def _rectify_rows(given, seed, threshold, scale, out, start, stop):
    """Write rows `start` to `stop`: entries above 0 scaled, or zero if their bits are below the threshold."""
    width = given.shape[1]
    words = np.empty((width + 3) // 4, np.uint64)
    draws = words.view(np.uint16)[:width]
    for row in range(start, stop):
        _words(seed, row, words)
        x, result = given[row], out[row]
        for channel in range(width):
            result[channel] = x[channel] * scale if draws[channel] >= threshold and x[channel] > 0 else 0


@kernel
def _pass_back(gradient, found, scale, out, start, stop):
    for row in range(start, stop):
        for channel in range(gradient.shape[1]):
            out[row, channel] = gradient[row, channel] * scale if found[row, channel] > 0 else 0


class _Rectified(torch.autograd.Function):
    """ReLU and dropout in one pass; what came out above 0 tells where gradients go."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, seed: int, threshold: int) -> Tensor:
        given = x.detach().contiguous().numpy()
        out = np.empty_like(given)
        ctx.scale = given.dtype.type(STEPS / (STEPS - threshold))
        arguments = given, np.uint64(seed), np.uint16(threshold), ctx.scale, out
        run_all(_rectify_rows, [(*arguments, *part) for part in _parts(given.shape)])
        found = torch.from_numpy(out)
        ctx.save_for_backward(found)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (found,) = ctx.saved_tensors
        flow = gradient.contiguous().numpy()
        out = np.empty_like(flow)
        run_all(_pass_back, [(flow, found.numpy(), ctx.scale, out, *part) for part in _parts(flow.shape)])
        return torch.from_numpy(out), None, None


class RectifiedDropout(nn.Module):
    """ReLU and then dropout, with the draws of `Dropout`, in one pass over the entries.

    Examples
    --------
    >>> RectifiedDropout(0.5).eval()(torch.tensor([[-1.0, 2.0]])).tolist()
    [[0.0, 2.0]]
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Return a tensor of the same shape."""
        threshold = round(self.rate * STEPS)
        if not self.training or threshold in (0, STEPS) or not device.on_cpu(x):
            return dropout(torch.relu(x), self.rate, self.training)
        rectified: Tensor = _Rectified.apply(x, draw_seed(), threshold)
        return rectified


class Dropout(nn.Module):
    """Sets a share of the entries to zero, in training only.

    Examples
    --------
    >>> Dropout(0.5)(torch.ones(1000, 2)).unique().tolist()
    [0.0, 2.0]
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor, nodes: Nodes = None) -> Tensor:
        """Return a tensor of the same shape; draws belong to the nodes of the rows, if they are given."""
        return dropout(x, self.rate, self.training, nodes)
