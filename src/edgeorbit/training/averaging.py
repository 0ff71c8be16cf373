"""Averages of weights over the course of training, which are evaluated and kept instead of the weights themselves.

| name | average | reference |
| --- | --- | --- |
| `ema` | exponential moving average over steps | Polyak, Juditsky 1992 |
| `last` | mean of the weights at the last evaluations | Izmailov et al., UAI 2018 |
"""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

Weights = dict[str, Tensor]


class Averager:
    """Keeps an average of all weights and buffers that are floating-point numbers; this one keeps none.

    Updates are of the form `a + w (x - a)`, so that what never changes is its own average, to the bit.
    """

    def after_step(self, network: nn.Module, step: int) -> None:
        """Note the weights after a step; steps count from 1."""
        return

    def before_evaluation(self, network: nn.Module) -> None:
        """Note the weights that are about to be evaluated."""
        return

    def average(self, network: nn.Module) -> Weights | None:
        """Return the average as a state of the network, whose other values are as they are; None if there is none."""
        return None

    def state(self) -> Weights:
        """Return what a checkpoint needs."""
        return {}

    def restore(self, state: Mapping[str, Tensor], network: nn.Module) -> None:
        """Take over what `state` returned.

        Raises
        ------
        ValueError
            If it is that of another network.
        """
        if state:
            raise ValueError("there are averaged weights")

    @contextmanager
    def applied(self, network: nn.Module) -> Iterator[None]:
        """Let a network have the average as its weights in the block."""
        average = self.average(network)
        if average is None:
            yield
            return
        own = {name: value.detach().clone() for name, value in network.state_dict().items()}
        network.load_state_dict(average)
        try:
            yield
        finally:
            network.load_state_dict(own)


class MovingAverage(Averager):
    """The exponential moving average `a + (1 - d) (x - a)`; d is `(1 + t) / (10 + t)` until that is the wanted decay.

    Parameters
    ----------
    decay
        The share of the average that stays in every step.
    """

    def __init__(self, decay: float) -> None:
        self.decay = decay
        self._average: Weights = {}

    def after_step(self, network: nn.Module, step: int) -> None:
        """Move the average towards the weights."""
        weights = _floating(network)
        if not self._average:
            self._average = {name: value.clone() for name, value in weights.items()}
            return
        decay = min(self.decay, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in weights.items():
                self._average[name].lerp_(value, 1 - decay)

    def average(self, network: nn.Module) -> Weights:
        """Return the average."""
        return {**network.state_dict(), **self._average}

    def state(self) -> Weights:
        """Return the average."""
        return dict(self._average)

    def restore(self, state: Mapping[str, Tensor], network: nn.Module) -> None:
        """Take an average over."""
        self._average = _checked(state, network) if state else {}


class LastAverage(Averager):
    """The mean of the weights at the last evaluations, each of which takes the memory of the weights once more.

    Parameters
    ----------
    count
        How many evaluations.
    """

    def __init__(self, count: int) -> None:
        self._last: deque[Weights] = deque(maxlen=count)

    def before_evaluation(self, network: nn.Module) -> None:
        """Keep the weights, and forget the oldest."""
        self._last.append({name: value.clone() for name, value in _floating(network).items()})

    def average(self, network: nn.Module) -> Weights:
        """Return the mean."""
        found = dict(network.state_dict())
        for number, weights in enumerate(self._last, start=1):
            for name, value in weights.items():
                found[name] = value.clone() if number == 1 else found[name].lerp_(value, 1 / number)
        return found

    def state(self) -> Weights:
        """Return the weights of the last evaluations, the oldest first."""
        return {f"{number}/{name}": value for number, held in enumerate(self._last) for name, value in held.items()}

    def restore(self, state: Mapping[str, Tensor], network: nn.Module) -> None:
        """Take the weights of the last evaluations over."""
        parts: dict[int, Weights] = {}
        for key, value in state.items():
            number, _, name = key.partition("/")
            parts.setdefault(int(number), {})[name] = value
        if sorted(parts) != list(range(len(parts))) or len(parts) > (self._last.maxlen or 0):
            raise ValueError("the averaged weights are not those of these settings")
        self._last.clear()
        self._last.extend(_checked(parts[number], network) for number in range(len(parts)))


def make_averager(name: str, decay: float, count: int) -> Averager:
    """Return an averager by name: `ema` with a decay, `last` of some evaluations, or none for an empty name."""
    if not name:
        return Averager()
    return MovingAverage(decay) if name == "ema" else LastAverage(count)


def _floating(network: nn.Module) -> Weights:
    return {name: value.detach() for name, value in network.state_dict().items() if value.is_floating_point()}


def _checked(weights: Mapping[str, Tensor], network: nn.Module) -> Weights:
    """Return copies of weights where the network has its own, which have their names, shapes and types.

    Raises
    ------
    ValueError
        If they are those of another network, or not finite.
    """
    own = _floating(network)
    if weights.keys() != own.keys() or any(
        (value.shape, value.dtype) != (own[name].shape, own[name].dtype) or not value.isfinite().all()
        for name, value in weights.items()
    ):
        raise ValueError("the averaged weights are not those of the network")
    return {name: torch.empty_like(own[name]).copy_(value) for name, value in weights.items()}
