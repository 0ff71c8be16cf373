"""Sorting a stretch of nodes by the hash values that they carry."""

import numpy as np

from edgeorbit.compiled import kernel

SHORT = 16  # insertion sort is faster up to here


@kernel
def sort_by_value(nodes, low, high, value):
    """Sort `nodes[low:high]` in place by `value[node]`."""
    if high - low > SHORT:
        _sort_coarsely(nodes, low, high, value)
    for i in range(low + 1, high):
        node = nodes[i]
        key = value[node]
        j = i
        while j > low and value[nodes[j - 1]] > key:
            nodes[j] = nodes[j - 1]
            j -= 1
        nodes[j] = node


@kernel
def _sort_coarsely(nodes, low, high, value):
    """Quicksort, but for pieces of at most `SHORT` nodes, which are left as they are.

    The smaller side is always done first, so 64 waiting pieces are enough for any array.
    """
    waiting = np.empty((64, 2), np.int64)
    num_waiting = 0
    while True:
        while high - low > SHORT:
            a, b, c = value[nodes[low]], value[nodes[(low + high) >> 1]], value[nodes[high - 1]]
            pivot = max(min(a, b), min(max(a, b), c))
            i, j = low, high - 1
            while i <= j:
                while value[nodes[i]] < pivot:
                    i += 1
                while value[nodes[j]] > pivot:
                    j -= 1
                if i <= j:
                    nodes[i], nodes[j] = nodes[j], nodes[i]
                    i += 1
                    j -= 1
            if j + 1 - low < high - i:
                waiting[num_waiting, 0], waiting[num_waiting, 1] = i, high
                high = j + 1
            else:
                waiting[num_waiting, 0], waiting[num_waiting, 1] = low, j + 1
                low = i
            num_waiting += 1
        if num_waiting == 0:
            return
        num_waiting -= 1
        low, high = waiting[num_waiting, 0], waiting[num_waiting, 1]
