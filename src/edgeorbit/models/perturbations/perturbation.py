"""What a perturbation is: a random change of the inputs of a training step."""

from abc import ABC, abstractmethod
from typing import ClassVar

from edgeorbit.models.neural.inputs import Inputs


class Perturbation(ABC):
    """Drops edges or features of inputs; the trainer calls it in every step, and nothing else does.

    Parameters
    ----------
    rate
        The mean probability that an edge, or the features of a node, are dropped; at least 0 and below 1.

    Attributes
    ----------
    citation : str
        What to cite.
    """

    citation: ClassVar[str]

    def __init__(self, rate: float) -> None:
        self.rate = rate

    @abstractmethod
    def __call__(self, inputs: Inputs) -> Inputs:
        """Return perturbed inputs, as PyTorch's generator draws them; the given ones stay as they are.

        Both are in the memory of the processor.
        """

    def __repr__(self) -> str:
        """Name the perturbation and its rate."""
        return f"{type(self).__name__}(rate={self.rate})"
