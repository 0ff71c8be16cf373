"""A training step on several processes, by DistributedDataParallel.

Each process decodes its share of the links with their negatives, and computes the rows that these need, on the graph
without all target links of the batch. DistributedDataParallel averages gradients over processes, so each multiplies
those of its loss, a mean over its links, by its share and by the number of processes: the average is the gradient of
the whole batch. Each draws its own dropout.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from edgeorbit.models.base import Scorer, Scores
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, Objective
from edgeorbit.training.step import backward


class World(NamedTuple):
    """The processes that share the steps of training; one, unless `torch.distributed` connects several.

    Attributes
    ----------
    rank, size : int
        The index of this process, and their number.
    gpus : ProcessGroup or None
        The same processes connected by nccl, if each has a GPU of its own. Else gradients travel by gloo, as
        everything that is in main memory does.
    """

    rank: int = 0
    size: int = 1
    gpus: Any = None

    def broadcast(self, value: Any) -> Any:
        """Return the value of the first process."""
        if self.size == 1:
            return value
        values = [value]
        distributed.broadcast_object_list(values, src=0)
        return values[0]

    def divide(self, scorer: Scorer) -> Scorer:
        """Return a scorer that scores a share of the pairs in each process, and returns all scores in all of them."""
        if self.size == 1:
            return scorer

        def score(pairs: npt.NDArray[np.int64]) -> Scores:
            parts: list[Any] = [None] * self.size
            distributed.all_gather_object(parts, scorer(np.array_split(pairs, self.size)[self.rank]))
            return np.concatenate(parts)

        return score


class _Known(torch.autograd.Function):
    """A loss whose gradients are computed already."""

    @staticmethod
    def forward(ctx: Any, loss: float, gradients: list[Tensor], *weights: Tensor) -> Tensor:
        """Return the loss."""
        ctx.gradients = gradients
        return torch.tensor(loss)

    @staticmethod
    def backward(ctx: Any, flow: Tensor) -> tuple[Any, ...]:
        """Return the gradients."""
        return None, None, *ctx.gradients


class _Step(nn.Module):
    """The gradients of a step as the forward pass, which is what DistributedDataParallel calls.

    It exchanges gradients while one backward pass computes them, but a step decodes its pairs in pieces, each with a
    backward pass of its own. So gradients are computed first, and handed over together.
    """

    def __init__(self, network: LinkNetwork) -> None:
        super().__init__()
        self.network = network
        # DistributedDataParallel warns about networks that use all their weights; this one is in no optimizer.
        self.unused = nn.Parameter(next(network.parameters()).new_zeros(1))

    def forward(self, *step: Any, factor: float) -> Tensor:
        loss = backward(self.network, *step, factor=factor)
        used = [weight for weight in self.network.parameters() if weight.grad is not None]
        gradients = [weight.grad for weight in used]
        for weight in used:
            weight.grad = None
        known: Tensor = _Known.apply(loss, gradients, *used)
        return known


class ParallelStep:
    """A step of which each process takes a share of the links.

    Parameters
    ----------
    network
        The network, with the same weights in all processes.
    world
        Two processes or more.
    """

    def __init__(self, network: LinkNetwork, world: World) -> None:
        self.world = world
        with warnings.catch_warnings():
            # PyTorch 2.13 renames broadcast_buffers. Buffers are computed from the graph, the same in all processes.
            warnings.simplefilter("ignore", FutureWarning)
            self._parallel = DistributedDataParallel(
                _Step(network), process_group=world.gpus, find_unused_parameters=True, broadcast_buffers=False
            )

    def backward(self, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective) -> float:
        """Compute the gradients of all links in all processes; return the loss."""
        rank, size = self.world.rank, self.world.size
        own = slice(rank, None, size)
        share = len(positives[own]) / len(positives)
        if share == 0:
            own = slice(1)  # a link of weight 0: all processes take part in the exchange of gradients
        pairs = positives[own].contiguous(), negatives[own].contiguous()
        loss = self._parallel(inputs, *pairs, objective, factor=share * size)
        total = torch.tensor(share * loss.item(), dtype=torch.float64)
        distributed.all_reduce(total)  # before backward: gloo notices a process that has ended, nccl would wait for it
        loss.backward()
        return total.item()
