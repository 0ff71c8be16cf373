"""Random numbers that are the same on every machine and with every version of numpy.

numpy keeps the raw output of its bit generators for ever, but not what its distributions make of it, so the few
distributions that are needed here are made of raw output, with exact arithmetic alone.
"""

import hashlib

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError

BLOCK = 4096  # single numbers are drawn in blocks


class Random:
    """A stream of random numbers that belongs to a seed and a purpose.

    Examples
    --------
    >>> Random(0, "example").below(np.array([10, 10, 10])).tolist()
    [5, 8, 1]
    >>> Random(0, "example").permutation(4).tolist()
    [3, 2, 0, 1]
    """

    def __init__(self, seed: int, purpose: str) -> None:
        check_seed(seed)
        digest = hashlib.sha256(f"{int(seed)} {purpose}".encode()).digest()
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "little"))
        self._waiting: list[float] = []

    def uniform(self, size: int) -> npt.NDArray[np.float64]:
        """Return numbers from [0, 1)."""
        return (self._bits.random_raw(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def one(self) -> float:
        """Return a number from [0, 1); for loops that need one now and then."""
        if not self._waiting:
            self._waiting = self.uniform(BLOCK).tolist()
        return self._waiting.pop()

    def below(self, bounds: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return a whole number from 0 to each bound, without the bound itself."""
        return (self.uniform(len(bounds)) * bounds).astype(np.int64)

    def permutation(self, size: int) -> npt.NDArray[np.int64]:
        """Return the numbers from 0 to `size`, shuffled."""
        return np.argsort(self._bits.random_raw(size), kind="stable")


def check_seed(seed: int) -> None:
    """Raise `InvalidParameterError` unless the seed is a whole number from 0 to 2^63 - 1."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise InvalidParameterError(f"a seed is a whole number from 0 to 2^63 - 1, not {seed!r}")
