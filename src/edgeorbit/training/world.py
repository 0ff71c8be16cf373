"""A training step on several processes.

Each process decodes its share of the links with their negatives, and computes the rows that these need, on the graph
without all target links of the batch. Its loss is a mean over its links, so its gradients are multiplied by its share:
their sum over processes is the gradient of the whole batch. Each draws its own dropout.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, distributed

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

    def share_step(
        self, network: LinkNetwork, inputs: Inputs, positives: Tensor, negatives: Tensor, objective: Objective
    ) -> float:
        """Add the gradients of all links, of which each process has a share, in all of them; return the loss."""
        own = slice(self.rank, None, self.size)
        share = len(positives[own]) / len(positives)
        if share == 0:
            own = slice(1)  # a link of weight 0: all processes take part in the exchange of gradients
        pairs = positives[own].contiguous(), negatives[own].contiguous()
        loss = backward(network, inputs, *pairs, objective, factor=share)
        total = torch.tensor(share * loss, dtype=torch.float64)
        distributed.all_reduce(total)  # before gradients: gloo notices a process that has ended, nccl would wait for it
        self._add_gradients(network)
        return total.item()

    def _add_gradients(self, network: LinkNetwork) -> None:
        """Replace the gradients of every weight by their sum over processes; a weight without any keeps none."""
        weights = list(network.parameters())
        used = torch.tensor([weight.grad is not None for weight in weights], dtype=torch.uint8)
        distributed.all_reduce(used, distributed.ReduceOp.MAX)
        weights = [weight for weight, is_used in zip(weights, used.tolist(), strict=True) if is_used]
        parts = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
        sums = torch.cat([part.reshape(-1) for part in parts])
        distributed.all_reduce(sums, group=self.gpus)
        for weight, found in zip(weights, sums.split([part.numel() for part in parts]), strict=True):
            # In the layout of the weight: the optimizer goes through both as they lie in memory.
            weight.grad = torch.empty_like(weight).copy_(found.view_as(weight))
