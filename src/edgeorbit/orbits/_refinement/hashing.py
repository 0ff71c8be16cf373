"""Hash values of colours, and sorting by them: what a node adds to the sum that describes its neighbour.

The multiset of neighbour colours is hashed as the sum modulo 2^64 of one pseudo-random value per colour. A sum does
not depend on the order, can be formed by many threads, and equal multisets have equal sums; unequal ones can collide,
which is why every partition that is built on these values is verified (`edgeorbit.orbits._refinement.verify`).

Each round has its own salt: with one set of values for all rounds, a class that splits twice by the same difference
would meet the same value again and the two differences could cancel.
"""

import numpy as np

from edgeorbit._compiled import kernel

FULL_MASK = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ODD_1 = np.uint64(0x9E37_79B9_7F4A_7C15)
_ODD_2 = np.uint64(0xD6E8_FEB8_6659_FD93)


@kernel
def mix(colour, salt):
    """Return the 64-bit value of a colour: two multiplications, each followed by folding high bits into low ones."""
    x = (np.uint64(colour) + salt) * _ODD_1
    x ^= x >> np.uint64(32)
    x *= _ODD_2
    return x ^ (x >> np.uint64(29))


def salt_of(attempt: int) -> np.uint64:
    """Return the salt of the given attempt; salts of different attempts are far apart.

    >>> bool(salt_of(0) != salt_of(1))
    True
    """
    return np.uint64((0x2545_F491_4F6C_DD1D + attempt * 0x9FB2_1C65_1E98_DF25) & 0xFFFF_FFFF_FFFF_FFFF)


@kernel
def sort_by_value(nodes, low, high, value):
    """Sort `nodes[low:high]` in place by `value[node]`.

    Shellsort: stretches are short, where it is insertion sort; on a long one it is not much slower than quicksort, and
    it compiles in a fraction of the time.
    """
    gap = 1
    while 3 * gap < high - low:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(low + gap, high):
            node = nodes[i]
            key = value[node]
            j = i
            while j >= low + gap and value[nodes[j - gap]] > key:
                nodes[j] = nodes[j - gap]
                j -= gap
            nodes[j] = node
        gap //= 3
