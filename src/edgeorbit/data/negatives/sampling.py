"""Negatives by name."""

from collections.abc import Callable, Mapping
from typing import Any

from edgeorbit.data.negatives.heart import heart_negatives
from edgeorbit.data.negatives.orbit import orbit_negatives
from edgeorbit.data.negatives.random_pool import random_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError

KINDS: Mapping[str, Callable[..., Negatives]] = {
    "random": random_negatives,
    "heart": heart_negatives,
    "orbit": orbit_negatives,
}


def sample_negatives(split: LinkSplit, kind: str, seed: int = 0, **options: Any) -> Negatives:
    """Return the negatives of a kind: those that come with the split, or else sampled ones.

    Parameters
    ----------
    split
        The split.
    kind
        `random`, `heart`, `orbit`, or a name that the split has negatives for.
    seed
        For those that are sampled.
    **options
        Those of `random_negatives`, `heart_negatives` or `orbit_negatives`.

    Raises
    ------
    InvalidParameterError
        If the kind is unknown, or does not have an option.

    Examples
    --------
    >>> from edgeorbit.data.splits import random_split
    >>> from edgeorbit.graph.toys import karate
    >>> split = random_split(karate())
    >>> sample_negatives(split, "random").test.shape
    (4, 2)
    """
    if kind in split.negatives:
        if options:
            raise InvalidParameterError(
                f"{kind} negatives come with the split of {split.graph.name}, so that {', '.join(options)} cannot be "
                "chosen; leave the options out"
            )
        return split.negatives[kind]
    check_kind(split, kind)
    sampler = KINDS[kind]
    known = options_of(kind)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InvalidParameterError(f"{kind} negatives have no option {unknown[0]!r}; choose from {', '.join(known)}")
    return sampler(split, seed, **options)


def check_kind(split: LinkSplit, kind: str) -> None:
    """Refuse a kind that a split has no negatives of, and that cannot be sampled."""
    choices = list(dict.fromkeys([*KINDS, *split.negatives]))
    if kind not in choices:
        raise InvalidParameterError(f"negatives {kind!r} are unknown; choose from {', '.join(choices)}")


def options_of(kind: str) -> list[str]:
    """Return the names of the options that a kind of sampled negatives has.

    >>> options_of("random")
    ['ratio']
    """
    import inspect

    return list(inspect.signature(KINDS[kind]).parameters)[2:]
