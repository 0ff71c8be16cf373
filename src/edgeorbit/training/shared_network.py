"""A network whose pairs are divided among processes, so that a step of all of them is the step of one.

Every process encodes the same graph from the same draws (dropout of nodes, noise of roles, dropped edges), so that all
have the same embeddings. What is drawn for pairs, after that, each process draws for itself: with the same draws, pairs
at the same place of different shares would be dropped alike. For a seed and a number of processes all of it is the same
in every run.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.models.base import Scorer, Scores
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.training.group import Group


class Share:
    """What this process has to do in a step.

    Attributes
    ----------
    seed : int
        Decides what it draws for its pairs.
    idle : bool
        Whether it has none: the last batch of an epoch may have fewer pairs than there are processes.
    encoding : bool
        Whether nodes are encoded, which all processes do alike, and not pairs decoded.
    """

    seed: int = 0
    idle: bool = False
    encoding: bool = False


@contextmanager
def sharing(network: LinkNetwork, group: Group) -> Iterator[Share]:
    """Let a network work on shares; the caller sets what is to be done before every step."""
    share = Share()
    if group.size == 1:
        yield share
        return
    changed: list[tuple[nn.Module, str, Callable[..., Tensor]]] = [
        (norm, "forward", partial(_normalise, norm, group, share))
        for norm in network.modules()
        if isinstance(norm, nn.BatchNorm1d)
    ]
    changed.append((network, "encode", partial(_encode, network, group, share)))
    for module, method, changed_method in changed:
        setattr(module, method, changed_method)
    try:
        yield share
    finally:
        for module, method, _ in changed:
            delattr(module, method)


def _encode(network: LinkNetwork, group: Group, share: Share, inputs: Inputs) -> Tensor:
    share.encoding = True
    embedding = type(network).encode(network, inputs)
    share.encoding = False
    if network.training and group.rank > 0:  # the first process draws on as one alone would
        torch.default_generator.manual_seed(share.seed)
    return embedding


class _Sum(torch.autograd.Function):
    """The sum over all processes; its gradient is the sum of theirs."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, group: Group) -> Tensor:
        """Add up."""
        ctx.group = group
        return group.add_up(values.clone())

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """Add the gradients up."""
        return ctx.group.add_up(gradient.clone()), None


def _normalise(norm: nn.BatchNorm1d, group: Group, share: Share, x: Tensor) -> Tensor:
    """Normalise rows by the mean and variance of those of all processes; PyTorch's own way of it needs GPUs."""
    if not norm.training or share.encoding:
        return type(norm).forward(norm, x)
    counted = 0.0 if share.idle else 1.0
    count = group.add_up(torch.tensor(counted * len(x), dtype=torch.float64)).item()
    mean: Tensor = _Sum.apply(counted * x.sum(dim=0), group) / count
    centred = x - mean
    variance: Tensor = _Sum.apply(counted * (centred * centred).sum(dim=0), group) / count
    if norm.running_mean is not None and norm.running_var is not None and norm.num_batches_tracked is not None:
        with torch.no_grad():
            norm.num_batches_tracked += 1
            pace = 1 / int(norm.num_batches_tracked) if norm.momentum is None else norm.momentum
            norm.running_mean.lerp_(mean, pace)
            norm.running_var.lerp_(variance * (count / (count - 1)), pace)
    scaled = centred * torch.rsqrt(variance + norm.eps)
    return scaled if norm.weight is None else scaled * norm.weight + norm.bias


def share_scores(scorer: Scorer, group: Group) -> Scorer:
    """Return a scorer that has each process score its share of the pairs, and all of them know all scores."""
    if group.size == 1:
        return scorer

    def score(pairs: npt.NDArray[np.int64]) -> Scores:
        low, high = (len(pairs) * end // group.size for end in (group.rank, group.rank + 1))
        own = scorer(pairs[low:high])
        scores = torch.zeros(len(pairs), dtype=torch.from_numpy(own).dtype)
        scores[low:high] = torch.from_numpy(own)
        found: Scores = group.add_up(scores).numpy()
        return found

    return score
