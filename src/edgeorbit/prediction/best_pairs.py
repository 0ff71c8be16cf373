"""The best of a stream of scored pairs, in memory for twice as many as are wanted."""

import numpy as np
import numpy.typing as npt

SLACK = 1 << 16  # pairs that wait at least, before the worst are thrown out


class BestPairs:
    """Keeps the pairs of highest score; of equal scores those that come first as `(u, v)`.

    Parameters
    ----------
    count
        How many to keep.

    Examples
    --------
    >>> best = BestPairs(2)
    >>> best.offer(np.array([[0, 1], [2, 3], [0, 2]]), np.array([0.5, 1.0, 0.5]), np.zeros(3, np.uint8))
    >>> best.ranked()[0].tolist()
    [[2, 3], [0, 1]]
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._least = -np.inf  # what a pair must have to be among the best so far
        self._waiting = [(np.empty(0, np.int64), np.empty(0), np.empty(0, np.uint8))]
        self._held = 0

    def offer(
        self, pairs: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], origins: npt.NDArray[np.uint8]
    ) -> None:
        """Take up new pairs `(u, v)`, their scores, and where they come from."""
        chosen = scores >= self._least
        # One number for both nodes, in the order of the pairs: node numbers have 31 bits.
        self._waiting.append((pairs[chosen, 0] << 31 | pairs[chosen, 1], scores[chosen], origins[chosen]))
        self._held += len(self._waiting[-1][0])
        if self._held > 2 * self._count + SLACK:
            self._discard()

    def ranked(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """Return pairs, scores and origins of the best, best first."""
        self._discard()
        ((keys, scores, origins),) = self._waiting
        order = np.lexsort((keys, -scores))
        pairs = np.stack([keys >> 31, keys & (2**31 - 1)], axis=1)
        return pairs[order], scores[order], origins[order]

    def _discard(self) -> None:
        """Join what was taken up, and throw out all but the best."""
        keys, scores, origins = (np.concatenate(arrays) for arrays in zip(*self._waiting, strict=True))
        if len(keys) > self._count:
            self._least = np.partition(scores, len(scores) - self._count)[len(scores) - self._count]
            better, equal = np.flatnonzero(scores > self._least), np.flatnonzero(scores == self._least)
            first = np.argpartition(keys[equal], self._count - len(better) - 1)[: self._count - len(better)]
            kept = np.concatenate([better, equal[first]])
            keys, scores, origins = keys[kept], scores[kept], origins[kept]
        self._waiting, self._held = [(keys, scores, origins)], len(keys)
