"""The noise that some networks have outside training too, drawn anew at will.

Random features and the noise of roles come from fixed seeds there, so that scores can be repeated. To judge a model in
expectation, other seeds take their place for a moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from edgeorbit.models.eo_gnn import roles
from edgeorbit.models.neural.encodings import RandomEncoding


def has_noise(network: nn.Module) -> bool:
    """Return whether scores of the network depend on noise outside training."""
    return any(_is_noisy(part) for part in network.modules())


def _is_noisy(part: nn.Module) -> bool:
    return isinstance(part, RandomEncoding) or (isinstance(part, roles.RoleEmbedding) and part.tau > 0)


@contextmanager
def drawn_noise(network: nn.Module, seed: int) -> Iterator[None]:
    """Let the noise of a network come from this seed, in one thread at a time."""
    encodings = [part for part in network.modules() if isinstance(part, RandomEncoding)]
    stored = [int(part.seed) for part in encodings]
    fixed = roles.EVALUATION_SEED
    try:
        roles.EVALUATION_SEED = seed
        for part in encodings:
            part.seed.fill_(seed)
        yield
    finally:
        roles.EVALUATION_SEED = fixed
        for part, before in zip(encodings, stored, strict=True):
            part.seed.fill_(before)
