"""Skip-gram with negative sampling: vectors that are alike for nodes that walks meet soon after each other.

Steps are made one after the other, by one thread, as in word2vec; so the result follows from the seed alone.
"""

import numpy as np
import numpy.typing as npt

from edgeorbit.compiled import inlined, kernel
from edgeorbit.models.neural.encodings.inner_product import LANES, inner_product
from edgeorbit.models.neural.encodings.random_bits import STEP, below, bits_at

LARGE = np.float32(15)  # beyond it the sigmoid is 0 or 1 in single precision


@inlined
def _sigmoid(logit):
    return np.float32(1) / (np.float32(1) + np.exp(-min(max(logit, -LARGE), LARGE)))


@kernel
def _train(walks, vectors, contexts, table, window, negatives, first_rate, last_rate, state):
    """Go once over all walks, with a learning rate that falls from the first to the last.

    The nodes that are near another one in a walk are told from the same few random nodes: these stay in the cache.
    """
    num_walks, length = walks.shape
    width = vectors.shape[1]
    targets = np.empty(negatives + 1, np.int64)
    change, sums = np.empty(width, np.float32), np.empty(LANES, np.float32)
    for i in range(num_walks):
        rate = np.float32(first_rate + (last_rate - first_rate) * i / num_walks)
        for centre in range(length):
            targets[0] = walks[i, centre]
            for k in range(1, negatives + 1):
                state += STEP
                targets[k] = table[below(bits_at(state), len(table))]
            state += STEP
            reach = 1 + below(bits_at(state), window)  # so that nearer nodes count more often
            for near in range(max(0, centre - reach), min(length, centre + reach + 1)):
                if near == centre:
                    continue
                vector = vectors[walks[i, near]]
                for channel in range(width):
                    change[channel] = 0
                for k in range(negatives + 1):
                    if k > 0 and targets[k] == targets[0]:
                        continue
                    context = contexts[targets[k]]
                    error = rate * (np.float32(k == 0) - _sigmoid(inner_product(vector, context, sums)))
                    for channel in range(width):
                        change[channel] += error * context[channel]
                    for channel in range(width):
                        context[channel] += error * vector[channel]
                for channel in range(width):
                    vector[channel] += change[channel]


def negative_table(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return a table in which nodes stand about in proportion to their counts to the power of 3/4, as in word2vec.

    >>> np.bincount(negative_table(np.array([0, 16, 1]))).tolist()
    [0, 58254, 7282]
    """
    weight = np.cumsum(counts.astype(np.float64) ** 0.75)
    size = max(1 << 16, 4 * len(counts))
    table: npt.NDArray[np.int32] = np.searchsorted(weight, (np.arange(size) + 0.5) / size * weight[-1]).astype(np.int32)
    return table


def train_skip_gram(
    walks: npt.NDArray[np.int32],
    vectors: npt.NDArray[np.float32],
    contexts: npt.NDArray[np.float32],
    table: npt.NDArray[np.int32],
    *,
    window: int,
    negatives: int,
    rates: tuple[float, float],
    seed: int,
) -> None:
    """Train vectors on walks, in place.

    Parameters
    ----------
    walks
        Node numbers, a walk per row.
    vectors, contexts
        Two vectors for every node: what is looked for, and what is only needed in training.
    table
        What random nodes are drawn from.
    window
        Largest distance in a walk of two nodes that are near each other.
    negatives
        Random nodes for each place of a walk.
    rates
        The learning rate at the beginning and at the end.
    seed
        From 0 to 2^64 - 1.
    """
    _train(walks, vectors, contexts, table, window, negatives, *rates, np.uint64(seed))
