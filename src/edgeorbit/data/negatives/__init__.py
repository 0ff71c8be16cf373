"""Negatives: node pairs that are no edges, to rank held-out edges against (`sample_negatives`) or to train with.

`random_pool`, `heart` and `orbit` are the kinds for evaluation, `training` draws those of an epoch. Below them:
`non_edges` numbers non-edges without listing them, `distinct` draws different numbers, `heuristics` says what is hard,
and `bounds` what an oracle would reach.
"""

from edgeorbit.data.negatives.bounds import oracle_bounds
from edgeorbit.data.negatives.heart import heart_negatives
from edgeorbit.data.negatives.orbit import orbit_negatives
from edgeorbit.data.negatives.random_pool import random_negatives
from edgeorbit.data.negatives.sampling import KINDS, check_kind, sample_negatives
from edgeorbit.data.negatives.training import NegativeSampler

__all__ = [
    "KINDS",
    "NegativeSampler",
    "check_kind",
    "heart_negatives",
    "oracle_bounds",
    "orbit_negatives",
    "random_negatives",
    "sample_negatives",
]
