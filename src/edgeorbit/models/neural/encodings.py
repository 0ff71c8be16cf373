"""Encodings as parts of a network: those that are computed once from the training graph, and random ones."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.neural import device
from edgeorbit.models.neural.inputs import Inputs


class NodeEncoding(nn.Module, ABC):
    """Some numbers for every node of a graph.

    Attributes
    ----------
    channels : int
        How many numbers.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels

    @abstractmethod
    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels)."""


class StoredEncoding(NodeEncoding):
    """An encoding that is computed once and saved with the weights.

    It belongs to the nodes of one graph. It is computed when it is first needed, so that loading a saved one takes no
    longer than reading it.

    Parameters
    ----------
    num_nodes, channels
        The shape.
    compute
        Returns the encoding.
    scale
        What it is multiplied by.
    """

    values: Tensor

    def __init__(
        self, num_nodes: int, channels: int, compute: Callable[[], npt.NDArray[np.float32]], scale: float = 1.0
    ) -> None:
        super().__init__(channels)
        self.scale = scale
        self.register_buffer("values", torch.zeros(num_nodes, channels))
        self._compute: Callable[[], npt.NDArray[np.float32]] | None = compute
        self.register_state_dict_pre_hook(_complete)
        self.register_load_state_dict_post_hook(_forget)

    def complete(self) -> None:
        """Compute the encoding, unless it is there."""
        if self._compute is not None:
            self.values.copy_(self.scale * torch.from_numpy(self._compute()))
            self._compute = None

    def forget(self) -> None:
        """Take the encoding to be there: it was loaded."""
        self._compute = None

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels).

        Raises
        ------
        InvalidParameterError
            If the graph has not the nodes that were encoded.
        """
        if inputs.graph.num_nodes != len(self.values):
            raise InvalidParameterError(
                f"{inputs.graph.name} has {inputs.graph.num_nodes} nodes and the encoding belongs to "
                f"{len(self.values)}; give the graph that the model was trained on"
            )
        self.complete()
        return self.values


def _complete(module: Any, *_: Any) -> None:
    module.complete()


def _forget(module: Any, *_: Any) -> None:
    module.forget()


class FlippedEncoding(StoredEncoding):
    """An encoding whose channels mean the same with the opposite sign: signs are drawn anew in every training step."""

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, with the signs that it has unless it is in training."""
        values = super().forward(inputs)
        if not self.training:
            return values
        return values * (2 * torch.randint(2, (1, self.channels)) - 1).to(values.device)


class RandomEncoding(NodeEncoding):
    """Random numbers of mean 0 and variance 1, uniform: new ones in every training step, otherwise always the same.

    Parameters
    ----------
    channels
        How many numbers for each node.
    seed
        Of the numbers outside training; it is saved with the weights.
    """

    seed: Tensor

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__(channels)
        self.register_buffer("seed", torch.tensor(seed))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the encoding, shape (num_nodes, channels)."""
        shape = inputs.graph.num_nodes, self.channels
        if self.training:
            where = self.seed.device
            numbers = torch.rand(shape, generator=device.draw_generator(where), device=where)
        else:
            drawn = Random(int(self.seed), "random features").uniform(shape[0] * shape[1])
            numbers = device.place(drawn.astype(np.float32), inputs.degree).view(shape)
        return (2 * numbers - 1) * 3**0.5


def draw_seed() -> int:
    """Draw a seed from PyTorch's generator, which the seed of the model has set."""
    return int(torch.randint(2**31, ()).item())
