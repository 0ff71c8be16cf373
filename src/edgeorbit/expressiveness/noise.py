"""The noise that some networks have outside training too, drawn anew at will.

Random features and the noise of roles come from fixed seeds there, so that scores can be repeated. To judge a model in
expectation, other seeds take their place for a moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from edgeorbit.models.eo_gnn.roles import RoleEmbedding
from edgeorbit.models.neural.encodings import RandomEncoding


def has_noise(network: nn.Module) -> bool:
    """Return whether scores of the network depend on noise outside training."""
    return any(_is_noisy(part) for part in network.modules())


def _is_noisy(part: nn.Module) -> bool:
    return isinstance(part, RandomEncoding) or (isinstance(part, RoleEmbedding) and part.tau > 0)


@contextmanager
def drawn_noise(network: nn.Module, seed: int) -> Iterator[None]:
    """Let the noise of a network come from this seed."""
    encodings = [part for part in network.modules() if isinstance(part, RandomEncoding)]
    roles = [part for part in network.modules() if isinstance(part, RoleEmbedding)]
    stored = [int(part.seed) for part in encodings], [part.noise_seed for part in roles]
    try:
        _set_seeds(encodings, roles, [seed] * len(encodings), [seed] * len(roles))
        yield
    finally:
        _set_seeds(encodings, roles, *stored)


def _set_seeds(
    encodings: list[RandomEncoding], roles: list[RoleEmbedding], of_encodings: list[int], of_roles: list[int]
) -> None:
    for encoding, seed in zip(encodings, of_encodings, strict=True):
        encoding.seed.fill_(seed)
    for role, seed in zip(roles, of_roles, strict=True):
        role.noise_seed = seed
