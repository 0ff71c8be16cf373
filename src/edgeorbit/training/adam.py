"""Adam, by the fused kernel that `torch.optim.Adam(fused=True)` calls.

`torch.optim` imports PyTorch's compiler for its first optimiser, which takes a second of every run.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

BETAS, EPSILON = (0.9, 0.999), 1e-8  # those of Kingma, Ba 2015


class Moments(NamedTuple):
    """What Adam keeps of a weight: the number of its steps, and the moving averages of gradients and their squares."""

    step: Tensor
    exp_avg: Tensor
    exp_avg_sq: Tensor


class Adam:
    """Adam (Kingma, Ba 2015), with the arithmetic of `torch.optim.Adam(fused=True)` to the bit.

    Parameters
    ----------
    weights
        What is optimised; those without a gradient are left alone.
    learning_rate, weight_decay
        As in `torch.optim.Adam`.

    Attributes
    ----------
    learning_rate : float
        Of the next step; a schedule may change it.

    Examples
    --------
    >>> weight = nn.Parameter(torch.ones(1))
    >>> optimizer = Adam([weight], learning_rate=0.1)
    >>> weight.sum().backward()
    >>> optimizer.step()
    >>> round(weight.item(), 6)
    0.9
    """

    def __init__(self, weights: Iterable[nn.Parameter], learning_rate: float = 0.001, weight_decay: float = 0.0):
        self.weights = list(weights)
        self.learning_rate, self.weight_decay = learning_rate, weight_decay
        self._moments: dict[int, Moments] = {}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for weight in self.weights:
            weight.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Change the weights by their gradients."""
        numbers = [number for number, weight in enumerate(self.weights) if weight.grad is not None]
        if not numbers:
            return
        for number in numbers:
            if number not in self._moments:
                weight = self.weights[number]
                zero = torch.zeros((), dtype=torch.float32, device=weight.device)
                self._moments[number] = Moments(zero, torch.zeros_like(weight), torch.zeros_like(weight))
        moments = [self._moments[number] for number in numbers]
        steps, first, second = (list(column) for column in zip(*moments, strict=True))
        torch._foreach_add_(steps, 1.0)
        weights = [self.weights[number] for number in numbers]
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        for group in _by_place(weights):
            torch._fused_adam_(
                [weights[place] for place in group],
                [gradients[place] for place in group],
                [first[place] for place in group],
                [second[place] for place in group],
                [],
                [steps[place] for place in group],
                lr=self.learning_rate,
                beta1=BETAS[0],
                beta2=BETAS[1],
                weight_decay=self.weight_decay,
                eps=EPSILON,
                amsgrad=False,
                maximize=False,
            )

    def state(self) -> dict[str, Tensor]:
        """Return what a checkpoint needs, by number of the weight and name."""
        return {
            f"{number}/{name}": value
            for number, moments in self._moments.items()
            for name, value in moments._asdict().items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take over what `state` returned; moments are laid out in memory as the weights are, for the kernel.

        Raises
        ------
        ValueError, LookupError, TypeError
            If it is that of other weights.
        """
        parts: dict[int, dict[str, Tensor]] = {}
        for key, value in state.items():
            number, _, name = key.partition("/")
            parts.setdefault(int(number), {})[name] = value
        restored: dict[int, Moments] = {}
        for place, given in parts.items():
            weight, moments = self.weights[place], Moments(**given)
            if moments.step.shape != () or any(
                (value.shape, value.dtype) != (weight.shape, weight.dtype) for value in moments[1:]
            ):
                raise ValueError("the state of the optimizer is not that of the network")
            first, second = (torch.empty_like(weight).copy_(value).detach() for value in moments[1:])
            restored[place] = Moments(moments.step.to(weight.device, torch.float32, copy=True), first, second)
        self._moments = restored


def _by_place(weights: list[nn.Parameter]) -> list[list[int]]:
    """Return the places of weights in the list, in groups of one device and type, as the kernel wants them."""
    groups: dict[tuple[torch.device, torch.dtype], list[int]] = {}
    for place, weight in enumerate(weights):
        groups.setdefault((weight.device, weight.dtype), []).append(place)
    return list(groups.values())
