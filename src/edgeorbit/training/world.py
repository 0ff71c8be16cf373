"""A training step on several processes, by DistributedDataParallel.

Each process passes messages on the whole graph without the target links of the batch, and decodes its share of the
links with their negatives. DistributedDataParallel averages gradients over processes, so each multiplies its loss, a
mean over its links, by its share and by the number of processes: the sum is the gradient of the whole batch. Each draws
its own dropout.
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


class _Loss(nn.Module):
    """A network with its loss as the forward pass, which is what DistributedDataParallel calls."""

    def __init__(self, network: LinkNetwork) -> None:
        super().__init__()
        self.network = network
        # DistributedDataParallel warns about networks that use all their weights; this one is in no optimizer.
        self.unused = nn.Parameter(next(network.parameters()).new_zeros(1))

    def forward(self, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective) -> Tensor:
        loss: Tensor = self.network.loss(inputs, positives, negatives, objective)
        return loss


class ParallelLoss:
    """The loss of a batch of which each process decodes a share.

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
                _Loss(network), process_group=world.gpus, find_unused_parameters=True, broadcast_buffers=False
            )

    def backward(self, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective) -> float:
        """Compute the gradients of the whole batch; return its loss."""
        own = slice(self.world.rank, None, self.world.size)
        share = len(positives[own]) / len(positives)
        if share == 0:
            own = slice(1)  # a link of weight 0: all processes take part in the exchange of gradients
        loss = self._parallel(inputs, positives[own].contiguous(), negatives[own].contiguous(), objective)
        total = torch.tensor(share * loss.item(), dtype=torch.float64)
        distributed.all_reduce(total)  # before backward: gloo notices a process that has ended, nccl would wait for it
        (share * self.world.size * loss).backward()
        return total.item()
