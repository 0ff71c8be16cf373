"""Random bits inside kernels, the same on every machine."""

import numpy as np

from edgeorbit.compiled import inlined

STEP = np.uint64(0x9E37_79B9_7F4A_7C15)
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)


@inlined
def bits_at(state):
    """Return 64 random bits for a state; the states of a stream are multiples of `STEP` apart (SplitMix64)."""
    z = (state ^ (state >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@inlined
def below(bits, bound):
    """Return a number from 0 to `bound` - 1; bounds are below 2^32."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
