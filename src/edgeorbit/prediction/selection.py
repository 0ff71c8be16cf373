"""The best few of many scored nodes: a heap that kernels fill.

Better is a higher score, and of equal scores the smaller node, so that what is kept does not depend on the order in
which nodes are offered.
"""

import numpy as np

from edgeorbit.compiled import inlined, kernel

NOBODY = np.int32(2**31 - 1)  # fills up lists that are shorter than others; no node has this number


@inlined
def _is_worse(score, node, other_score, other):
    return score < other_score or (score == other_score and node > other)


@kernel
def offer(scores, nodes, size, score, node):
    """Offer a node to a heap of `size` nodes, the worst of them first; return how many it holds then.

    The heap holds at most as many nodes as `scores` has places.
    """
    if size < len(scores):
        place = size
        while place > 0:
            parent = (place - 1) >> 1
            if not _is_worse(score, node, scores[parent], nodes[parent]):
                break
            scores[place], nodes[place] = scores[parent], nodes[parent]
            place = parent
        scores[place], nodes[place] = score, node
        return size + 1
    if not _is_worse(scores[0], nodes[0], score, node):
        return size
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _is_worse(scores[child + 1], nodes[child + 1], scores[child], nodes[child]):
            child += 1
        if not _is_worse(scores[child], nodes[child], score, node):
            break
        scores[place], nodes[place] = scores[child], nodes[child]
        place = child
    scores[place], nodes[place] = score, node
    return size
