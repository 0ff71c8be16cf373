"""Networks too large for the machine are refused before their weights take any memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit.errors import LimitExceededError

MAKERS = {torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn}
COPIES = 4  # of the weights in training: themselves, their gradients, and two moments


@contextmanager
def within_memory(model: str) -> Iterator[None]:
    """Refuse, in the block, to make tensors that leave no memory to train them.

    Raises
    ------
    LimitExceededError
        With the way out.

    Examples
    --------
    >>> with within_memory("gcn"):
    ...     torch.nn.Linear(10**9, 10**9)
    Traceback (most recent call last):
    ...
    edgeorbit.errors.LimitExceededError: gcn: its weights take 3,725,290,298.5 GB ...
    """
    memory = available_memory()
    with _Budget(model, memory):
        yield


class _Budget(TorchFunctionMode):
    """Asks how large a tensor will be, of one without memory, before it is made."""

    def __init__(self, model: str, memory: int | None) -> None:
        super().__init__()
        self.model, self.memory, self.taken = model, memory, 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if self.memory is not None and func in MAKERS:
            shape = {key: value for key, value in given.items() if key != "generator"}
            self.taken += func(*args, **shape | {"device": "meta"}).nbytes
            if COPIES * self.taken > self.memory:
                raise LimitExceededError(
                    f"{self.model}: its weights take {size_in_words(self.taken)} with these settings and training "
                    f"{COPIES} times as much, and {size_in_words(self.memory)} are available; choose fewer channels or "
                    "layers, or a larger machine"
                )
        return func(*args, **given)
